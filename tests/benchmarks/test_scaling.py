"""The predicted speed of several machines, where it can be told by hand."""

import pytest
from benchmarks.modes import MODES, windows_read
from benchmarks.scaling import WORLDS, Cost, Measured

PERIODIC = MODES[1]
# An update of a rank takes as long as one of a process that reads as much.
LOCAL = {world: windows_read(PERIODIC, world) / world for world in (1, *WORLDS)}


def measured(volume, packing):
    """An update of one host takes 10 ms."""
    volumes = {mode: dict.fromkeys(WORLDS, volume) for mode in MODES}
    seconds = {mode: packing + 0.01 * (0.5 if mode == "exact" else LOCAL[2]) for mode in MODES}
    linked = {mode: {"none": Cost(seconds[mode], seconds[mode])} for mode in MODES}
    return Measured(Cost(0.01, 0.01), linked, LOCAL, volumes)


def test_a_free_network_gives_every_machine_its_speed():
    free = measured(1e-9, 0.0)
    for mode in MODES:
        assert free.predicted(mode, 16, 1.0) == pytest.approx(16)
        assert free.measured_speed(mode, "none") == pytest.approx(2)


def test_bytes_take_their_time():
    slow = measured(1.25e6, 0.001)  # 10 ms at 1 Gbit/s, and 1 ms to pack
    assert slow.predicted(PERIODIC, 4, 1.0) == pytest.approx(0.01 / (0.0025 + 0.011))
    assert slow.predicted("exact", 4, 1.0) == pytest.approx(0.01 / (0.0025 + 0.01 + 0.001))
