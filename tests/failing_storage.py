"""A disk that fails once: the n-th call that writes, syncs, renames or removes raises an error.

A file that was written to through Python may fail once more, in the last write as it is closed.
"""

import io
import os
import pathlib
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import wordrbm.io.tensors as tensors

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
                _do_half(name, arguments, function)
                raise OSError(self.error, os.strerror(self.error))
            result = function(*arguments, **options)
            is_writer = isinstance(result, io.BufferedWriter | io.TextIOWrapper)
            return Writer(result, self) if is_writer and result.writable() else result

        return watched


class Writer:
    """A file whose last write, as it is closed, is one more call that may fail."""

    def __init__(self, file, calls):
        self.file, self.calls = file, calls

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        self.calls.watch("close", self.file.close)()


def _do_half(name, arguments, function):
    """A write that fails has often written something."""
    if name == "close":
        file = function.__self__
        file.flush()
        file.truncate(file.tell() // 2)
        file.close()
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
