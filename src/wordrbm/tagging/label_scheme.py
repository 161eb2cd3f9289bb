"""Label schemes of spans: IOB2 in data, IOBES in the CRF.

    tokens   He    bought  a     house  .
    IOB2     B-NP  B-VP    B-NP  I-NP   O
    IOBES    S-NP  S-VP    B-NP  E-NP   O

IOBES tells single tokens (S) and last ones (E) from others, so that features and transitions have
weights of their own for where a span ends [Ratinov & Roth 2009]. Labels without the prefix of a
span, such as parts of speech, are the same in both.

References
    L. Ratinov, D. Roth. Design challenges and misconceptions in named entity recognition. CoNLL
    2009.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from wordrbm.errors import WordRBMError

OTHERS = {"L", "U", "M"}  # prefixes of schemes that IOBES could not tell from labels without spans
LAST = {"B": "S", "I": "E"}  # the prefix of the last token of a span, by its prefix in IOB2


def iob2_to_iobes(labels: Sequence[str]) -> list[str]:
    """The labels of a sentence in IOBES; they must be IOB2, see `is_iob2`."""
    result = []
    for label, following in pairwise([*labels, "O"]):
        prefix, dash, kind = label.partition("-")
        last = following != f"I{dash}{kind}"
        result.append(LAST[prefix] + dash + kind if prefix in LAST and last else label)
    return result


def iobes_to_iob2(labels: Sequence[str]) -> list[str]:
    """The spans of IOBES labels in IOB2; every sequence is accepted.

    A span begins at B, at S, and wherever I or E continue none of their type.
    """
    result, unfinished = [], None  # type of the span that the next token may continue
    for label in labels:
        prefix, dash, kind = label.partition("-")
        if prefix in ("B", "I", "E", "S"):
            continues = prefix in ("I", "E") and kind == unfinished
            label = ("I" if continues else "B") + dash + kind
        unfinished = kind if prefix in ("B", "I") else None
        result.append(label)
    return result


def is_iob2(labels: Sequence[str]) -> bool:
    """Whether IOBES and back leaves the labels of a sentence as they are, and none is BILOU's."""
    other = any(dash and prefix in OTHERS for prefix, dash, _ in (x.partition("-") for x in labels))
    return not other and iobes_to_iob2(iob2_to_iobes(labels)) == list(labels)


def check_iob2(sentences: Iterable[Sequence[str]]) -> None:
    """Refuse sentences whose labels are of another scheme."""
    for number, labels in enumerate(sentences, start=1):
        if not is_iob2(labels):
            raise WordRBMError(
                f"The labels of sentence {number} are {' '.join(labels[:8])} where --iobes expects "
                "IOB2 (B- begins every span, I- continues it); convert them, or leave --iobes out."
            )


def iob2_name(label: str) -> str:
    """The IOB2 label that an IOBES label becomes in a span of its type: `E-NP` is `I-NP`."""
    prefix, dash, kind = label.partition("-")
    return {"S": "B", "E": "I"}.get(prefix, prefix) + dash + kind
