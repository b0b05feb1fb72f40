"""The settings of parity and ReLU, shortened, train through the whole lab as their formulas say."""

from pathlib import Path

import numpy as np
import pytest

from elegans.lab.results import Result
from elegans.lab.session import Session
from elegans.lab.store import Store
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.activations import relu
from elegans.models.group_net import GroupNet
from elegans.models.power_parity import PowerParityNet
from elegans.papers.feature_emergence import presets
from elegans.tasks.composition import GroupComposition, Symmetric
from elegans.tasks.parity import SparseParity
from elegans.theory import power_nets, relu_nets
from elegans.theory.groups import symmetric
from elegans.training.stops import Steps

STEPS = 20


def both_ends(folder: Path, stage: Stage, model: PowerParityNet | GroupNet) -> list[dict[str, np.ndarray]]:
    run = Run(model, stage, keep=("start", "end"))
    result: Result = Session(Store.open(folder), 1).sweep(Sweep(run, seed=[0]))
    kept = result.arrays[0]
    return [{name: np.asarray(p, np.float64) for name, p in kept[when].items()} for when in ("start", "end")]


def test_parity_follows_its_gradient(tmp_path: Path) -> None:
    p, task = presets.parity(), SparseParity(6, 4)
    algorithm = p.algorithm.replace(batch=64)
    theta, end = both_ends(tmp_path, Stage(task, algorithm, Steps(STEPS)), PowerParityNet(5, k=4))
    x, y = (np.asarray(a, np.float64) for a in task.enumerate()[:2])
    for _ in range(STEPS):
        gradient = power_nets.regularised_gradient(theta, x, y, 4, 1e-3)
        theta = {n: part - 0.1 * gradient[n] for n, part in theta.items()}
    assert all(end[n] == pytest.approx(theta[n], abs=1e-10) for n in theta)


def test_relu_follows_its_gradient(tmp_path: Path) -> None:
    p = presets.z71_relu()
    algorithm = p.algorithm.replace(batch=36, precision="float64")
    stage = Stage(GroupComposition(Symmetric(3)), algorithm, Steps(STEPS))
    theta, end = both_ends(tmp_path, stage, GroupNet(5, activation=relu))
    for _ in range(STEPS):
        gradient = relu_nets.regularised_gradient(symmetric(3), theta, 1e-4)
        theta = {n: part - 0.05 * gradient[n] for n, part in theta.items()}
    assert all(end[n] == pytest.approx(theta[n], abs=1e-9) for n in theta)
