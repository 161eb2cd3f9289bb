import gzip
import io
import struct
import sys

import pytest

from tests.text.reading import documents
from wordrbm.errors import WordRBMError
from wordrbm.text import files
from wordrbm.text.files import find_files

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACK = {".gz": gzip.compress, ".zst": zstd.compress}
CHECKED = {zstd.CompressionParameter.checksum_flag: 1}


def read(tmp_path, data, suffix):
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(data)
    (text,) = documents(path)
    return text


@pytest.mark.parametrize("suffix", PACK)
class TestBoth:
    def test_members_joined_and_empty_ones_are_read_through(self, tmp_path, suffix):
        parts = [b"", b"\xef", b"\xbb\xbf<", b"", b"one ", b"two", b""]
        assert read(tmp_path, b"".join(map(PACK[suffix], parts)), suffix) == "<one two"

    def test_an_archive_of_nothing_is_an_empty_text(self, tmp_path, suffix):
        assert read(tmp_path, PACK[suffix](b""), suffix) == ""

    @pytest.mark.parametrize("garbage", [b"x", b"garbage", b"\0\0\0x", b"\x1f\x8b", b"\x28\xb5"])
    def test_other_bytes_after_the_end_are_refused(self, tmp_path, suffix, garbage):
        with pytest.raises(WordRBMError, match=r"is broken or cut short near byte \d+ of the file"):
            read(tmp_path, PACK[suffix](b"one") + garbage, suffix)

    def test_a_wrong_checksum_is_refused(self, tmp_path, suffix):
        data = gzip.compress(b"one") if suffix == ".gz" else zstd.compress(b"one", options=CHECKED)
        at = -8 if suffix == ".gz" else -1
        broken = bytearray(data)
        broken[at] ^= 1
        with pytest.raises(WordRBMError, match="is broken"):
            read(tmp_path, bytes(broken), suffix)

    def test_a_decompression_bomb_is_refused_soon(self, tmp_path, suffix, monkeypatch):
        monkeypatch.setattr(files, "BOMB_BYTES", 1_000_000)
        data = PACK[suffix](b"spam " * 1_000_000)
        with pytest.raises(WordRBMError, match=r"expands to 1,\d\d\d,\d\d\d bytes at byte"):
            read(tmp_path, data, suffix)
        assert len(read(tmp_path, PACK[suffix](b"spam " * 200_000), suffix)) == 1_000_000

    def test_a_long_file_that_expands_little_is_read(self, tmp_path, suffix, monkeypatch):
        monkeypatch.setattr(files, "BOMB_BYTES", 1_000)
        text = " ".join(map(str, range(50_000)))
        assert read(tmp_path, PACK[suffix](text.encode()), suffix) == text

    def test_the_suffix_may_be_in_capitals(self, tmp_path, suffix):
        assert read(tmp_path, PACK[suffix](b"one"), suffix.upper()) == "one"


def test_zeros_after_the_last_gzip_member_are_padding(tmp_path):
    assert read(tmp_path, gzip.compress(b"one") + b"\0" * 9, ".gz") == "one"


def test_a_zstd_window_too_large_is_refused(tmp_path):
    frame = struct.pack("<IBB", 0xFD2FB528, 0, (31 - 10) << 3) + b"\x01\0\0"  # a window of 2 GB
    with pytest.raises(WordRBMError, match=r"its window being above 128 MB; compress it again"):
        read(tmp_path, frame, ".zst")


@pytest.mark.parametrize("suffix", files.OTHER_ARCHIVES)
def test_other_archives_are_refused_before_anything_is_read(tmp_path, suffix):
    (tmp_path / f"a.txt{suffix}").write_bytes(b"PK")
    with pytest.raises(WordRBMError, match=rf"a\.txt\{suffix} is a \{suffix} file, which cannot"):
        find_files([tmp_path])


def test_a_plain_file_is_its_own_stream(tmp_path):
    path = tmp_path / "a.txt"
    disk = io.BytesIO(b"one")
    assert files.open_decompressed(path, disk) is disk
