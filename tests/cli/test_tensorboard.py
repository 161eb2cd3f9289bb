import struct
import sys

import pytest

from tests.corpora import prepared
from tests.run.test_training_run import run
from wordrbm.cli.tensorboard import check_events, events
from wordrbm.cli.train import run_with_progress
from wordrbm.errors import WordRBMError

pytest.importorskip("tensorboardX")


def read(path):
    """The events of a file: length, a checksum of it, the event, a checksum of that."""
    from tensorboardX.proto.event_pb2 import Event

    data, found = path.read_bytes(), []
    while data:
        length = struct.unpack("<Q", data[:8])[0]
        found.append(Event.FromString(data[12 : 12 + length]))
        data = data[16 + length :]
    return found


def shown(folder):
    """What TensorBoard would show: a start takes away the points from its step on."""
    points = []
    for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns):
        for event in read(path):
            if event.HasField("session_log"):
                points = [point for point in points if point[0] < event.step]
            points += [(event.step, value.tag, value.simple_value) for value in event.summary.value]
    return points


def test_every_number_of_a_record_is_a_point_at_its_step(tmp_path):
    with events(tmp_path / "new" / "folder", first_step=1) as log:
        log({"step": 10, "acceptance": 0.5, "windows": 5120})
        log({"step": 20, "acceptance": 0.25})
        path = next((tmp_path / "new" / "folder").iterdir())
        assert len(read(path)) == 5, "what is logged is on the disk at once"
    assert shown(tmp_path / "new" / "folder") == [
        (10, "acceptance", 0.5),
        (10, "windows", 5120.0),
        (20, "acceptance", 0.25),
    ]
    assert read(path)[0].file_version == "brain.Event:2"


def test_a_resumed_run_shows_no_point_twice(tmp_path):
    for first, steps in (
        (1, (10, 20, 30)),
        (16, (20, 30, 40)),
    ):  # as fast as it can: no file is lost
        with events(tmp_path, first) as log:
            for step in steps:
                log({"step": step, "acceptance": float(first)})
    assert len(list(tmp_path.iterdir())) == 2
    found = [(step, number) for step, _, number in shown(tmp_path)]
    assert found == [(10, 1.0), (20, 16.0), (30, 16.0), (40, 16.0)]


def test_without_a_folder_the_package_is_not_needed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    monkeypatch.chdir(tmp_path)
    training = run(prepared(tmp_path / "text"), tmp_path / "model", windows=64, evaluations=1)
    last = run_with_progress(training, resume=False, quiet=True)
    assert last.scores is not None
    assert {path.name for path in tmp_path.iterdir()} == {"text", "model"}


def test_without_the_package_the_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("wordrbm.cli.tensorboard.find_spec", lambda name: None)
    with pytest.raises(WordRBMError, match=r"pip install 'wordrbm\[tensorboard\]'"):
        check_events(tmp_path / "new", tmp_path / "run")
    assert not (tmp_path / "new").exists()


def test_events_inside_the_run_are_refused_before_it_begins(tmp_path):
    for folder in (tmp_path / "run", tmp_path / "run" / "events"):
        with pytest.raises(WordRBMError, match="is in the folder of the run"):
            check_events(folder, tmp_path / "run")
    check_events(tmp_path / "run-events", tmp_path / "run")


def test_a_folder_that_is_a_file_is_told(tmp_path):
    (tmp_path / "file").write_text("mine")
    with (
        pytest.raises(WordRBMError, match="is a file where a folder is to be made"),
        events(tmp_path / "file", 1),
    ):
        pass


def test_a_full_disk_is_told_and_does_not_hang(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    with events(tmp_path, 1) as log:
        monkeypatch.setattr("tensorboardX.record_writer.RecordWriter.write", full)
        for step in range(20):  # more than a queue would take
            with pytest.raises(WordRBMError, match="No space left"):
                log({"step": step, "acceptance": 0.5})


def test_an_error_of_the_run_itself_passes_as_it_is(tmp_path):
    with pytest.raises(OSError, match="of the run"), events(tmp_path, 1):
        raise OSError("of the run")
