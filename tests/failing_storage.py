"""A disk that fails once: the n-th call that writes, syncs, renames or removes raises an error."""

import os
import pathlib
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import wordrbm.artifacts.tensors as tensors

FUNCTIONS = [
    (os, "fsync"),
    (os, "replace"),
    (os, "open"),
    (pathlib.Path, "open"),
    (pathlib.Path, "touch"),
    (pathlib.Path, "mkdir"),
    (pathlib.Path, "unlink"),
    (pathlib.Path, "chmod"),
    (pathlib.Path, "write_text"),
    (tensors, "save_file"),
]


class Calls:
    """Counts the calls; the one numbered `fails_at` raises `error` after doing half its work."""

    def __init__(self, fails_at, error):
        self.count, self.fails_at, self.error, self.failed = 0, fails_at, error, ""

    def watch(self, name, function):
        def watched(*arguments, **options):
            self.count += 1
            if self.count == self.fails_at:
                self.failed = name
                _do_half(name, arguments)
                raise OSError(self.error, os.strerror(self.error))
            return function(*arguments, **options)

        return watched


def _do_half(name, arguments):
    """A write that fails has often written something."""
    if name == "write_text":
        arguments[0].write_bytes(arguments[1].encode()[: len(arguments[1]) // 2])
    if name == "save_file":
        arguments[1].write_bytes(b"\x40\0\0\0\0\0\0\0{half a head")


@contextmanager
def failing(fails_at=0, error=0):
    """Let the call numbered `fails_at` fail; 0 only counts them."""
    calls = Calls(fails_at, error)
    with ExitStack() as stack:
        for owner, name in FUNCTIONS:
            stack.enter_context(
                patch.object(owner, name, calls.watch(name, getattr(owner, name)), create=False)
            )
        yield calls
