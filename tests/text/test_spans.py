import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wordrbm.text.spans import HELDOUT_BLOCK, make_spans

lengths = st.lists(
    st.integers(1, 3 * HELDOUT_BLOCK + 1) | st.integers(1, 9), min_size=1, max_size=40
)
shares = st.floats(0.001, 0.49) | st.just(0.0) | st.just(5e-324)


def spans_of(lengths, share, at_once=100_000):
    """The spans of documents whose ends come some at a time."""
    ends = np.cumsum(lengths)

    def arrays():
        return (ends[at : at + at_once] for at in range(0, len(ends), at_once))

    return np.concatenate(list(make_spans(arrays, share)))


def slow_spans(lengths, share):
    """The spans by hand: blocks in order, then training neighbours of a document joined."""
    blocks, at = [], 0
    for document, length in enumerate(lengths):
        for start in range(at, at + length, HELDOUT_BLOCK):
            blocks.append([start, min(start + HELDOUT_BLOCK, at + length), document])
        at += length
    period = round(1 / share) if share > 1e-9 else len(blocks) + 1
    for number, block in enumerate(blocks):
        few = len(blocks) < period
        held = number == len(blocks) // 2 if few else number % period == period // 2
        block.append(int(held and share > 0 and len(blocks) > 1))
    spans = []
    for start, end, document, split in blocks:
        if spans and split == 0 and spans[-1][2:] == [document, 0]:
            spans[-1][1] = end
        else:
            spans.append([start, end, document, split])
    return [[start, end, split] for start, end, _, split in spans]


@given(lengths, shares, st.integers(1, 9))
def test_spans_are_those_made_by_hand_however_the_documents_come(lengths, share, at_once):
    spans = spans_of(lengths, share, at_once)
    assert spans.tolist() == slow_spans(lengths, share)
    assert spans.dtype == np.int64


@given(lengths, shares)
def test_spans_fill_the_stream_and_never_cross_a_document(lengths, share):
    spans = spans_of(lengths, share)
    assert spans[0, 0] == 0
    assert spans[-1, 1] == sum(lengths)
    np.testing.assert_array_equal(spans[1:, 0], spans[:-1, 1])
    inside = [set(range(start + 1, end)) for start, end, _ in spans.tolist()]
    assert not set().union(*inside) & set(np.cumsum(lengths).tolist())


def test_about_the_given_fraction_is_held_out():
    spans = spans_of(np.full(10_000, 100), 0.01)
    held = spans[spans[:, 2] == 1]
    assert (held[:, 1] - held[:, 0]).sum() == 10_000


def test_a_single_block_is_never_held_out():
    assert spans_of([5], 0.01).tolist() == [[0, 5, 0]]
