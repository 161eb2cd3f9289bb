"""The times of a run: seconds spent on updates, and when the next checkpoint is due."""

import time


class Clock:
    """Runs during updates and stands still while the model is scored or saved."""

    def __init__(self, between_checkpoints: float) -> None:
        self.between_checkpoints = between_checkpoints
        self.seconds = 1e-9  # spent on updates since this process began; something divides by it
        self._lap = self._saved = time.monotonic()

    def stop(self) -> None:
        """An update is done."""
        self.seconds += time.monotonic() - self._lap

    def go_on(self) -> None:
        """The next update begins."""
        self._lap = time.monotonic()

    def a_checkpoint_is_due(self) -> bool:
        """True once in every so many seconds."""
        now = time.monotonic()
        due = now - self._saved > self.between_checkpoints
        if due:
            self._saved = now
        return due
