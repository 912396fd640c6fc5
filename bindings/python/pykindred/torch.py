# SPDX-License-Identifier: Apache-2.0
"""Layers and seeds of Kindred as operators of PyTorch, with gradients, on the CPU and on GPUs.

The operators are ``torch.ops.kindred.*``: they have gradients, are compiled by ``torch.compile`` without graph breaks, and run on the
current stream, for which they do not wait. Nothing of PyTorch is linked. Importing ``pykindred`` does not import PyTorch; importing this module does.

>>> import torch, pykindred.torch
>>> x = torch.tensor([[1., 3.]], requires_grad=True)
>>> y = pykindred.torch.layer_norm_act(x, eps=1e-12, activation="relu")
>>> y.detach()
tensor([[0., 1.]])
>>> y.sum().backward()
>>> x.grad.shape
torch.Size([1, 2])

PyTorch 2.4 or newer. Element types are never cast: the weights of norms and biases are float32, whatever the type of x. All tensors of a call lie on one
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


def _plain(*tensors: Any) -> Any:
    """Tensors as kernels take them: without gradients, which operators compute by other operators, and with memory for every element: one of zeros
    that PyTorch does not store arrives as one zero with strides of 0."""
    return [_stored(one) if one is not None and (one.requires_grad or not one.is_contiguous()) else one for one in tensors]


def _stored(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.detach()
    return tensor.contiguous() if 0 in tensor.stride() else tensor


def _operator(name: str, schema: str, kernel: Any, shapes: Any, backward: Any = None, saved: int = 0) -> Any:
    """An operator with a kernel for tensors of the CPU and of GPUs.

    Args:
        shapes: returns tensors of the shapes and types of the results
        backward: returns the gradients of the inputs; it gets the first inputs, as many as are saved, and the others as options
    """
    made = torch.library.custom_op(f"kindred::{name}", kernel, mutates_args=(), device_types=("cpu", "cuda"), schema=schema)
    made.register_fake(shapes)

    def save(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs[:saved])
        ctx.options = inputs[saved:]
        if isinstance(output, tuple):  # sums, which have no gradients
            ctx.mark_non_differentiable(*output[1:])

    if backward is not None:
        made.register_autograd(backward, setup_context=save)
    return made


# Normalisation

def _norm_kernel(x: Any, gamma: Any, beta: Any, epsilon: float, activation: str) -> Any:
    x, gamma, beta = _plain(x, gamma, beta)
    y = _like(x)
    _kindred.layer_norm_act(x, gamma, beta, epsilon, activation, False, None, y, _context(x), None, False)
    return y


def _norm_backward(ctx: Any, gradient: Any) -> Any:
    _, of_gamma, of_beta, _, _ = ctx.needs_input_grad
    dx, dgamma, dbeta = _layer_norm_act_backward(gradient.contiguous(), *ctx.saved_tensors, *ctx.options, of_gamma, of_beta)
    return dx, dgamma if of_gamma else None, dbeta if of_beta else None, None, None


def _norm_backward_kernel(gradient: Any, x: Any, gamma: Any, beta: Any, epsilon: float, activation: str, of_gamma: bool, of_beta: bool) -> Any:
    gradient, x, gamma, beta = _plain(gradient, x, gamma, beta)
    dx, dgamma, dbeta = _norm_backward_shapes(gradient, x, gamma, beta, epsilon, activation, of_gamma, of_beta)
    out = dx, dgamma if of_gamma else None, dbeta if of_beta else None
    _kindred.layer_norm_act_backward(x, gradient, gamma, beta, epsilon, activation, None, out, _context(x), None, False)
    return dx, dgamma, dbeta


def _norm_backward_shapes(gradient: Any, x: Any, gamma: Any, beta: Any, epsilon: float, activation: str, of_gamma: bool, of_beta: bool) -> Any:
    return (_like(x), x.new_empty(x.shape[1] if of_gamma else 0, dtype=torch.float32),
            x.new_empty(x.shape[1] if of_beta else 0, dtype=torch.float32))


_layer_norm_act = _operator("layer_norm_act", "(Tensor x, Tensor? weight, Tensor? bias, float eps, str activation) -> Tensor", _norm_kernel,
                            lambda x, *_: _like(x), _norm_backward, 3)
_layer_norm_act_backward = _operator(
    "layer_norm_act_backward", "(Tensor gradient, Tensor x, Tensor? weight, Tensor? bias, float eps, str activation, bool of_weight, "
    "bool of_bias) -> (Tensor, Tensor, Tensor)", _norm_backward_kernel, _norm_backward_shapes)


# Linear layers

def _linear_kernel(x: Any, w: Any, bias: Any, activation: str, reproducible: bool) -> Any:
    x, w, bias = _plain(x, w, bias)
    y = _linear_shapes(x, w)
    _kindred.linear_act(x, w, bias, activation, reproducible, None, y, _context(x), None, False)
    return y


def _linear_shapes(x: Any, w: Any, *_: Any) -> Any:
    return x.new_empty((x.size(0), w.size(0)))


def _linear_backward(ctx: Any, gradient: Any) -> Any:
    wanted = ctx.needs_input_grad[:3]
    found = _linear_act_backward(gradient.contiguous(), *ctx.saved_tensors, *ctx.options, *wanted)
    return *(one if of else None for one, of in zip(found, wanted, strict=True)), None, None


def _linear_backward_kernel(gradient: Any, x: Any, w: Any, bias: Any, activation: str, reproducible: bool, *wanted: bool) -> Any:
    gradient, x, w, bias = _plain(gradient, x, w, bias)
    results = _linear_backward_shapes(gradient, x, w, bias, activation, reproducible, *wanted)
    out = tuple(result if of else None for result, of in zip(results, wanted, strict=True))
    _kindred.linear_act_backward(x, gradient, w, bias, activation, reproducible, None, out, _context(x), None, False)
    return results


def _linear_backward_shapes(gradient: Any, x: Any, w: Any, bias: Any, activation: str, reproducible: bool, of_x: bool, of_w: bool,
                            of_bias: bool) -> Any:
    return (x.new_empty(x.shape if of_x else (0, 0)), w.new_empty(w.shape if of_w else (0, 0)),
            x.new_empty(w.shape[0] if of_bias else 0, dtype=torch.float32))


_linear_act = _operator("linear_act", "(Tensor x, Tensor weight, Tensor? bias, str activation, bool reproducible) -> Tensor", _linear_kernel,
                        _linear_shapes, _linear_backward, 3)
_linear_act_backward = _operator(
    "linear_act_backward", "(Tensor gradient, Tensor x, Tensor weight, Tensor? bias, str activation, bool reproducible, bool of_x, bool of_weight, "
    "bool of_bias) -> (Tensor, Tensor, Tensor)", _linear_backward_kernel, _linear_backward_shapes)


# Seeds: x and their state are six tensors, which three options follow

_seed_arguments = ("Tensor x, Tensor lifecycle, Tensor blueprint, Tensor mode, Tensor alpha, Tensor weights, int chunk_size, str mode_codes, "
                   "bool fossilized_applies")


def _seed_kernel(*given: Any, sums: Any = None) -> Any:
    x, *state = _plain(*given[:6])
    y = _like(x)
    arguments: Any = (x, *state, *given[6:], sums, None, None, y, _context(x), None, False)
    _kindred.forward_seeds(*arguments)
    return y


def _seed_sums_kernel(*given: Any) -> Any:
    sums = _sums_of(given[1])
    return _seed_kernel(*given, sums=sums), *sums


def _sums_of(lifecycle: Any) -> Any:
    seeds = lifecycle.shape[0]
    return (lifecycle.new_empty(seeds, dtype=torch.float64), lifecycle.new_empty(seeds, dtype=torch.float64),
            lifecycle.new_empty(seeds, dtype=torch.int64))


def _seed_backward_of(ctx: Any, gradient: Any, *of_sums: Any) -> Any:
    _, _, _, _, of_alpha, of_weights, *_ = ctx.needs_input_grad
    dx, dweights, dalpha = _seed_backward(gradient.contiguous(), *ctx.saved_tensors, *ctx.options, of_weights, of_alpha)
    return dx, None, None, None, dalpha if of_alpha else None, dweights if of_weights else None, None, None, None


def _seed_backward_kernel(*given: Any) -> Any:
    gradient, x, *state = _plain(*given[:7])
    *options, of_weights, of_alpha = given[7:]
    dx, dweights, dalpha = _seed_backward_shapes(*given)
    out = dx, dweights if of_weights else None, dalpha if of_alpha else None
    arguments: Any = (x, gradient, *state, *options, None, None, out, _context(x), None, False)
    _kindred.backward_seeds(*arguments)
    return dx, dweights, dalpha


def _seed_backward_shapes(gradient: Any, x: Any, lifecycle: Any, blueprint: Any, mode: Any, alpha: Any, weights: Any, chunk_size: int,
                          mode_codes: str, fossilized_applies: bool, of_weights: bool, of_alpha: bool) -> Any:
    return (_like(x), weights.new_empty(weights.shape if of_weights else (0, 0)), alpha.new_empty(alpha.shape if of_alpha else 0))


_seed_forward = _operator("seed_forward", f"({_seed_arguments}) -> Tensor", _seed_kernel, lambda x, *_: _like(x), _seed_backward_of, 6)
_seed_forward_sums = _operator("seed_forward_sums", f"({_seed_arguments}) -> (Tensor, Tensor, Tensor, Tensor)", _seed_sums_kernel,
                               lambda x, lifecycle, *_: (_like(x), *_sums_of(lifecycle)), _seed_backward_of, 6)
_seed_backward = _operator("seed_backward", f"(Tensor gradient, {_seed_arguments}, bool of_weights, bool of_alpha) -> (Tensor, Tensor, Tensor)",
                           _seed_backward_kernel, _seed_backward_shapes)


# The functions of the module

def _rows(x: torch.Tensor) -> torch.Tensor:
    """A tensor of any number of dimensions as a matrix."""
    if x.dim() == 2:
        return x
    if x.dim() == 0:
        raise ValueError("x is a scalar; its last dimension must have the features")
    return x.unsqueeze(0) if x.dim() == 1 else x.flatten(0, -2)


def layer_norm_act(x: torch.Tensor, weight: "torch.Tensor | None" = None, bias: "torch.Tensor | None" = None, *, eps: float = 1e-5,
                   activation: str = "gelu") -> torch.Tensor:
    """``act((x − mean) / √(variance + eps) · weight + bias)`` over the last dimension: a LayerNorm and an activation in one pass.

    Args:
        x: float32, float16 or bfloat16 ``[…, columns]``. The elements of a row are contiguous; there may be gaps between rows.
        weight, bias: float32 ``[columns]``; None: 1 and 0
        eps: is added to the variance
        activation: ``"gelu"`` (with erf), ``"relu"`` or ``"none"``

    Returns:
        a new tensor of the shape and type of x

    Raises:
        InvalidType: a tensor has elements of another type
        InvalidArgument: a shape or an option does not fit

    >>> layer_norm_act(torch.tensor([[1., 3.]]), torch.tensor([2., 2.]), eps=1e-12, activation="none")
    tensor([[-2.,  2.]])
    """
    rows = _rows(x)
    y = _layer_norm_act(rows, weight, bias, eps, activation)
    return y if rows is x else y.reshape(x.shape)


def linear_act(x: torch.Tensor, weight: torch.Tensor, bias: "torch.Tensor | None" = None, *, activation: str = "none",
               reproducible: bool = False) -> torch.Tensor:
    """``act(x·weightᵀ + bias)``: a linear layer and an activation.

    Args:
        x: float32, float16 or bfloat16 ``[…, inputs]``. The elements of a row are contiguous; there may be gaps between rows.
        weight: ``[outputs, inputs]``, of the type of x
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
    y = _linear_act(rows, weight, bias, activation, reproducible)
    return y if rows is x else y.reshape(*x.shape[:-1], weight.shape[0])


def seed_forward(x: torch.Tensor, lifecycle: torch.Tensor, blueprint: torch.Tensor, mode: torch.Tensor, alpha: torch.Tensor,
                 weights: torch.Tensor, *, chunk_size: int = 0, mode_codes: str = "kindred", fossilized_applies: bool = True,
                 telemetry: "SeedSums | None" = None) -> torch.Tensor:
    """Seeds applied to the last dimension of x, with gradients of x, alpha and weights. Arguments as :func:`pykindred.forward_seeds`.

    On a GPU, a call neither waits nor copies to the host, and can be captured in a CUDA graph, whose replays read the state again; call it
    once with the same types before.

    Args:
        x: float32, float16 or bfloat16 ``[…, hidden]``. The elements of a row are contiguous; there may be gaps between rows.
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
        y = _seed_forward(rows, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes, fossilized_applies)
    else:
        y, *sums = _seed_forward_sums(rows, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes, fossilized_applies)
        for buffer, values in zip(telemetry, sums, strict=True):
            if buffer is not None:
                buffer.copy_(values)  # type: ignore[union-attr,unused-ignore]
    return y if rows is x else y.reshape(x.shape)
