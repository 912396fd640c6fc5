# SPDX-License-Identifier: Apache-2.0
"""Fused layers: lists of them, on the host or on a device"""
C_INCLUDES = ("Layers.hpp",)
PYTHON_INCLUDES = ("Prepared.hpp",)


class SharedContextOfCall(Context):
    c_value = "shared"


class LayerList(Kind):
    """Structs of the type {0}, which are the layers {1} of C++."""
    c = ("const kindred_{0}* const* {n}", "size_t count")
    c_lines = ("LayerCall call;",)

    def __init__(self, struct, layer):
        super().__init__(struct)
        self.c_value = f'call.layers<{layer}>(span_of({{n}}, count, "{{n}}"), kindred_{struct} KINDRED_{struct.upper()}_INIT)'


class WorkspaceBytes(Kind):
    c = ("size_t* {n}?",)


class LayerRows(Queries):
    """A matrix, by which the other arguments of Python lie."""
    python = ("{n}: Array",)


class GivenList(Kind):
    """An argument of Python of the type {0}."""
    python = ("{n}: {0}",)


class Named(Kind):
    """The same by name."""
    python = ("* {n}: {0}",)


class NormResult(Result):
    python = "Any"
    wrap = "NormResults(*found) if isinstance(found := {call}, tuple) else found"


class LinearResult(Result):
    python = "Any"


class NormGradientResult(Result):
    python = "NormGradients"
    wrap = "NormGradients(*{call})"


class LinearGradientResult(Result):
    python = "LinearGradients"
    wrap = "LinearGradients(*{call})"


class InputField(Field):
    members = ("const DLTensor* {n}",)
    defaults = ("NULL",)


class OutputField(Field):
    members = ("DLTensor* {n}",)
    defaults = ("NULL",)
    c_value = 'optional_output_array_of(given.{n}, "options.{n}").value_or(Array())'  # of options


class EpsilonField(Field):
    members = ("float {n}",)
    defaults = ("1e-5F",)


class LayerActivation(Enum, c="KINDRED_ACTIVATION_", values="none relu gelu"):
    """What follows a layer; GELU is the one with erf."""


class LayerOptions(Options, c="layer_options", hand="python"):
    """Options of a call."""
    reproducible: Flag("true", "false") = False  # the same bits on every space, but slower; C: of linear layers; nonzero: the same bits on every space, but slower
    space: Space = None  # instead of the choice by the amount of work; C: KINDRED_SPACE_ANY: the device for tensors there, otherwise the host
    stream: Stream = None
    workspace: Output = None  # for a call on a stream that is not prepared: uint8 on the device, aligned to 256 bytes, with any contents; the next call on the same stream may use it again. NULL: the context keeps one per stream


class NormLayer(Options, c="norm_layer", alone=True):
    """y = act((x - mean) / sqrt(variance + epsilon) * gamma + beta), row by row.

    Matrices have elements of float32, float16 or bfloat16, and may have gaps between their rows. Vectors are float32 without gaps; NULL vectors of input stand for their defaults, NULL outputs are
    not computed. This holds for all kinds of layers.
    """
    x: Input = None  # rows * columns
    y: Output = None  # of the shape of x; may be x with the same element type and strides
    gamma: Input = None  # one per column; NULL: 1
    beta: Input = None  # one per column; NULL: 0
    mean: Output = None  # output, one per row
    variance: Output = None  # output, one per row
    epsilon: Epsilon = 1e-5  # normal and positive
    activation: LayerActivation = "gelu"


class LinearLayer(Options, c="linear_layer", alone=True):
    """y = act(x W^T + bias)."""
    x: Input = None  # rows * inputs
    w: Input = None  # outputs * inputs, of the element type of x
    bias: Input = None  # one per output; NULL: none
    y: Output = None  # rows * outputs; overlaps neither x nor w
    activation: LayerActivation = "none"


class NormGradient(Options, c="norm_gradient", alone=True):
    """The backward pass of a norm layer with the same x, gamma, beta, epsilon and activation."""
    x: Input = None
    gradient: Input = None  # with respect to y; of the shape of x, any element type
    dx: Output = None  # of the shape and element type of x; may be `gradient` with the same element type and strides
    gamma: Input = None
    beta: Input = None
    dgamma: Output = None  # output, one per column
    dbeta: Output = None  # output, one per column
    epsilon: Epsilon = 1e-5
    activation: LayerActivation = "gelu"


class LinearGradient(Options, c="linear_gradient", alone=True):
    """The backward pass of a linear layer with the same x, w, bias and activation."""
    x: Input = None
    w: Input = None
    bias: Input = None
    gradient: Input = None  # with respect to y: rows * outputs, any element type
    dx: Output = None  # output, rows * inputs
    dw: Output = None  # output, outputs * inputs
    dbias: Output = None  # output, one per output
    activation: LayerActivation = "none"


class NormResults(NamedTuple):
    """A normalised matrix, with the statistics of its rows.

    >>> layer_norm_act(np.float32([[1, 3], [2, 2]]), statistics=True).mean
    array([2., 2.], dtype=float32)
    """

    y: Any  #: [rows, columns]
    mean: Any  #: float32 [rows]
    variance: Any  #: float32 [rows]


class NormGradients(NamedTuple):
    """Gradients of :func:`layer_norm_act`; None where ``out`` says that one is not computed.

    >>> layer_norm_act_backward(np.float32([[1, 3]]), np.float32([[1, 1]]), eps=1e-12, activation="none").dweight
    array([-1.,  1.], dtype=float32)
    """

    dx: Any  #: of the shape and type of x
    dweight: Any  #: float32 [columns]
    dbias: Any  #: float32 [columns]


class LinearGradients(NamedTuple):
    """Gradients of :func:`linear_act`; None where ``out`` says that one is not computed.

    >>> linear_act_backward(np.float32([[1, 2]]), np.float32([[1]]), np.float32([[3, 4]])).dweight
    array([[1., 2.]], dtype=float32)
    """

    dx: Any  #: [rows, inputs], of the type of x
    dweight: Any  #: [outputs, inputs], of the type of weight
    dbias: Any  #: float32 [outputs]


class Layers(Functions, header="kindred/matcher/FusedLayers.hpp", namespace="Layers"):
    """Fused layers and their gradients.

    C: A call takes `count` pointers to layers; no layer may read what another one writes. If `prepared` is not NULL, it receives the prepared call, which does not run yet; this fences the stream, which must outlive it. If
    `workspace_bytes` is not NULL, it receives the bytes of the workspace that the call uses on a stream, and nothing else happens; they are 0 for tensors on the host.
    """

    @only("c")
    @cpp(name="call.run")
    def norm_layers(context: SharedContextOfCall, layers: LayerList("norm_layer", "NormLayer"), options: LayerOptions, prepared: Preparation, workspace_bytes: WorkspaceBytes):
        """Computes norm layers, on a device one launch per layer. On a stream, which must outlive the context, does not fence, and can be captured in a CUDA graph after a call of the same element types. They need no workspace."""

    @only("c")
    @cpp(name="call.run")
    def linear_layers(context: SharedContextOfCall, layers: LayerList("linear_layer", "LinearLayer"), options: LayerOptions, prepared: Preparation, workspace_bytes: WorkspaceBytes):
        """Computes linear layers, likewise. Most need no workspace. If they need one, a call on a stream fences when the one that the context keeps must grow; it can be captured only with a workspace of the caller."""

    @only("c")
    @cpp(name="call.run")
    def norm_gradients(context: SharedContextOfCall, layers: LayerList("norm_gradient", "NormGradient"), options: LayerOptions, prepared: Preparation, workspace_bytes: WorkspaceBytes):
        """Computes gradients of norm layers, likewise. They need a workspace."""

    @only("c")
    @cpp(name="call.run")
    def linear_gradients(context: SharedContextOfCall, layers: LayerList("linear_gradient", "LinearGradient"), options: LayerOptions, prepared: Preparation, workspace_bytes: WorkspaceBytes):
        """Computes gradients of linear layers, likewise. They need a workspace."""

    @only("python")
    @hand("python")
    @without("reproducible", "workspace")
    def layer_norm_act(x: LayerRows, weight: GivenList("Array | None = None"), bias: GivenList("Array | None = None"), eps: Named("float = 1e-5"),
                       activation: Named('str = "gelu"'), statistics: Named("bool = False"), options: LayerOptions, out: Named("Array | None = None"),
                       context: SharedContextOfCall, prepared: Preparation) -> NormResult:
        """``act((x − mean) / √(variance + eps) · weight + bias)`` of every row, with the same bits on every space.

        All arrays lie on the host, or on one GPU. There the call is ordered by ``stream``, does not wait, and can be captured in a CUDA graph
        if the library of x captures; call it once with the same shapes and types before. Gradients and some linear layers need a workspace,
        which PyTorch and CuPy allocate; for arrays of another library the context keeps one, and such calls cannot be captured.

        Args:
            x: float32, float16 or bfloat16 [rows, columns]; there may be gaps between rows
            weight: float32 [columns]; None: 1
            bias: float32 [columns]; None: 0
            eps: is added to the variance
            activation: ``"gelu"`` (with erf), ``"relu"`` or ``"none"``
            statistics: also return mean and variance of the rows, as :class:`NormResults`
            out: of the shape of x, float32, float16 or bfloat16; may be x itself
            stream: of the GPU; None: the current stream of the library of x. It must outlive the context.

        Returns:
            ``out``, or a new array of the type of x beside it

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or an option does not fit

        >>> layer_norm_act(np.float32([[1, 3]]), eps=1e-12, activation="none")
        array([[-1.,  1.]], dtype=float32)
        """

    @only("python")
    @hand("python")
    @without("reproducible", "workspace")
    def layer_norm_act_backward(x: LayerRows, gradient: GivenList("Array"), weight: GivenList("Array | None = None"), bias: GivenList("Array | None = None"),
                                eps: Named("float = 1e-5"), activation: Named('str = "gelu"'), options: LayerOptions,
                                out: Named("tuple[Array | None, Array | None, Array | None] | None = None"), context: SharedContextOfCall,
                                prepared: Preparation) -> NormGradientResult:
        """The gradients of `layer_norm_act` with respect to x, weight and bias, with the same bits on every space. Other arguments as there.

        Args:
            gradient: with respect to the result: of the shape of x; float32, float16 or bfloat16
            out: ``(dx, dweight, dbias)``: arrays for the results. None as dx: a new array; as another: not computed. ``dx`` may be ``gradient``.

        Returns:
            the gradients: ``dx`` of the shape and type of x; ``dweight`` and ``dbias``, float32 ``[columns]``

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or an option does not fit

        >>> layer_norm_act_backward(np.float32([[1, 3]]), np.float32([[1, 1]]), eps=1e-12, activation="none").dbias
        array([1., 1.], dtype=float32)
        """

    @only("python")
    @hand("python")
    @without("workspace")
    def linear_act(x: LayerRows, weight: GivenList("Array"), bias: GivenList("Array | None = None"), activation: Named('str = "none"'), options: LayerOptions,
                   out: Named("Array | None = None"), context: SharedContextOfCall, prepared: Preparation) -> LinearResult:
        """``act(x·weightᵀ + bias)``: a linear layer of PyTorch, followed by an activation. Arrays as for `layer_norm_act`.

        Args:
            x: float32, float16 or bfloat16 [rows, inputs]; there may be gaps between rows
            weight: [outputs, inputs], of the type of x
            bias: float32 [outputs]
            activation: ``"gelu"`` (with erf), ``"relu"`` or ``"none"``
            out: [rows, outputs] of float32, float16 or bfloat16

        Returns:
            ``out``, or a new array of the type of x beside it

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or an option does not fit

        >>> linear_act(np.float32([[1, 2]]), np.float32([[3, 4], [-1, 0]]), activation="relu")
        array([[11.,  0.]], dtype=float32)
        """

    @only("python")
    @hand("python")
    @without("workspace")
    def linear_act_backward(x: LayerRows, gradient: GivenList("Array"), weight: GivenList("Array"), bias: GivenList("Array | None = None"),
                            activation: Named('str = "none"'), options: LayerOptions,
                            out: Named("tuple[Array | None, Array | None, Array | None] | None = None"), context: SharedContextOfCall,
                            prepared: Preparation) -> LinearGradientResult:
        """The gradients of `linear_act` with respect to x, weight and bias. Other arguments as there.

        Args:
            gradient: with respect to the result: [rows, outputs] of float32, float16 or bfloat16
            out: ``(dx, dweight, dbias)``: arrays for the results. None as one of them: not computed.

        Returns:
            the gradients: ``dx`` and ``dweight`` of the shapes and types of x and weight; ``dbias``, float32 ``[outputs]``

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or an option does not fit

        >>> linear_act_backward(np.float32([[1, 2]]), np.float32([[1]]), np.float32([[3, 4]])).dx
        array([[3., 4.]], dtype=float32)
        """
