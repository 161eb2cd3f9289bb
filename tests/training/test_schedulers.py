"""The examples of docs/many-machines.md, run on hosts of an emulated network.

Slurm itself runs the batch file. Of Kubernetes there are pods with their names, and the variables
that the training operator sets in them.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.network import is_possible

from tests.corpora import prepared
from tests.machines import machines
from tests.ranks import OPTIONS, REASON
from tests.run.test_training_run import final_files
from tests.slurm import slurm, slurm_is_installed
from tests.test_pages import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_possible(), reason="needs root, `ip netns` and TUN devices"),
]
NODES = 3
PORT = 23456  # of the rendezvous, if a job does not say


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a prepared corpus, and the model of one process."""
    pytest.importorskip("torch.distributed", reason=REASON, exc_type=ImportError)
    folder = tmp_path_factory.mktemp("shared")
    prepared(folder, stories=20)
    command = [sys.executable, "-m", "wordrbm", "train", "corpus", "--out", "whole", *OPTIONS]
    subprocess.run(list(map(str, command)), check=True, capture_output=True, cwd=folder)
    return folder


@pytest.fixture(autouse=True)
def programs(monkeypatch):
    """The programs of this environment are found by their names."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")


def example(language, first_line):
    """The block of the page that begins with a line."""
    page = (ROOT / "docs" / "many-machines.md").read_text()
    return re.search(rf"```{language}\n({first_line}.*?)```", page, re.DOTALL)[1]


@pytest.mark.skipif(not slurm_is_installed(), reason="needs Slurm: apt install slurm-wlm")
def test_slurm_runs_the_batch_file(folder, tmp_path, monkeypatch):
    text = example("sh", "#!/bin/bash").replace("nodes=4", f"nodes={NODES}")
    options = " ".join(["--distributed", *map(str, OPTIONS)])
    script = folder / "job.sh"
    script.write_text(text.replace("--distributed", options))
    with slurm(NODES, tmp_path, monkeypatch) as cluster:
        printed = cluster.run(script, folder)
    assert (folder / "model").exists(), printed
    assert final_files(folder / "model") == final_files(folder / "whole"), printed


def operator_variables(job):
    """What the operator sets in the pods of a job: its `elasticPolicy`, for torchrun."""
    policy, name = job["spec"]["elasticPolicy"], job["metadata"]["name"]
    return {
        "PET_RDZV_ENDPOINT": f"{name}-worker-0:{PORT}",
        "PET_RDZV_BACKEND": policy["rdzvBackend"],
        "PET_NNODES": f"{policy['minReplicas']}:{policy['maxReplicas']}",
        "PET_MAX_RESTARTS": str(policy["maxRestarts"]),
        "PET_NPROC_PER_NODE": job["spec"]["nprocPerNode"],
    }


def pod_command(container, folder, out):
    """The command of a container, on this folder instead of a mounted volume."""
    (mount,) = container["volumeMounts"]
    command = [word.replace(mount["mountPath"], str(folder)) for word in container["command"]]
    command[command.index("--out") + 1] = str(out)
    return [*command, *map(str, OPTIONS)]


def test_pods_of_the_job_find_each_other(folder, tmp_path):
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load(example("yaml", "apiVersion"))
    worker = job["spec"]["pytorchReplicaSpecs"]["Worker"]
    (container,) = worker["template"]["spec"]["containers"]
    variables = operator_variables(job) | {x["name"]: x["value"] for x in container["env"]}
    settings = [f"{name}={value}" for name, value in variables.items()]
    command = ["env", *settings, *pod_command(container, folder, tmp_path / "model")]
    names = [f"{job['metadata']['name']}-worker-{k}" for k in range(worker["replicas"])]
    with machines(names) as pods, (tmp_path / "log").open("w+") as log:
        processes = [pod.start(*command, stdout=log, stderr=log) for pod in pods]
        codes = [process.wait(timeout=600) for process in processes]
        log.seek(0)
        assert codes == [0] * len(pods), log.read()
    assert final_files(tmp_path / "model") == final_files(folder / "whole")
