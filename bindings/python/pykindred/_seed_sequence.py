# SPDX-License-Identifier: Apache-2.0
from typing import Any

from pykindred import _kindred
from pykindred._closing import Closing
from pykindred._seed_layer import SeedLayer
from pykindred._types import Array, Stream


class SeedSequence(Closing):
    """Forward passes of one or more layers of seeds on the same rows again and again, checked once: a run copies nothing.

    On a device, the whole sequence is one call of the driver. After a change of a layer, the next run prepares it again. The layers and the
    arrays are kept alive; arrays must not be resized, and a layer must not change while another thread runs the sequence. Thread-safe
    otherwise: runs of one object follow each other. The context is that of the first layer.

    Args:
        space: ``"serial"``, ``"openmp"`` or ``"cuda"``; None: where the rows of the first pass lie, on the host one thread for little work
        stream: of a device: orders the runs, and must outlive this object; None: the current stream of the library of the first rows

    Raises:
        InvalidType: ``stream`` is not a stream
        InvalidArgument: a stream is given for the host

    >>> first, second = SeedLayer(4, 2), SeedLayer(4, 2)
    >>> for layer, factor in ((first, 3), (second, 5)):
    ...     weights = layer.add_blueprint("weights", np.full(4, factor, np.float32))
    ...     layer.update([0], lifecycle=[Lifecycle.fossilized], blueprint=[weights], alpha=[1])
    >>> x = np.ones((1, 4), np.float32)
    >>> sequence = SeedSequence()
    >>> y = sequence.add(second, sequence.add(first, x))
    >>> sequence.run()
    >>> y
    array([[15., 15.,  1.,  1.]], dtype=float32)
    """

    __slots__ = ("__weakref__", "_native")

    def __init__(self, *, space: str | None = None, stream: Stream = None) -> None:
        self._native = _kindred.SeedSequence(space, stream)

    def add(self, layer: SeedLayer, x: Array, *, out: Array | None = None, telemetry: bool = True) -> Any:
        """Appends a forward pass.

        Args:
            layer: applied to the rows
            x: float32, float16 or bfloat16 ``[rows, hidden]``, used where it is; there may be gaps between rows
            out: ``[rows, hidden]`` of float32, float16 or bfloat16; may be ``x``
            telemetry: the run writes the telemetry of the layer's current epoch

        Returns:
            ``out``, or a new array of the type of x beside it, which runs write

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape does not fit, arrays overlap, lie elsewhere than those before or would have to be copied
            SpaceUnavailable: the pass cannot run in the space of the sequence
        """
        return self._native.add(layer._native if isinstance(layer, SeedLayer) else layer, x, out, telemetry)

    def run(self) -> None:
        """Runs all passes in order. On a device, does not wait: the stream orders the call.

        Raises:
            OutOfMemory: the weights of a layer do not fit
        """
        self._native.run()

    def wait(self) -> None:
        """Waits for the last run, on a device."""
        self._native.wait()

    def __len__(self) -> int:
        """The number of passes."""
        return self._native.size()

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.SeedSequence: closed>"
        return f"<pykindred.SeedSequence: {len(self)} passes>"
