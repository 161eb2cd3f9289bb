"""Real processes that start at once: forked from one that has everything imported and compiled.

A test of kill -9 needs a process to kill, a planted bug an interpreter that has never seen the
package; a fresh one takes seconds to begin. A `Zygote` is a process that reads one JSON request a
line:

    {"start": [arguments of the command], "log": path, ...}  ->  the child's process number
    {"wait": process number}                   ->  its exit code, negative for a signal

Run as a module this file is the zygote of the command `wordrbm`; `tests/pytest_zygote.py` is that
of pytest in a copy of the package. A test that only needs the command in a process of its own calls
`wordrbm`, and one that watches or stops it makes a `Process`.
"""

import atexit
import functools
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAX_SECONDS = 900  # after which a child is ended: none may hang
_ENVIRONMENT = dict(os.environ)


class Zygote:
    """The test's end of it."""

    def __init__(self, module="tests.zygote", imports=(), **environment):
        """Start it; the modules `imports` are imported there too."""
        command = [sys.executable, "-m", module, *imports]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | environment, text=True, **pipes
        )
        assert self._answer() == "ready"

    def start(self, *arguments, log, **options):
        """Run the command with these arguments in a new process; gives its number.

        Options are the files `errors` (the log if there is none) and `input`, `environment`, and
        `code`, which is executed there before the command.
        """
        words = [str(argument) for argument in arguments]
        return self._ask({"start": words, "log": str(log), **options})

    def wait(self, child):
        """The exit code, negative for a signal as `subprocess` has it."""
        return self._ask({"wait": child})

    def run(self, *arguments, log, **options):
        """Run a command to its end; gives the exit code."""
        return self.wait(self.start(*arguments, log=log, **options))

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def _ask(self, request):
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return self._answer()

    def _answer(self):
        return json.loads(self.process.stdout.readline())


@functools.cache
def command_zygote():
    """The zygote of the command `wordrbm` that all tests of this process share."""
    zygote = Zygote()
    atexit.register(zygote.close)
    return zygote


def wordrbm(*arguments, input="", env=None, **options):
    """Run the command as `subprocess.run` would, with its output captured."""
    with tempfile.TemporaryDirectory() as folder:
        given, log, errors = (Path(folder, name) for name in ("input", "log", "errors"))
        given.write_text(input)
        options |= {"errors": str(errors), "input": str(given)}
        code = command_zygote().run(
            *arguments, log=log, environment=dict(env or os.environ), **options
        )
        return subprocess.CompletedProcess(arguments, code, log.read_text(), errors.read_text())


class Process:
    """A command that runs while the test reads what it prints, as `subprocess.Popen` has it."""

    def __init__(self, *arguments, pipes=("stderr",), errors=os.devnull, **options):
        """Start it with pipes to `stdin`, `stdout` and `stderr` as named; `errors` is a file."""
        self.zygote, self.returncode = command_zygote(), None
        with tempfile.TemporaryDirectory() as folder:
            names = {name: f"{folder}/{name}" for name in pipes}
            for name, path in names.items():
                os.mkfifo(path)
                flags = os.O_RDWR if name == "stdin" else os.O_RDONLY | os.O_NONBLOCK
                file = os.open(path, flags)  # at once: the other end is opened by the zygote
                os.set_blocking(file, True)
                setattr(self, name, os.fdopen(file, "w" if name == "stdin" else "r"))
            if "stdin" in names:
                options["input"] = names["stdin"]
            self.pid = self.zygote.start(
                *arguments,
                log=names.get("stdout", os.devnull),
                errors=names.get("stderr", str(errors)),
                environment=dict(os.environ) | options.pop("environment", {}),
                **options,
            )

    def send_signal(self, number):
        os.kill(self.pid, number)

    def wait(self):
        self.returncode = self.zygote.wait(self.pid)
        return self.returncode


def serve(command):
    """The process's end of it: `command` runs in every child and returns its exit code."""
    gc.freeze()  # a collection in a child would copy all the memory it shares with this process
    _say("ready")
    for line in sys.stdin:
        request = json.loads(line)
        if "start" in request:
            _say(_start(command, request.pop("start"), **request))
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


def _start(command, arguments, log, errors=None, input=os.devnull, **options):
    """Fork a child; its files are open when this returns, so that a pipe has both its ends."""
    writing = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOCTTY
    paths = ((input, os.O_RDONLY), (log, writing), (errors or log, writing))
    files = [os.open(path, flags) for path, flags in paths]
    child = os.fork()
    if child == 0:
        try:
            _become(command, arguments, files, **options)
        except KeyboardInterrupt:  # before the command began, or after its end: as Python does it
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(99)  # not reached: the command returns a code or ends by a signal
    for file in files:
        os.close(file)
    return child


def _become(command, arguments, files, environment=None, code=""):
    os.setsid()
    signal.alarm(MAX_SECONDS)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream, file in enumerate(files):
        os.dup2(file, stream)
        os.close(file)
    # The old objects took note of what their files can do.
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for as long as the process lives
    sys.stdout = open(1, "w", buffering=1 if os.isatty(1) else -1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment or _ENVIRONMENT)
    exec(code, {})
    status = command(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _wordrbm(arguments):
    from wordrbm.cli.app import main

    sys.argv = ["wordrbm", *arguments]
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0


if __name__ == "__main__":
    for name in sys.argv[1:]:
        import_module(name)
    _warm_up()
    serve(_wordrbm)
