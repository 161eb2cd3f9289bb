"""The shape of the tree: every module has its test file, and no file is too long to read."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
MAX_LINES = 260
# Modules, or rooms, without a test file of their name, and where their promises are tested.
TESTED_ELSEWHERE = {
    "experiments/documents/command.py": "experiments/documents/test_runs.py",
    "experiments/documents/table.py": "experiments/documents/test_runs.py",
    "experiments/mixing/command.py": "experiments/mixing/test_study.py",
    "src/wordrbm/api.py": "test_pages.py",  # as a user calls it
    "src/wordrbm/cli/": "cli/test_commands.py",  # small commands; those on new text: test_inference
    "src/wordrbm/errors.py": "cli/test_commands.py",  # every fault is one sentence
    "src/wordrbm/estimators/document_store.py": "estimators/test_document_rbm.py",
    "src/wordrbm/estimators/parameters.py": "estimators/test_categorical.py",
    "src/wordrbm/explore/": "explore/test_server.py",  # every question as the page asks it
    "src/wordrbm/inference/precision.py": "inference/test_features.py",
    "src/wordrbm/io/run_differences.py": "io/test_document_file.py",
    "src/wordrbm/kernels/alias.py": "sampling/test_proposals.py",
    "src/wordrbm/kernels/barrier.py": "training/test_update.py",  # threads that meet in an update
    "src/wordrbm/kernels/bigrams.py": "sampling/test_jumps.py",
    "src/wordrbm/kernels/document_jumps.py": "kernels/test_document_tempering.py",
    "src/wordrbm/kernels/tagger_finetune.py": "tagging/test_finetune.py",
    "src/wordrbm/models/": "models/test_contract.py",  # one contract for all models
    "src/wordrbm/run/evaluation.py": "run/test_training_run.py",
    "src/wordrbm/run/likelihood_run.py": "cli/test_heldout.py",
    "src/wordrbm/run/ranks.py": "training/test_distributed.py",
    "src/wordrbm/run/run_folder.py": "run/test_training_run.py",
    "src/wordrbm/sampling/metropolis.py": "sampling/test_operators.py",  # what all operators do
    "src/wordrbm/sampling/transition.py": "sampling/test_operators.py",
    "src/wordrbm/shapes.py": "conftest.py",  # shapes are checked while every test runs
    "src/wordrbm/trained_model.py": "inference",
    "src/wordrbm/training/compiled.py": "training/test_update.py",
    "src/wordrbm/training/document_chains.py": "training/test_document_trainer.py",
    "src/wordrbm/training/document_steps.py": "training/test_document_trainer.py",
    "src/wordrbm/training/parameter_exchange.py": "training/test_exchange.py",
    "src/wordrbm/training/table_exchange.py": "training/test_exchange.py",
    "src/wordrbm/training/transport.py": "training/test_exchange.py",
}


def modules():
    found = [ROOT / "src" / "wordrbm", ROOT / "experiments"]
    return [path for room in found for path in sorted(room.rglob("*.py"))]


def has_test_file(path):
    """Whether there is a `tests/io/test_vectors.py` for `src/wordrbm/io/vectors.py`.

    A compiled twin is tested with the module whose name it has.
    """
    base = ROOT / "src" / "wordrbm" if "src" in path.relative_to(ROOT).parts else ROOT
    relative = path.relative_to(base)
    if relative.parts[0] == "kernels":
        return any((ROOT / "tests").rglob(f"test_{relative.name}"))
    return (ROOT / "tests" / relative.parent / f"test_{relative.name}").exists()


def test_every_module_has_its_test_file():
    missing = {
        path.relative_to(ROOT).as_posix()
        for path in modules()
        if path.name not in ("__init__.py", "__main__.py") and not has_test_file(path)
    }
    listed = {name for name in missing for place in TESTED_ELSEWHERE if name.startswith(place)}
    assert missing - listed == set(), "write the test file, or say where these are tested"
    useless = [x for x in TESTED_ELSEWHERE if not any(name.startswith(x) for name in missing)]
    assert not useless, "these have their test file now: take them off the list"


def test_the_places_named_exist():
    for module, place in TESTED_ELSEWHERE.items():
        assert (ROOT / module).exists()
        assert (ROOT / "tests" / place).exists(), place


def test_no_file_is_too_long():
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in modules()
        if (lines := len(path.read_text("utf-8").splitlines())) > MAX_LINES
    }
    assert not long
