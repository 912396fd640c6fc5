# SPDX-License-Identifier: Apache-2.0
"""Layers and seeds of Kindred as operators of PyTorch, with gradients, on the CPU and on GPUs.

The operators are ``torch.ops.kindred.*``: they have gradients, are compiled by ``torch.compile`` without graph breaks, and run on the
current stream, for which they do not wait. Nothing of PyTorch is linked. Importing ``pykindred`` does not import PyTorch; importing this module does.

>>> import torch, pykindred.torch
>>> x = torch.tensor([[1., 3.]], requires_grad=True)
>>> y = pykindred.torch.layer_norm_act(x, epsilon=1e-12, activation="relu")
>>> y.detach()
tensor([[0., 1.]])
>>> y.sum().backward()
>>> x.grad.shape
torch.Size([1, 2])

PyTorch 2.4 or newer. Element types are never cast: γ, β and biases are float32, whatever the type of x. All tensors of a call lie on one
device. Gradients of gradients are not available.
"""
from typing import Any

try:
    import torch  # type: ignore[import-not-found,unused-ignore]
except ImportError as error:
    raise ImportError("pykindred.torch needs PyTorch, which cannot be imported here: install the package torch, 2.4 or newer") from error

from pykindred import _kindred
from pykindred._context import Context
from pykindred._seed_passes import SeedSums

__all__ = ["layer_norm_act", "linear_act", "seed_forward"]

_library = torch.library.Library("kindred", "DEF")
_contexts: dict[int, Any] = {-1: None, 0: None}  # by the index of the GPU; None: the default context, of the host and the first GPU


def _context(tensor: torch.Tensor) -> Any:
    """The context for the device of a tensor."""
    index = tensor.get_device()
    try:
        return _contexts[index]
    except KeyError:
        return _contexts.setdefault(index, Context(device=index)._native)


def _like(tensor: torch.Tensor) -> torch.Tensor:
    """A new tensor of that shape and type without gaps."""
    if tensor.is_contiguous():
        return torch.empty_like(tensor)
    return torch.empty_like(tensor, memory_format=torch.contiguous_format)


def _plain(tensors: Any) -> Any:
    """Arguments as kernels take them: tensors without gradients, which operators compute by other operators."""
    if torch._C._any_requires_grad(*tensors):
        return [one.detach() if isinstance(one, torch.Tensor) else one for one in tensors]
    return tensors


def _stored(tensors: Any) -> Any:
    """Tensors with memory for every element: one of zeros that PyTorch does not store arrives as one zero with strides of 0."""
    return [one.contiguous() if isinstance(one, torch.Tensor) and 0 in one.stride() else one for one in tensors]


class _Operator:
    """An operator with a kernel for tensors of the CPU and of GPUs.

    Args:
        shapes: returns tensors of the shapes and types of the results
        function: the autograd.Function that the operator is where a tensor requires a gradient
    """

    _plain_keys: set[int] = set()  # sets of dispatch keys below which there is nothing but the kernel, once they were seen

    def __init__(self, schema: str, kernel: Any, shapes: Any, function: Any = None) -> None:
        name = schema[:schema.index("(")]
        _library.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
        self.call = getattr(torch.ops.kindred, name).default
        self._kernel = kernel
        self._function = function
        for key in ("CPU", "CUDA"):
            _library.impl(name, self._undifferentiated, key)
        torch.library.register_fake(f"kindred::{name}", shapes, lib=_library)
        if function is not None:
            _library.impl(name, self._differentiable, "Autograd", with_keyset=True)

    def _undifferentiated(self, *inputs: Any) -> Any:
        return self._kernel(*_stored(_plain(inputs)))

    def _differentiable(self, keys: Any, *inputs: Any) -> Any:
        if torch._C._any_requires_grad(*inputs):
            if torch.is_grad_enabled():
                return self._function.apply(keys, *inputs)
        elif keys.raw_repr() in self._plain_keys:
            return self._kernel(*inputs)
        return self.below(keys, inputs)

    def below(self, keys: Any, inputs: Any) -> Any:
        """Calls what is below the gradients: the kernel, unless a mode or a tensor of another kind intercepts the call."""
        if keys.raw_repr() in self._plain_keys:
            return self._kernel(*_plain(inputs))
        lower = keys & torch._C._after_autograd_keyset
        if lower.highestPriorityTypeId() in (torch._C.DispatchKey.CPU, torch._C.DispatchKey.CUDA):
            self._plain_keys.add(keys.raw_repr())
        with torch._C._AutoDispatchBelowAutograd():
            return self.call.redispatch(lower, *inputs)


# Normalisation

class _LayerNormAct(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    @staticmethod
    def forward(context: Any, keys: Any, *inputs: Any) -> Any:
        x, gamma, beta, context.epsilon, context.activation = inputs
        context.save_for_backward(x, gamma, beta)
        return _layer_norm_act.below(keys, inputs)

    @staticmethod
    def backward(context: Any, gradient: Any) -> Any:
        _, _, of_gamma, of_beta, _, _ = context.needs_input_grad
        x, gamma, beta = context.saved_tensors
        dx, dgamma, dbeta = _layer_norm_act_backward.call(gradient.contiguous(), x, gamma, beta, context.epsilon, context.activation, of_gamma,
                                                          of_beta)
        return None, dx, dgamma if of_gamma else None, dbeta if of_beta else None, None, None


def _norm_kernel(x: Any, gamma: Any, beta: Any, epsilon: float, activation: str) -> Any:
    y = _like(x)
    _kindred.layer_norm_act(x, gamma, beta, epsilon, activation, False, None, y, None, False, _context(x))
    return y


def _norm_shapes(x: Any, gamma: Any, beta: Any, epsilon: float, activation: str) -> Any:
    return _like(x)


def _norm_backward_kernel(gradient: Any, x: Any, gamma: Any, beta: Any, epsilon: float, activation: str, of_gamma: bool, of_beta: bool) -> Any:
    dx, dgamma, dbeta = _norm_backward_shapes(gradient, x, gamma, beta, epsilon, activation, of_gamma, of_beta)
    out = dx, dgamma if of_gamma else None, dbeta if of_beta else None
    _kindred.layer_norm_act_backward(x, gradient, gamma, beta, epsilon, activation, None, out, None, False, _context(x))
    return dx, dgamma, dbeta


def _norm_backward_shapes(gradient: Any, x: Any, gamma: Any, beta: Any, epsilon: float, activation: str, of_gamma: bool, of_beta: bool) -> Any:
    return (_like(x), x.new_empty(x.shape[1] if of_gamma else 0, dtype=torch.float32),
            x.new_empty(x.shape[1] if of_beta else 0, dtype=torch.float32))


_layer_norm_act = _Operator("layer_norm_act(Tensor x, Tensor? gamma, Tensor? beta, float epsilon, str activation) -> Tensor", _norm_kernel,
                            _norm_shapes, _LayerNormAct)
_layer_norm_act_backward = _Operator(
    "layer_norm_act_backward(Tensor gradient, Tensor x, Tensor? gamma, Tensor? beta, float epsilon, str activation, bool of_gamma, "
    "bool of_beta) -> (Tensor, Tensor, Tensor)", _norm_backward_kernel, _norm_backward_shapes)


# Linear layers

class _LinearAct(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    @staticmethod
    def forward(context: Any, keys: Any, *inputs: Any) -> Any:
        x, w, bias, context.activation, context.reproducible = inputs
        context.save_for_backward(x, w, bias)
        return _linear_act.below(keys, inputs)

    @staticmethod
    def backward(context: Any, gradient: Any) -> Any:
        _, of_x, of_w, of_bias, _, _ = context.needs_input_grad
        x, w, bias = context.saved_tensors
        dx, dw, dbias = _linear_act_backward.call(gradient.contiguous(), x, w, bias, context.activation, context.reproducible, of_x, of_w, of_bias)
        return None, dx if of_x else None, dw if of_w else None, dbias if of_bias else None, None, None


def _linear_kernel(x: Any, w: Any, bias: Any, activation: str, reproducible: bool) -> Any:
    y = x.new_empty((x.size(0), w.size(0)))
    _kindred.linear_act(x, w, bias, activation, reproducible, None, y, None, False, _context(x))
    return y


def _linear_shapes(x: Any, w: Any, bias: Any, activation: str, reproducible: bool) -> Any:
    return x.new_empty((x.size(0), w.size(0)))


def _linear_backward_kernel(gradient: Any, x: Any, w: Any, bias: Any, activation: str, reproducible: bool, of_x: bool, of_w: bool,
                            of_bias: bool) -> Any:
    results = _linear_backward_shapes(gradient, x, w, bias, activation, reproducible, of_x, of_w, of_bias)
    out = tuple(result if wanted else None for result, wanted in zip(results, (of_x, of_w, of_bias), strict=True))
    _kindred.linear_act_backward(x, gradient, w, bias, activation, reproducible, None, out, None, False, _context(x))
    return results


def _linear_backward_shapes(gradient: Any, x: Any, w: Any, bias: Any, activation: str, reproducible: bool, of_x: bool, of_w: bool,
                            of_bias: bool) -> Any:
    return (x.new_empty(x.shape if of_x else (0, 0)), w.new_empty(w.shape if of_w else (0, 0)),
            x.new_empty(w.shape[0] if of_bias else 0, dtype=torch.float32))


_linear_act = _Operator("linear_act(Tensor x, Tensor w, Tensor? bias, str activation, bool reproducible) -> Tensor", _linear_kernel,
                        _linear_shapes, _LinearAct)
_linear_act_backward = _Operator(
    "linear_act_backward(Tensor gradient, Tensor x, Tensor w, Tensor? bias, str activation, bool reproducible, bool of_x, bool of_w, "
    "bool of_bias) -> (Tensor, Tensor, Tensor)", _linear_backward_kernel, _linear_backward_shapes)


# Seeds

_seed_arguments = ("Tensor x, Tensor lifecycle, Tensor blueprint, Tensor mode, Tensor alpha, Tensor weights, int chunk_size, str mode_codes, "
                   "bool fossilized_applies")


class _SeedForward(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    @staticmethod
    def forward(context: Any, keys: Any, *inputs: Any) -> Any:
        context.save_for_backward(*inputs[:6])
        context.options = inputs[6:]
        return _seed_forward.below(keys, inputs)

    @staticmethod
    def backward(context: Any, gradient: Any) -> Any:
        return _seed_gradients(context, gradient)


class _SeedForwardSums(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    @staticmethod
    def forward(context: Any, keys: Any, *inputs: Any) -> Any:
        context.save_for_backward(*inputs[:6])
        context.options = inputs[6:]
        y, *sums = _seed_forward_sums.below(keys, inputs)
        context.mark_non_differentiable(*sums)
        return y, *sums

    @staticmethod
    def backward(context: Any, gradient: Any, *of_sums: Any) -> Any:
        return _seed_gradients(context, gradient)


def _seed_gradients(context: Any, gradient: Any) -> Any:
    _, _, _, _, _, of_alpha, of_weights, *_ = context.needs_input_grad
    dx, dweights, dalpha = _seed_backward.call(gradient.contiguous(), *context.saved_tensors, *context.options, of_weights, of_alpha)
    return None, dx, None, None, None, dalpha if of_alpha else None, dweights if of_weights else None, None, None, None


def _seed_kernel(x: Any, lifecycle: Any, blueprint: Any, mode: Any, alpha: Any, weights: Any, chunk_size: int, mode_codes: str,
                 fossilized_applies: bool, sums: Any = None) -> Any:
    y = _like(x)
    _kindred.forward_seeds(x, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes, fossilized_applies, sums,
                           None, None, y, _context(x), None, False)
    return y


def _seed_shapes(x: Any, lifecycle: Any, blueprint: Any, mode: Any, alpha: Any, weights: Any, chunk_size: int, mode_codes: str,
                 fossilized_applies: bool) -> Any:
    return _like(x)


def _seed_sums_kernel(x: Any, lifecycle: Any, blueprint: Any, mode: Any, alpha: Any, weights: Any, chunk_size: int, mode_codes: str,
                      fossilized_applies: bool) -> Any:
    sums = _sums_of(lifecycle)
    y = _seed_kernel(x, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes, fossilized_applies, sums)
    return y, *sums


def _seed_sums_shapes(x: Any, lifecycle: Any, blueprint: Any, mode: Any, alpha: Any, weights: Any, chunk_size: int, mode_codes: str,
                      fossilized_applies: bool) -> Any:
    return _like(x), *_sums_of(lifecycle)


def _sums_of(lifecycle: Any) -> Any:
    seeds = lifecycle.shape[0]
    return (lifecycle.new_empty(seeds, dtype=torch.float64), lifecycle.new_empty(seeds, dtype=torch.float64),
            lifecycle.new_empty(seeds, dtype=torch.int64))


def _seed_backward_kernel(gradient: Any, x: Any, lifecycle: Any, blueprint: Any, mode: Any, alpha: Any, weights: Any, chunk_size: int,
                          mode_codes: str, fossilized_applies: bool, of_weights: bool, of_alpha: bool) -> Any:
    dx, dweights, dalpha = _seed_backward_shapes(gradient, x, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes,
                                                 fossilized_applies, of_weights, of_alpha)
    out = dx, dweights if of_weights else None, dalpha if of_alpha else None
    _kindred.backward_seeds(x, gradient, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes, fossilized_applies,
                            None, None, out, _context(x), None, False)
    return dx, dweights, dalpha


def _seed_backward_shapes(gradient: Any, x: Any, lifecycle: Any, blueprint: Any, mode: Any, alpha: Any, weights: Any, chunk_size: int,
                          mode_codes: str, fossilized_applies: bool, of_weights: bool, of_alpha: bool) -> Any:
    return (_like(x), weights.new_empty(weights.shape if of_weights else (0, 0)),
            alpha.new_empty(alpha.shape if of_alpha else 0))


_seed_forward = _Operator(f"seed_forward({_seed_arguments}) -> Tensor", _seed_kernel, _seed_shapes, _SeedForward)
_seed_forward_sums = _Operator(f"seed_forward_sums({_seed_arguments}) -> (Tensor, Tensor, Tensor, Tensor)", _seed_sums_kernel,
                               _seed_sums_shapes, _SeedForwardSums)
_seed_backward = _Operator(f"seed_backward(Tensor gradient, {_seed_arguments}, bool of_weights, bool of_alpha) -> (Tensor, Tensor, Tensor)",
                           _seed_backward_kernel, _seed_backward_shapes)


# The functions of the module

def _rows(x: torch.Tensor) -> torch.Tensor:
    """A tensor of any number of dimensions as a matrix."""
    if x.dim() == 2:
        return x
    if x.dim() == 0:
        raise ValueError("x is a scalar; its last dimension must have the features")
    return x.unsqueeze(0) if x.dim() == 1 else x.flatten(0, -2)


def layer_norm_act(x: torch.Tensor, gamma: "torch.Tensor | None" = None, beta: "torch.Tensor | None" = None, *, epsilon: float = 1e-5,
                   activation: str = "gelu") -> torch.Tensor:
    """``act((x − mean) / √(variance + ε) · γ + β)`` over the last dimension: a LayerNorm and an activation in one pass.

    Args:
        x: float32, float16 or bfloat16 ``[…, columns]``. The elements of a row have no gaps; rows may lie apart.
        gamma, beta: float32 ``[columns]``; None: 1 and 0
        epsilon: ε, which is added to the variance
        activation: ``"gelu"`` (with erf), ``"relu"`` or ``"none"``

    Returns:
        a new tensor of the shape and type of x

    Raises:
        InvalidType: a tensor has elements of another type
        InvalidArgument: a shape or an option does not fit

    >>> layer_norm_act(torch.tensor([[1., 3.]]), torch.tensor([2., 2.]), epsilon=1e-12, activation="none")
    tensor([[-2.,  2.]])
    """
    rows = _rows(x)
    y = _layer_norm_act.call(rows, gamma, beta, epsilon, activation)
    return y if rows is x else y.reshape(x.shape)


def linear_act(x: torch.Tensor, w: torch.Tensor, bias: "torch.Tensor | None" = None, *, activation: str = "none",
               reproducible: bool = False) -> torch.Tensor:
    """``act(x·Wᵀ + b)``: a linear layer and an activation.

    Args:
        x: float32, float16 or bfloat16 ``[…, inputs]``. The elements of a row have no gaps; rows may lie apart.
        w: ``[outputs, inputs]``, of the type of x
        bias: float32 ``[outputs]``
        activation: ``"gelu"`` (with erf), ``"relu"`` or ``"none"``
        reproducible: the same bits on every device, but slower

    Returns:
        a new tensor ``[…, outputs]`` of the type of x

    Raises:
        InvalidType: a tensor has elements of another type
        InvalidArgument: a shape or an option does not fit

    >>> linear_act(torch.tensor([[1., 2.]]), torch.tensor([[3., 4.], [-1., 0.]]), activation="relu")
    tensor([[11.,  0.]])
    """
    rows = _rows(x)
    y = _linear_act.call(rows, w, bias, activation, reproducible)
    return y if rows is x else y.reshape(*x.shape[:-1], w.shape[0])


def seed_forward(x: torch.Tensor, lifecycle: torch.Tensor, blueprint: torch.Tensor, mode: torch.Tensor, alpha: torch.Tensor,
                 weights: torch.Tensor, *, chunk_size: int = 0, mode_codes: str = "kindred", fossilized_applies: bool = True,
                 telemetry: "SeedSums | None" = None) -> torch.Tensor:
    """Seeds applied to the last dimension of x, with gradients of x, alpha and weights. Arguments as :func:`pykindred.forward_seeds`.

    On a GPU, a call neither waits nor copies to the host, and can be captured in a CUDA graph, whose replays read the state again; call it
    once with the same types before.

    Args:
        x: float32, float16 or bfloat16 ``[…, hidden]``. The elements of a row have no gaps; rows may lie apart.
        lifecycle, blueprint, mode, alpha: the state, ``[seeds]``; alpha may require a gradient
        weights: float32 ``[blueprints, hidden]``; may require a gradient
        chunk_size, mode_codes, fossilized_applies: how the state is read
        telemetry: tensors that are written; None as one of them: not computed

    Returns:
        a new tensor of the shape and type of x

    Raises:
        InvalidType: a tensor has elements of another type
        InvalidArgument: a shape or an option does not fit

    >>> x, weights = torch.full((1, 4), 2.), torch.full((1, 4), 3., requires_grad=True)
    >>> codes = torch.tensor([[3, 0], [0, -1], [0, 0]], dtype=torch.int32)
    >>> y = seed_forward(x, *codes, torch.tensor([0.5, 0]), weights)
    >>> y.detach()
    tensor([[4., 4., 2., 2.]])
    >>> y.sum().backward()
    >>> weights.grad
    tensor([[1., 1., 0., 0.]])
    """
    rows = _rows(x)
    if telemetry is None:
        y = _seed_forward.call(rows, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes, fossilized_applies)
    else:
        y, *sums = _seed_forward_sums.call(rows, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes, fossilized_applies)
        for buffer, values in zip(telemetry, sums, strict=True):
            if buffer is not None:
                buffer.copy_(values)  # type: ignore[union-attr,unused-ignore]
    return y if rows is x else y.reshape(x.shape)
