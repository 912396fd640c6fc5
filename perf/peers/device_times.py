# SPDX-License-Identifier: Apache-2.0
"""How the scripts of this folder time PyTorch on a device: the median of repeats between CUDA events, of plain calls and of
replays of a CUDA graph."""
import torch


def milliseconds(run, repeats, inner=1):
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


def replayed(run, repeats, inner=20):
    """Milliseconds of a replay, nothing where the work cannot be captured."""
    try:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            run()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run()
        return milliseconds(graph.replay, repeats, inner)
    except RuntimeError:
        torch.cuda.synchronize()
        return None
