# SPDX-License-Identifier: Apache-2.0
"""Passes of seeds: sequences, and states and weights in tensors"""
C_INCLUDES = ("Seeds.hpp",)
PYTHON_INCLUDES = ("SeedPassArrays.hpp", "Texts.hpp")
IMPORTS = """
from pykindred._seed_types import Lifecycle
from pykindred._seeds import SeedLayer"""


class SeedModeCodes(Enum, c="KINDRED_MODES_", values="kindred kasmina_v2 kasmina_simple"):
    """What the codes in `mode` mean: those of KINDRED_APPLY_..., where another code copies the features; 0 linear, 1 multiplicative, every other
    code additive; 0 multiplicative, 1 additive, every other code mixed."""


class SeedSums(NamedTuple):
    """Arrays for the telemetry of :func:`forward_seeds`, ``[seeds]``; None: not computed.

    >>> x, weights = np.full((2, 4), 2, np.float32), np.full((1, 4), 3, np.float32)
    >>> sums = SeedSums(sum=np.empty(2, np.float32), count=np.empty(2, np.int64))
    >>> _ = forward_seeds(x, np.int32([3, 0]), np.int32([0, -1]), np.int32([0, 0]), np.float32([0.5, 0]), weights, telemetry=sums)
    >>> sums.sum, sums.count
    (array([8., 8.], dtype=float32), array([4, 4]))
    """

    sum: Array | None = None  #: of the elements of a seed's features: float32 or float64
    sum_of_squares: Array | None = None  #: float32 or float64
    count: Array | None = None  # type: ignore[assignment]  #: number of elements: int32, int64, float32 or float64


class SeedGradients(NamedTuple):
    """Gradients of :func:`forward_seeds`; None where ``out`` says that one is not computed.

    >>> x, weights = np.full((1, 2), 2, np.float32), np.full((1, 2), 3, np.float32)
    >>> backward_seeds(x, np.ones_like(x), np.int32([3]), np.int32([0]), np.int32([0]), np.float32([0.5]), weights).dalpha
    array([8.], dtype=float32)
    """

    dx: Any  #: ``[rows, hidden]``, of the type of x
    dweights: Any  #: float32 ``[blueprints, hidden]``: 0 where no seed applies a weight
    dalpha: Any  #: float32 ``[seeds]``: 0 for a seed that does not apply its blueprint linearly


class ArraysOfSeeds(Input, c="seed_arrays", cpp="SeedArrays", noun="seeds"):
    """The seeds of a pass; all tensors must be set. Their values are not checked: a seed changes its features if its lifecycle applies a
    blueprint, its mode has a meaning and its blueprint is a row of `weights`, and copies them otherwise."""
    lifecycle: Tensor  # int32, int8 or uint8, one per seed: KINDRED_SEED_...
    blueprint: Tensor  # int32, one per seed: rows of `weights`
    mode: Tensor  # int32, int8 or uint8, one per seed
    alpha: Tensor  # float32, one per seed; used as it is, also outside 0 ... 1
    weights: Tensor  # float32, blueprints * hidden
    chunk_size: U32 = 0  # features per seed, of which those behind the last seed belong to none; 0: chunks of equal width, as of a layer
    mode_codes: Modes(SeedModeCodes) = "kindred"
    fossilized_applies: Flag("true", "false") = True  # 0: a fossilized seed copies its features; nonzero: it applies its blueprint with an alpha of 1


class SumsOfSeeds(Input, c="seed_sums", cpp="SeedSums", noun="sums"):
    """The tensors that receive the telemetry of a pass, which replaces what they contain; one element per seed. NULL: not computed."""
    sum: Output("sums")  # float32 or float64
    sum_of_squares: Output("sums")  # float32 or float64
    count: Output("sums")  # int32, int64, float32 or float64


class SeedPassOptions(Options, c="seed_pass_options"):
    """Options of these passes."""
    space: Space = None  # for tensors on the host: serial or openmp; KINDRED_SPACE_ANY: chosen
    stream: Stream = None  # C: nonzero: `stream` orders a pass on a device
    workspace: Output("options")  # for a pass on a device: uint8 there, aligned to 64 bytes, with any contents; the next pass on the same stream may use it again. NULL if none is needed
    workspace_bytes: WorkspaceBytes  # not NULL: the call checks the seeds, x and `sums`, writes the size of the workspace that it needs there, 0 on the host, and computes nothing


class SeedSequence(Handle, c="seed_sequence", namespace="SeedSequences", noun="SeedSequence", header="kindred/matcher/SeedLayer.hpp"):
    """Forward passes of one or more layers of seeds on the same rows again and again, checked once: a run copies nothing.

    Python: On a device, the whole sequence is one call of the driver. After a change of a layer, the next run prepares it again. The layers and the
    arrays are kept alive; arrays must not be resized, and a layer must not change while another thread runs the sequence. Thread-safe
    otherwise: runs of one object follow each other. The context is that of the first layer.

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

    @gil("of_python")
    @hand("python")
    def create(context: OwnContext, options: SequenceOptions) -> New:
        """Creates a sequence without passes. A run is one launch per pass and, on a device, one call of the driver in all.

        C: Not thread-safe; the layers must not change during a call. The function that destroys it waits for the last run.

        C Args:
            options: of which `space`, where the rows are (KINDRED_SPACE_ANY: the host), and the stream are used; the stream must outlive the sequence

        Python Args:
            space: ``"serial"``, ``"openmp"`` or ``"cuda"``; None: where the rows of the first pass lie, on the host one thread for little work
            stream: of a device: orders the runs, and must outlive this object; None: the current stream of the library of the first rows

        Raises:
            InvalidType: ``stream`` is not a stream
            InvalidArgument: a stream is given for the host
        """

    @changes
    @hand("c", "python")
    def add(self, layer: Of(SeedLayer), x: Queries, out: RowsOut, telemetry: TelemetryFlag):
        """Appends a forward pass.

        C: The rows must stay in place as long as the sequence is used. The sequence keeps the layer alive.

        C Args:
            x,y: as for kindred_seeds_forward, in the memory of the space
            telemetry: KINDRED_TELEMETRY_NONE or KINDRED_TELEMETRY_LAST

        Python Args:
            layer: applied to the rows
            x: float32, float16 or bfloat16 ``[rows, hidden]``, used where it is; rows may lie apart
            out: ``[rows, hidden]`` of float32, float16 or bfloat16; may be ``x``
            telemetry: the run writes the telemetry of the layer's current epoch

        Returns:
            ``out``, or a new array of the type of x beside it, which runs write

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape does not fit, arrays overlap, lie elsewhere than those before or would have to be copied
            SpaceUnavailable: the pass cannot run in the space of the sequence
        """

    @gil("atomic")
    @hand("python")
    @python("__len__")
    def size(self) -> Size:
        """The number of passes."""

    @changes
    @hand("python")
    def run(self):
        """Runs all passes in order.

        C: On a device, fences only the first time and after a change of a layer; on the host, the results are complete on return.

        Python: On a device, does not wait: the stream orders the call.

        Raises:
            OutOfMemory: the weights of a layer do not fit
        """

    @changes
    @hand("python")
    def wait(self):
        """Waits for the last run, on a device."""

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.SeedSequence: closed>"
        return f"<pykindred.SeedSequence: {len(self)} passes>"


class SeedFunctions(Functions, namespace="SeedPasses", header="kindred/matcher/SeedFunctions.hpp"):
    """Passes of seeds whose state and weights are arrays."""

    @without("workspace_bytes")
    @cpp(name="Kindred::forward_seeds", order="context, seeds, x, y, sums, options")
    def forward_seeds(context: Context, seeds: ArraysOfC, x: PassRows, arrays: ArraysOfPython, y: RowsOut, sums: PassSums, options: SeedPassOptions,
                      size: WorkspaceSize("forward_seeds_workspace", ", sums_given")) -> Record:
        """Applies seeds, whose state and weights are arrays, to the rows of x.

        C: The bits are those of kindred_seeds_forward for the same state. All tensors are on the host, or all are on a device. There, the call does not fence, even without a stream of the caller, allocates
        nothing and copies nothing to the host, so that it can be captured in a CUDA graph.

        Python: The bits are those of :meth:`SeedLayer.forward`. All arrays lie on the host, or on one GPU; there the call is ordered by ``stream``, does not wait, and can be captured in a CUDA graph
        (call it once with the same types before). A seed whose codes have no meaning, or whose blueprint is not a row of ``weights``, copies
        its features.

        C Args:
            x,y: rows * hidden of float32, float16 or bfloat16; y may be x with the same element type and strides, and must not overlap any other tensor
            sums: telemetry, rounded once from double to the element types

        Python Args:
            x: float32, float16 or bfloat16 ``[rows, hidden]``; rows may lie apart
            lifecycle: int32, int8 or uint8 ``[seeds]``, codes of :class:`Lifecycle`
            blueprint: int32 ``[seeds]``, rows of ``weights``
            mode: int32, int8 or uint8 ``[seeds]``, codes of ``mode_codes``
            alpha: float32 ``[seeds]``
            weights: float32 ``[blueprints, hidden]``
            chunk_size: seed s owns the features from ``s · chunk_size``; 0: chunks of equal width
            mode_codes: ``"kindred"`` (0 linear, 1 multiplicative, 2 additive, 3 mixed; another code copies), ``"kasmina_v2"`` (0 linear,
                1 multiplicative, others additive) or ``"kasmina_simple"`` (0 multiplicative, 1 additive, others mixed)
            fossilized_applies: False: fossilized seeds copy their features
            telemetry: arrays that the call writes
            space: ``"serial"``, ``"openmp"`` or ``"cuda"`` instead of the dispatcher's choice
            out: ``[rows, hidden]`` of float32, float16 or bfloat16; may be x
            workspace: for arrays on a GPU whose library cannot make one: uint8 there

        Returns:
            ``out``, or a new array of the type of x beside it

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or an option does not fit, or arrays overlap
            SpaceUnavailable: the call cannot run in ``space``

        >>> x, weights = np.full((1, 4), 2, np.float32), np.full((1, 4), 3, np.float32)
        >>> forward_seeds(x, np.int32([3, 0]), np.int32([0, -1]), np.int32([0, 0]), np.float32([0.5, 0]), weights)
        array([[4., 4., 2., 2.]], dtype=float32)
        """

    @without("workspace_bytes")
    @cpp(name="Kindred::backward_seeds", order="context, seeds, x, gradient, dx, dweights, dalpha, options")
    def backward_seeds(context: Context, seeds: ArraysOfC, x: PassRows, gradient: Gradient, arrays: ArraysOfPython, dx: PassGradients, dweights: PassOutput,
                       dalpha: PassOutput, options: SeedPassOptions, size: WorkspaceSize("backward_seeds_workspace")) -> PassRecord:
        """The gradients of `forward_seeds` with respect to x, the weights and the alphas. Other arguments as there.

        C: Fences as it does.

        C Args:
            gradient: with respect to y, of the element type and shape of x
            dx: of the type and shape of x; may be `gradient`
            dweights: float32, blueprints * hidden; NULL: not computed
            dalpha: float32, one per seed; NULL: not computed

        Python Args:
            gradient: with respect to y, of the type and shape of x
            out: ``(dx, dweights, dalpha)``: arrays for the results. None as dx: a new array; as another: not computed. ``dx`` may be
                ``gradient``.

        Returns:
            the gradients: ``dx`` of the shape and type of x; ``dweights``, float32 ``[blueprints, hidden]``; ``dalpha``, float32 ``[seeds]``

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or an option does not fit, or arrays overlap
            SpaceUnavailable: the call cannot run in ``space``

        >>> x, weights = np.full((1, 4), 2, np.float32), np.full((1, 4), 3, np.float32)
        >>> state = np.int32([3, 0]), np.int32([0, -1]), np.int32([0, 0]), np.float32([0.5, 0])
        >>> gradients = backward_seeds(x, np.ones_like(x), *state, weights)
        >>> gradients.dx, gradients.dweights, gradients.dalpha
        (array([[2., 2., 1., 1.]], dtype=float32), array([[1., 1., 0., 0.]], dtype=float32), array([8., 0.], dtype=float32))
        """
