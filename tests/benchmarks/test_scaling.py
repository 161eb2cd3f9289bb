"""The predicted speed of several machines, where it can be told by hand."""

import pytest
from benchmarks.scaling import MODES, WORLDS, Measured

PERIODIC = MODES[1]


def measured(volume, unlimited):
    volumes = {mode: dict.fromkeys(WORLDS, volume) for mode in MODES}
    linked = {mode: {"none": unlimited[mode != "exact"]} for mode in MODES}
    return Measured(0.01, linked, volumes)


def test_a_free_network_gives_every_machine_its_speed():
    free = measured(1e-9, (0.005, 0.01))
    for mode in MODES:
        assert free.predicted(mode, 16, 1.0) == pytest.approx(16)
        assert free.measured_speed(mode, "none") == pytest.approx(2)


def test_bytes_take_their_time():
    slow = measured(1.25e6, (0.006, 0.011))  # 10 ms at 1 Gbit/s, and 1 ms to pack
    assert slow.predicted(PERIODIC, 4, 1.0) == pytest.approx(4 * 0.01 / 0.021)
    assert slow.predicted("exact", 4, 1.0) == pytest.approx(0.01 / (0.0025 + 0.01 + 0.001))
