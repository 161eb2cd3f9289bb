import json

import wordrbm
from wordrbm.cli import doctor


def test_the_report_names_versions_machine_and_cache(run_command):
    code, output, _ = run_command("wordrbm", "doctor", "--no-self-test")
    assert code == 0
    assert f"wordrbm {wordrbm.__version__}" in output
    for word in ("numpy", "cores", "free memory", "BLAS", "compiled code"):
        assert word in output


def test_json_has_every_part_and_the_self_test(run_command):
    code, output, _ = run_command("wordrbm", "doctor", "--json")
    report = json.loads(output)
    assert code == 0
    assert report["machine"]["cores"] >= 1
    assert report["machine"]["free_memory"] is None or report["machine"]["free_memory"] > 0
    assert report["blas"][0]["internal_api"]
    assert all(check["passed"] for check in report["self_test"])


def test_a_failed_check_is_exit_code_2(run_command, monkeypatch):
    from wordrbm.run import self_test

    failed = [self_test.Check("exact", False, "log Z 1 and 2", 0.1)]
    monkeypatch.setattr(self_test, "run_self_test", lambda: failed)
    code, output, errors = run_command("wordrbm", "doctor")
    assert code == 2
    assert "FAILED exact" in output
    assert "wordrbm: The self-test failed (exact); reinstall" in errors


def test_a_missing_package_comes_with_the_command_to_install_it(monkeypatch):
    report = {
        "versions": {}, "optional": {"spacy": None}, "blas": [],
        "machine": doctor.describe_machine() | {"free_memory": None},
        "compiled_code": {"folder": None, "files": 0, "bytes": 0},
    }  # fmt: skip
    lines = list(doctor._lines(report))
    assert "  spacy            not installed (pip install 'wordrbm[spacy]')" in lines
    assert any("free memory unknown" in line for line in lines)
