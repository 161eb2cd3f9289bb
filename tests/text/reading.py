"""Files written compressed or not, and read as `wordrbm prepare` reads them."""

import gzip
import sys

from wordrbm.text.formats import REPLACE_ADVICE, read_chunks
from wordrbm.text.reader import open_text

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def read_documents(path, field="text", encoding_errors="strict"):
    """The documents of a file and the text after the last one; the characters replaced."""
    documents = [""]
    with open_text(path, encoding_errors, REPLACE_ADVICE) as reader:
        for chunk in read_chunks(reader, field):
            documents[-1] += chunk.text
            documents += [""] if chunk.ends_document else []
        return documents, reader.replaced


def documents(path, field="text"):
    """The documents of a file, which must end with a document."""
    *complete, rest = read_documents(path, field)[0]
    assert not rest, "the last chunk of a file ends a document"
    return complete


def chunk_texts(path):
    """The text of every chunk of a file."""
    with open_text(path) as reader:
        return [chunk.text for chunk in read_chunks(reader)]


def write(path, data, pack=""):
    """Write data, compressed by the suffix `pack`; the path of the file."""
    packed = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}[pack](data)
    path = path.with_name(path.name + pack)
    path.write_bytes(packed)
    return path
