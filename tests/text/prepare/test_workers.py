import subprocess
import sys

import pytest

from wordrbm.errors import WordRBMError
from wordrbm.text.prepare import workers
from wordrbm.text.prepare.jobs import Job

SCRIPT = """
import wordrbm
import wordrbm.text.prepare.jobs

class Mine:
    pass

wordrbm.text.prepare.jobs.JOB_BYTES = 20
print(wordrbm.prepare(["texts"], "corpus", workers=2).ids.size)
import __main__
assert __main__.Mine is Mine
"""


def test_a_plain_script_needs_no_guard_for_workers(tmp_path):
    """A worker that ran the script again would print again, or die."""
    (tmp_path / "texts").mkdir()
    for number in range(5):
        (tmp_path / f"texts/{number}.txt").write_text("The cat sat on a mat.")
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "35\n", "")


def test_a_worker_that_dies_is_reported(tmp_path):
    pipe, other_end = workers.start_context().Pipe(duplex=False)
    other_end.close()
    worker = workers.Worker(Job(0, (tmp_path / "a.txt",), 0), Killed(), [0, 0], pipe)
    with pytest.raises(WordRBMError, match=r"reading .*a\.txt died with exit code -9"):
        workers.finish(worker)


def test_a_worker_loads_no_compiled_code():
    """Each worker would need 0.3 s and 80 MB more."""
    program = "import sys, wordrbm.text.prepare.workers; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


class Killed:
    """A process that the system ended for want of memory."""

    exitcode = -9

    def join(self):
        pass
