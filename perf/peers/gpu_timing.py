# SPDX-License-Identifier: Apache-2.0
"""Device times of PyTorch's work, between CUDA events: called directly, and replayed from a CUDA graph."""
import json
import platform

import torch


def milliseconds(run, repeats, inner=1):
    """The median of `repeats` times of `inner` calls each."""
    for _ in range(2):
        run()
    times = []
    for _ in range(repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(inner):
            run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / inner)
    return sorted(times)[len(times) // 2]


def captured(run):
    """A function that replays the work from a CUDA graph, and its result; None if the work cannot be captured."""
    try:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            run()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = run()
        return graph.replay, result
    except RuntimeError:
        torch.cuda.synchronize()
        return None


def replayed(run, repeats, inner=20):
    """Milliseconds of a replay; None if the work cannot be captured."""
    capture = captured(run)
    return capture and milliseconds(capture[0], repeats, inner)


def write(path, measured, **context):
    """The measured entries with the properties of the machine."""
    context = {
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "python": platform.python_version(),
        **context,
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"context": context, "measured": measured}, file, indent=1)
        file.write("\n")
