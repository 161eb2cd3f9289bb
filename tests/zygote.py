"""Real processes that start at once: forked from one that has everything imported and compiled.

A test of kill -9 needs a process to kill, a planted bug an interpreter that has never seen the
package; a fresh one takes seconds to begin. A `Zygote` is a process that reads one JSON request a
line:

    {"start": [arguments of the command], "log": path}  ->  the child's process number
    {"wait": process number}                            ->  its exit code, negative for a signal

Run as a module this file is the zygote of the command `wordrbm`; `tests/pytest_zygote.py` is that
of pytest in a copy of the package.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

ROOT = Path(__file__).parent.parent


class Zygote:
    """The test's end of it."""

    def __init__(self, module="tests.zygote", **environment):
        command = [sys.executable, "-m", module]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | environment, text=True, **pipes
        )
        assert self._answer() == "ready"

    def start(self, *arguments, log):
        """Run the command with these arguments in a new process; gives its number."""
        return self._ask({"start": [str(argument) for argument in arguments], "log": str(log)})

    def wait(self, child):
        """The exit code, negative for a signal as `subprocess` has it."""
        return self._ask({"wait": child})

    def run(self, *arguments, log):
        """Run a command to its end; gives the exit code."""
        return self.wait(self.start(*arguments, log=log))

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def _ask(self, request):
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return self._answer()

    def _answer(self):
        return json.loads(self.process.stdout.readline())


def serve(command):
    """The process's end of it: `command` runs in every child and returns its exit code."""
    _say("ready")
    for line in sys.stdin:
        request = json.loads(line)
        if "start" in request:
            _say(_start(command, request["start"], request["log"]))
        else:
            _say(os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1]))


def _warm_up():
    """Import and compile all that a run needs, so that the children have it."""
    from tests.corpora import prepared
    from tests.run.test_training_run import finish, run

    with tempfile.TemporaryDirectory() as folder:
        finish(run(prepared(Path(folder), stories=8), Path(folder) / "model"))


def _say(answer):
    print(json.dumps(answer), flush=True)


def _start(command, arguments, log):
    child = os.fork()
    if child == 0:
        try:
            _become(command, arguments, log)
        except KeyboardInterrupt:  # before the command began, or after its end: as Python does it
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(99)  # not reached: the command returns a code or ends by a signal
    return child


def _become(command, arguments, log):
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(output, stream)
    code = command(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _wordrbm(arguments):
    from wordrbm.cli.app import main

    sys.argv = ["wordrbm", *arguments]
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0


if __name__ == "__main__":
    _warm_up()
    serve(_wordrbm)
