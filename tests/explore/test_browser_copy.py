"""What the page offers to be copied, run: Python as it stands, commands through a real shell."""

import ast
import subprocess

import numpy as np
import pytest

from tests.explore.conftest import command

RECORD = 'wordrbm() {{ printf "%s\\0" "$@" > {0}/words; [ -t 0 ] || cat > {0}/input; }}\n{1}\n'
VIEWS = {
    "words": 1, "words?word=monday": 1, "text?text=the+king+isn't+100%25+gold": 2,
    "text?text=the+___+sees+___": 1, "units?unit=2&before=the+king+sees&after=the+king+gold": 2,
    "health?mix=the+king+sees": 3, "samples?seed=5": 1, "classifier?text=it's+50%25+-n+the+bank": 1,
    "tagger?text=the+DT%0Acat+NN%0A%0A-n+NN": 1,
}  # fmt: skip


def run_python(text):
    """Execute all but the last expression, and give the value of that."""
    tree = ast.parse(text)
    last = ast.Expression(tree.body.pop().value)
    names = {}
    exec(compile(tree, "copied", "exec"), names)
    value = eval(compile(last, "copied", "eval"), names)
    return value


def run_command(text, folder):
    """Let bash read the command, then run what it would have run."""
    (folder / "input").write_bytes(b"")
    script = RECORD.format(folder, text)
    subprocess.run(["bash", "-c", script], check=True, stdin=subprocess.DEVNULL, cwd=folder)
    words = (folder / "words").read_text().split("\0")[:-1]
    return command(*words, input=(folder / "input").read_bytes())


SLOW = ("health", "samples")  # plots, and a thousand sweeps of chains


@pytest.mark.parametrize(
    "view", [pytest.param(x, marks=pytest.mark.slow) if x.startswith(SLOW) else x for x in VIEWS]
)
def test_what_is_copied_runs(page, address, tmp_path, monkeypatch, view):
    monkeypatch.chdir(tmp_path)
    page.goto(f"{address}#{view}")
    page.wait_for_selector(f".copy >> nth={VIEWS[view] - 1}")
    page.wait_for_timeout(300)
    assert page.locator(".copy").count() == VIEWS[view]
    kinds = set()
    for button in page.locator(".copy button").all():
        name = button.inner_text()
        button.click()
        text = button.locator("xpath=..").locator("code").inner_text()
        kinds.add(name)
        if name.endswith("command"):
            if "wordrbm likelihood" not in text:  # minutes
                assert run_command(text, tmp_path).output is not None
        else:
            assert run_python(text) is not None
    assert kinds == {"Copy as Python", "Copy as command"}


def test_copied_answers_are_those_shown(page, address, session, tmp_path):
    page.goto(f"{address}#text?text=the+king+isn't+gold")
    page.wait_for_selector(".words button")
    page.click("text=Copy as command >> nth=0")
    printed = run_command(page.inner_text(".copy code >> nth=0"), tmp_path).output
    shown = page.inner_text(".words").split("\n")[0::2]
    assert all(f"{word.strip()} " in printed for word in shown if word.strip() in ("king", "gold"))
    page.goto(f"{address}#units?unit=0&before=the+king+sees&after=the+king+gold")
    page.wait_for_selector("[aria-label='Terms of the free energy']")
    button = page.locator("[aria-label='Free energy'] .copy button").first
    button.click()
    value = run_python(page.inner_text("[aria-label='Free energy'] .copy code"))
    expected = session.model.free_energy(["the king sees", "the king gold"])
    np.testing.assert_allclose(value, expected)
