import subprocess
import sys

import joblib
import numpy as np

from wordrbm import CategoricalRBM

X = np.array([[0, 3], [2, 0], [1, 1]] * 10)
GO_ON = """
import sys, joblib, numpy as np
model = joblib.load(sys.argv[1], mmap_mode="r")
X = np.array([[0, 3], [2, 0], [1, 1]] * 10)
model.sample(3), model.transform(X), model.score(X)
joblib.dump(model.partial_fit(X), sys.argv[2])
"""


def test_a_model_in_a_memory_map_goes_on_learning(tmp_path):
    """In a process of its own, for a write to such an array ends it."""
    model = CategoricalRBM(3, dimension=4, n_iter=2, batch_size=16, chains=16, random_state=0)
    joblib.dump(model.fit(X), tmp_path / "model")
    kept = (tmp_path / "model").read_bytes()
    command = [sys.executable, "-c", GO_ON, str(tmp_path / "model"), str(tmp_path / "on")]
    assert subprocess.run(command, timeout=120).returncode == 0
    again, model = joblib.load(tmp_path / "on"), model.partial_fit(X)
    np.testing.assert_array_equal(again.rbm_.D, model.rbm_.D)
    assert again._learner.rbm is again.rbm_
    assert (tmp_path / "model").read_bytes() == kept
