# SPDX-License-Identifier: Apache-2.0
"""Prints the time of small calls of layers and seeds, whose work takes about 2 µs in C++: with NumPy arrays, with tensors of PyTorch, and as
operators of PyTorch. Not a test; run it by hand where nothing else runs."""
import importlib.util
import time

import numpy as np

import pykindred


def microseconds(call, calls=20, repetitions=1000):
    """The least time of a call, of several."""
    for _ in range(200):
        call()
    least = float("inf")
    for _ in range(repetitions):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        least = min(least, (time.perf_counter() - begin) / calls)
    return least * 1e6


def arguments():
    """x, y, the inputs of each layer, and those of seeds."""
    random = np.random.default_rng(0)
    x, w = random.random((2, 8), np.float32), random.random((4, 8), np.float32)
    codes = [np.array(given, np.int32) for given in ([3, 0], [0, 0], [0, 0])]
    return (x, np.empty_like(x), np.empty((2, 4), np.float32), (x, np.ones(8, np.float32), np.zeros(8, np.float32)), (x, w, np.zeros(4, np.float32)),
            (x, *codes, np.full(2, 0.5, np.float32), w[:1].copy()))


def report(title, calls):
    times = ", ".join(f"{name} {microseconds(call):.2f}" for name, call in calls.items())
    print(f"{title}: {times} µs", flush=True)


def functions(given, with_out):
    _, y, z, norm, linear, seeds = given
    out, out_linear = ({"out": y}, {"out": z}) if with_out else ({}, {})
    return {"layer_norm_act": lambda: pykindred.layer_norm_act(*norm, **out), "linear_act": lambda: pykindred.linear_act(*linear, **out_linear),
            "forward_seeds": lambda: pykindred.forward_seeds(*seeds, **out)}


def main():
    given = arguments()
    report("NumPy", functions(given, False))
    report("NumPy, out=", functions(given, True))
    if importlib.util.find_spec("torch") is None:
        return
    import torch

    import pykindred.torch as operators
    torch.set_num_threads(1)

    def tensors(one):
        return tuple(map(tensors, one)) if isinstance(one, tuple) else torch.from_numpy(one)
    given = tensors(given)
    report("tensors, out=", functions(given, True))
    _, _, _, norm, linear, seeds = given
    report("operators", {"layer_norm_act": lambda: operators.layer_norm_act(*norm), "linear_act": lambda: operators.linear_act(*linear),
                         "seed_forward": lambda: operators.seed_forward(*seeds)})
    norm, linear, seeds = [(one[0].clone().requires_grad_(), *one[1:]) for one in (norm, linear, seeds)]
    report("operators that record gradients", {"layer_norm_act": lambda: operators.layer_norm_act(*norm),
                                               "linear_act": lambda: operators.linear_act(*linear), "seed_forward": lambda: operators.seed_forward(*seeds)})


if __name__ == "__main__":
    main()
