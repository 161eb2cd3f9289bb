"""What ranks send each other when they are averaged: bytes and arrays are the same message."""

import numpy as np
import pytest

from wordrbm.training.averaging_messages import BLOCK, Message, to_blocks


def filled(count, d, blocks, *, counted):
    """A message of bytes that all differ from their neighbours."""
    message = Message.empty(count, d, blocks, counted=counted)
    rng = np.random.default_rng([count, d, blocks])
    for array in (*message.rows, message.scales, message.levels):
        array[...] = rng.integers(0, np.iinfo(array.dtype).max, array.shape)
    return message


def arrays(message):
    return [*message.rows, message.scales, message.levels]


@pytest.mark.parametrize(("count", "d", "blocks"), [(3, 5, 2), (0, 50, 1), (4, 1, 0), (2, 50, 7)])
@pytest.mark.parametrize("counted", [False, True])
def test_a_message_is_read_as_it_was_sent(count, d, blocks, counted):
    message = filled(count, d, blocks, counted=counted)
    sent = message.to_bytes()
    assert sent.nbytes == message.nbytes
    longer = np.append(sent, np.zeros(9, np.uint8))  # what is received may be followed by more
    received = Message.empty(count, d, blocks, counted=counted).read(longer)
    for a, b in zip(arrays(received), arrays(message), strict=True):
        np.testing.assert_array_equal(a, b)


def test_parts_of_a_message():
    message = filled(5, 3, 4, counted=True)
    part = message.part(slice(1, 3), slice(2, 4))
    for a, b in zip(part.rows, message.rows, strict=True):
        np.testing.assert_array_equal(a, b[1:3])
    np.testing.assert_array_equal(part.scales, message.scales[2:4])
    np.testing.assert_array_equal(part.levels, message.levels[2:4])


def test_dense_arrays_fill_blocks_in_their_order():
    U, c = np.arange(100, dtype=np.float32).reshape(2, 50), np.arange(30, dtype=np.float32)
    blocks = to_blocks([U, c])
    assert blocks.shape == (3, BLOCK)
    expected = np.zeros(3 * BLOCK, np.float32)
    expected[:100], expected[100:130] = U.reshape(-1), c
    np.testing.assert_array_equal(blocks.reshape(-1), expected)
