"""Ways to damage the files of a model: bytes in, other bytes out.

A safetensors file is a length (8 bytes, little-endian), a JSON header of that length that gives
every array's type, shape and place, and the bytes of the arrays. Our own head is a JSON text inside
the header's metadata, so there are two layers of JSON to damage.
"""

import json
import struct
from collections.abc import Callable
from random import Random
from typing import Any

Damage = Callable[[Random, bytes], bytes]

NUMBERS = [0, 1, -1, 3, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, 10**15, 10**4000, 1.5, 1e999]
ODD = [*NUMBERS, None, True, "", "\x1b[2J\n" * 400, "é" * 3000, [], {}, [[1]], {"a": {"b": [2]}}]
DTYPES = ["F64", "F16", "BF16", "F8_E4M3", "I32", "I64", "U8", "BOOL", "f32", "X" * 5000, "", "C64"]


def flipped(choose: Random, data: bytes, first: int = 0, last: int | None = None) -> bytes:
    """A few bytes between two places become others."""
    changed = bytearray(data)
    last = min(len(data), last or len(data))
    for _ in range(choose.randint(1, 4) if last > first else 0):
        changed[choose.randrange(first, last)] = choose.randrange(256)
    return bytes(changed)


def cut(choose: Random, data: bytes) -> bytes:
    """The file ends early."""
    return data[: choose.randrange(len(data) + 1)]


def appended(choose: Random, data: bytes) -> bytes:
    """Something follows the end."""
    return data + choose.choice([b"\0", b"\n", data, choose.randbytes(50)])


def emptied(choose: Random, data: bytes) -> bytes:
    """A file of no bytes, or of zeros."""
    return bytes(choose.choice([0, 1, 8, 100]))


def spliced(choose: Random, data: bytes) -> bytes:
    """A stretch of the file is written over another."""
    start, to = choose.randrange(len(data)), choose.randrange(len(data))
    return data[:to] + data[start : start + choose.randrange(40)] + data[to:]


def flipped_length(choose: Random, data: bytes) -> bytes:
    """The length of the header is another."""
    return flipped(choose, data, 0, 8)


def huge_length(choose: Random, data: bytes) -> bytes:
    """The header is said to be far longer than the file."""
    length = choose.choice([len(data), 2**20 + 1, 10**8, 10**8 + 1, 2**40, 2**63, 2**64 - 1])
    return struct.pack("<Q", length) + data[8:]


def flipped_header(choose: Random, data: bytes) -> bytes:
    """A few characters of the JSON header are others."""
    return flipped(choose, data, 8, 8 + struct.unpack("<Q", data[:8])[0])


def lost_numbers(choose: Random, data: bytes) -> bytes:
    """A number in an array is not finite."""
    length = struct.unpack("<Q", data[:8])[0]
    place = 8 + length + 4 * choose.randrange((len(data) - 8 - length) // 4)
    number = struct.pack("<f", choose.choice([float("nan"), float("inf"), -float("inf")]))
    return data[:place] + number + data[place + 4 :]


def other_program(choose: Random, data: bytes) -> bytes:
    """A sound safetensors file that is not ours."""
    entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
    metadata = choose.choice([{}, {"__metadata__": {"format": "pt"}}, {"__metadata__": None}])
    return _packed(json.dumps({choose.choice(["weight", "D"]): entry} | metadata), bytes(4))


def changed_header(choose: Random, data: bytes) -> bytes:
    """One array is told of in another way, or is there too often, or is not there."""
    header, arrays = _unpacked(data)
    name = choose.choice([key for key in header if key != "__metadata__"])
    choose.choice([_dtype, _shape, _place, _swap, _remove, _rename, _field])(choose, header, name)
    return _packed(json.dumps(header), arrays)


def agreed_shape(choose: Random, data: bytes) -> bytes:
    """An array has another shape of as many numbers, and our head agrees."""
    header, arrays = _unpacked(data)
    head = json.loads(header["__metadata__"]["wordrbm"])
    name = choose.choice(list(head["shapes"]))
    shape = header[name]["shape"]
    other = choose.choice([shape[::-1], [*shape, 1], [1] * 70 + shape, [1] * 9000 + shape, []])
    header[name]["shape"] = head["shapes"][name] = other
    header["__metadata__"]["wordrbm"] = json.dumps(head)
    return _packed(json.dumps(header), arrays)


def doubled_array(choose: Random, data: bytes) -> bytes:
    """A name stands twice in the header, which JSON allows."""
    header, arrays = _unpacked(data)
    name = choose.choice(list(header))
    text = json.dumps(header)
    return _packed(text[:-1] + f", {json.dumps(name)}: {json.dumps(header[name])}}}", arrays)


def other_metadata(choose: Random, data: bytes) -> bytes:
    """The metadata are of another type, or our head is no head."""
    header, arrays = _unpacked(data)
    nested = '{"a":' * 5000 + "1" + "}" * 5000
    text = choose.choice(["", "null", "[]", "{", nested, "[" * 99_999, "9" * 9999, '"\\ud800"'])
    header["__metadata__"] = choose.choice([*ODD, {"wordrbm": choose.choice(ODD)}])
    if choose.random() < 0.6:
        header["__metadata__"] = {"wordrbm": text}
    return _packed(json.dumps(header), arrays)


def changed_head(choose: Random, data: bytes) -> bytes:
    """One entry of our head, at any depth, is another, is gone or is new."""
    header, arrays = _unpacked(data)
    head = json.loads(header["__metadata__"]["wordrbm"])
    place = choose.choice([head, *(value for value in head.values() if isinstance(value, dict))])
    name = choose.choice([*place, "extra", "x" * 3000, "line\nbreak"])
    place[name] = choose.choice(ODD)
    if choose.random() < 0.2:
        del place[name]
    header["__metadata__"]["wordrbm"] = json.dumps(head)
    return _packed(json.dumps(header), arrays)


def _dtype(choose: Random, header: dict[str, Any], name: str) -> None:
    header[name]["dtype"] = choose.choice([*DTYPES, *ODD])


def _shape(choose: Random, header: dict[str, Any], name: str) -> None:
    shape = header[name]["shape"]
    shape[choose.randrange(len(shape))] = choose.choice(ODD)


def _place(choose: Random, header: dict[str, Any], name: str) -> None:
    header[name]["data_offsets"][choose.randrange(2)] = choose.choice(ODD)


def _swap(choose: Random, header: dict[str, Any], name: str) -> None:
    other = header[choose.choice([key for key in header if key != "__metadata__"])]
    field = choose.choice(["data_offsets", "shape"])
    header[name][field], other[field] = other[field], header[name][field]


def _remove(choose: Random, header: dict[str, Any], name: str) -> None:
    del header[name]


def _rename(choose: Random, header: dict[str, Any], name: str) -> None:
    header[choose.choice(["E", "", "line\nbreak", "y" * 5000])] = header.pop(name)


def _field(choose: Random, header: dict[str, Any], name: str) -> None:
    header[name][choose.choice(["dtype", "shape", "data_offsets", "new"])] = choose.choice(ODD)


def _unpacked(data: bytes) -> tuple[dict[str, Any], bytes]:
    length = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def _packed(header: str, arrays: bytes) -> bytes:
    text = header.encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(text)) + text + arrays


ANY_FILE: list[Damage] = [flipped, cut, appended, emptied, spliced]
TENSORS: list[Damage] = [
    *ANY_FILE, flipped_length, huge_length, flipped_header, lost_numbers, other_program,
    changed_header, agreed_shape, doubled_array, other_metadata, changed_head,
]  # fmt: skip
