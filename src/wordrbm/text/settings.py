"""What a prepared corpus depends on besides its text; the number of workers is not part of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PrepareSettings:
    """How many words to keep, which are too rare, how much to hold out, where JSON has the text."""

    vocabulary_size: int = 100_000
    min_count: int = 1
    heldout: float = 0.01
    field: str = "text"

    def problems(self) -> list[str]:
        """Why no corpus could be prepared with these settings; nothing if one can."""
        wrong = []
        if self.vocabulary_size < 1:
            wrong.append(f"the vocabulary size is {self.vocabulary_size} but must be at least 1")
        if self.min_count < 1:
            wrong.append(f"the minimum count is {self.min_count} but must be at least 1")
        if not 0.0 <= self.heldout < 0.5:  # also refuses a NaN
            wrong.append(f"the held-out share is {self.heldout} but must be from 0 to below 0.5")
        if not self.field:
            wrong.append("the field is empty but must name where JSON lines keep their text")
        return wrong
