# SPDX-License-Identifier: Apache-2.0
"""Operators of PyTorch: results and gradients beside PyTorch's own in float64, on its CPU and, where the library has CUDA, on its GPU."""
import importlib.util
import sys
import unittest
from functools import partial

import numpy as np

import pykindred
from support import run, vectors

if importlib.util.find_spec("torch") is None:
    print("skipped: PyTorch is not installed")
    sys.exit()

import torch  # noqa: E402

import pykindred.torch as operators  # noqa: E402
from test_seed_functions import state_of  # noqa: E402
from test_seed_layer import layer_of  # noqa: E402

torch._dynamo.config.cache_size_limit = 64
HAS_GPU = torch.cuda.is_available() and pykindred.default_context().spaces()["cuda"]["usable"]
DEVICES = ["cpu", "cuda"] if HAS_GPU else ["cpu"]
TYPES = {torch.float32: 2e-5, torch.float16: 3e-3, torch.bfloat16: 2e-2}
ACTIVATIONS = {"none": lambda v: v, "relu": torch.relu, "gelu": torch.nn.functional.gelu}
CHECKS = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


def tensor(name, *shape, device="cpu", dtype=torch.float32, grad=False):
    return torch.from_numpy(vectors(name, *shape)).to(device, dtype).requires_grad_(grad)


def wide(*given):
    """Copies in float64 with gradients of their own."""
    return [None if one is None else one.detach().double().requires_grad_() for one in given]


def norm(x, gamma, beta, activation):
    """The definition, of PyTorch."""
    return ACTIVATIONS[activation](torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, 1e-5))


def linear(x, w, bias, activation):
    return ACTIVATIONS[activation](torch.nn.functional.linear(x, w, bias))


def norm_inputs(rows=6, columns=40, **options):
    dtype = options.pop("dtype", torch.float32)
    return tensor("x", rows, columns, dtype=dtype, **options), tensor("gamma", columns, **options), tensor("beta", columns, **options)


def linear_inputs(rows=6, inputs=40, outputs=24, **options):
    return tensor("x", rows, inputs, **options), tensor("w", outputs, inputs, **options), tensor("bias", outputs, **{**options, "dtype": torch.float32})


class PlainSeeds:
    """Seeds by operations of PyTorch: linear (0), multiplicative (1), additive (2) and mixed (3), chunks of one width."""

    def __init__(self, device="cpu", dtype=torch.float32, rows=9, grad=False):
        codes = {"device": device, "dtype": torch.int32}
        self.lifecycle = torch.tensor([3, 4, 5, 6, 7, 0, 3, 9], **codes)
        self.blueprint = torch.tensor([0, 1, 2, 1, 0, 1, 2, 0], **codes)
        self.mode = torch.tensor([0, 1, 2, 3, 0, 0, 0, 1], **codes)
        self.alpha = torch.tensor([0.3, 0.5, 1, 0.2, 0.4, 0.7, 0.25, 1], device=device).requires_grad_(grad)
        self.weights = tensor("weights", 3, 40, device=device, grad=grad)
        self.x = tensor("x", rows, 40, device=device, dtype=dtype, grad=grad)

    def arguments(self):
        return self.x, self.lifecycle, self.blueprint, self.mode, self.alpha, self.weights

    def plain(self, x, alpha, weights):
        a = torch.where(self.lifecycle == 7, torch.ones_like(alpha), alpha).repeat_interleave(5)
        mode = self.mode.repeat_interleave(5)
        applies = ((self.lifecycle >= 3) & (self.lifecycle <= 7)).repeat_interleave(5)
        w = weights[self.blueprint.long().repeat_interleave(5), torch.arange(40, device=x.device)]
        y = torch.where(mode == 0, a * w * x + (1 - a) * x, torch.where(mode == 1, w * x, torch.where(mode == 2, x + w, (x + w) / 2)))
        return torch.where(applies, y, x)


def cases(device, grad=True):
    """Per operator: the function, its arguments, and its arguments as an operator."""
    x, gamma, beta = norm_inputs(device=device, grad=grad)
    a, w, bias = linear_inputs(device=device, grad=grad)
    seeds = PlainSeeds(device, grad=grad)
    state = seeds.arguments()
    return {
        "layer_norm_act": (lambda *given: operators.layer_norm_act(*given), (x, gamma, beta), (x, gamma, beta, 1e-5, "gelu")),
        "linear_act": (lambda *given: operators.linear_act(*given, activation="relu"), (a, w, bias), (a, w, bias, "relu", True)),
        "seed_forward": (lambda *given: operators.seed_forward(*given), state, (*state, 0, "kindred", True)),
        "seed_forward_sums": (lambda *given: torch.ops.kindred.seed_forward_sums(*given, 0, "kindred", True)[0], state, (*state, 0, "kindred", True)),
        "layer_norm_act_backward": (None, None, (torch.ones_like(x), x.detach(), gamma.detach(), None, 1e-5, "gelu", True, False)),
        "linear_act_backward": (None, None, (torch.ones(6, 24, device=device), a.detach(), w.detach(), bias.detach(), "relu", True, True, False, True)),
        "seed_backward": (None, None, (torch.ones_like(seeds.x), *(one.detach() for one in state), 0, "kindred", True, True, True)),
    }


class Operators(unittest.TestCase):
    def assert_close(self, found, expected, tolerance):
        self.assertEqual(found.shape, expected.shape)
        torch.testing.assert_close(found.double(), expected.double(), rtol=tolerance, atol=tolerance)

    def test_results_and_gradients_are_those_of_pytorch(self):
        for device in DEVICES:
            for dtype, tolerance in TYPES.items():
                options = {"device": device, "dtype": dtype, "grad": True}
                for name in ACTIVATIONS:
                    for shape in ((0, 3), (1, 1), (2, 33), (7, 96)):
                        x, gamma, beta = norm_inputs(*shape, **options)
                        for given in ((x, gamma, beta), (x, None, None), (x, gamma, None)):
                            self.check(operators.layer_norm_act, norm, given, tolerance, name)
                    for shape in ((0, 3, 2), (1, 1, 1), (3, 33, 5), (40, 16, 32)):
                        x, w, bias = linear_inputs(*shape, **options)
                        for given in ((x, w, bias), (x, w, None)):
                            self.check(operators.linear_act, linear, given, 4 * tolerance, name,
                                       reproducible=given[2] is not None)
                for rows in (0, 1, 33):
                    seeds = PlainSeeds(device, dtype, rows, grad=True)

                    def forward(x, alpha, weights, seeds=seeds):
                        codes = seeds.arguments()[1:4]
                        return operators.seed_forward(x, *codes, alpha, weights)
                    given = seeds.x, seeds.alpha, seeds.weights
                    self.check(forward, seeds.plain, given, tolerance)

    def check(self, call, definition, given, tolerance, *activation, **options):
        """The result of an operator, and the gradients of a weighted sum of it, beside those of
        PyTorch in float64."""
        reference = wide(*given)
        for one in given:
            if one is not None:
                one.grad = None
        named = {"activation": activation[0]} if activation else {}
        y = call(*given, **named, **options)
        expected = definition(*reference, *activation)
        self.assertEqual((y.dtype, y.device), (given[0].dtype, given[0].device))
        self.assert_close(y, expected, tolerance)
        weights = tensor("weights of the sum", *y.shape, device=y.device)
        (y.float() * weights).sum().backward()
        (expected * weights).sum().backward()
        for one, other in zip(given, reference, strict=True):
            if one is not None:
                self.assertEqual(one.grad.dtype, one.dtype)
                self.assert_close(one.grad, other.grad, 20 * tolerance)

    def test_options_of_seeds_give_the_bits_of_the_function_of_numpy(self):
        for device in DEVICES:
            for codes, chunk, applies in (("kindred", 0, True), ("kasmina_simple", 0, True),
                                          ("kasmina_v2", 8, False)):
                options = {"mode_codes": codes, "chunk_size": chunk, "fossilized_applies": applies}
                x, g = vectors("x", 33, 103), vectors("g", 33, 103)
                state = state_of("bits", 103, 10)
                given = [torch.from_numpy(one.copy()).to(device) for one in (x, *state)]
                inputs = [given[i].requires_grad_() for i in (0, 5, 4)]
                y = operators.seed_forward(*given, **options)
                expected = pykindred.forward_seeds(x, *state, **options)
                np.testing.assert_array_equal(y.detach().cpu(), expected)
                y.backward(torch.from_numpy(g).to(device))
                expected = pykindred.backward_seeds(x, g, *state, **options)
                for one, other in zip(inputs, expected, strict=True):
                    np.testing.assert_array_equal(one.grad.cpu(), other)

    def test_any_number_of_dimensions(self):
        for device in DEVICES:
            seeds = PlainSeeds(device)
            for shape in ((40,), (2, 40), (2, 3, 40), (2, 0, 40), (2, 3, 2, 40)):
                x = tensor("x", *shape, device=device)
                self.assert_close(operators.layer_norm_act(x, activation="none"), norm(x.double(), None, None, "none"), 1e-5)
                w = tensor("w", 7, 40, device=device)
                self.assert_close(operators.linear_act(x, w), linear(x.double(), w.double(), None, "none"), 1e-4)
                y = operators.seed_forward(x, *seeds.arguments()[1:])
                self.assert_close(y, seeds.plain(x.double(), seeds.alpha.double(), seeds.weights.double()), 1e-5)

    def test_there_may_be_gaps_between_rows_and_in_gradients(self):
        for device in DEVICES:
            whole = tensor("x", 12, 50, device=device, grad=True)
            part = whole[::2, :40]
            reference, = wide(whole)
            operators.layer_norm_act(part).t()[::2].sum().backward()
            norm(reference[::2, :40], None, None, "gelu").t()[::2].sum().backward()
            self.assert_close(whole.grad, reference.grad, 1e-4)

    def test_telemetry(self):
        for device in DEVICES:
            seeds = PlainSeeds(device, rows=33, grad=True)
            chunks = seeds.x.detach().double().reshape(33, 8, 5)
            for types in ((torch.float64, torch.float64, torch.int64), (torch.float32, torch.float32, torch.int32)):
                telemetry = pykindred.SeedSums(*(torch.full((8,), 7, device=device, dtype=one) for one in types))
                y = operators.seed_forward(*seeds.arguments(), telemetry=telemetry)
                self.assertTrue(torch.equal(y, operators.seed_forward(*seeds.arguments())))
                self.assert_close(telemetry.sum, chunks.sum((0, 2)), 1e-6)
                self.assert_close(telemetry.sum_of_squares, chunks.square().sum((0, 2)), 1e-6)
                self.assertEqual(telemetry.count.tolist(), [33 * 5] * 8)
            y.sum().backward()
            gradient = seeds.x.grad.clone()
            seeds.x.grad = None
            operators.seed_forward(*seeds.arguments()).sum().backward()
            self.assertTrue(torch.equal(seeds.x.grad, gradient))

    def test_only_requested_gradients_are_computed(self):
        for device in DEVICES:
            for call, given, _ in list(cases(device, grad=False).values())[:4]:
                for chosen in range(len(given)):
                    if not given[chosen].is_floating_point():
                        continue
                    inputs = [one.clone() for one in given]
                    inputs[chosen].requires_grad_()
                    y = call(*inputs)
                    self.assertTrue(y.requires_grad)
                    y.sum().backward()
                    all_given = [one.clone().requires_grad_() if one.is_floating_point() else one for one in given]
                    call(*all_given).sum().backward()
                    self.assertTrue(torch.equal(inputs[chosen].grad, all_given[chosen].grad))
                    with torch.no_grad():
                        self.assertFalse(call(*inputs).requires_grad)
                    with torch.inference_mode():
                        self.assertTrue(torch.equal(call(*inputs), y))

    def test_opcheck_finds_nothing(self):
        operators_of = [name.removeprefix("kindred::") for name in torch._C._dispatch_get_all_op_names() if name.startswith("kindred::")]
        self.assertEqual(sorted(cases("cpu")), sorted(operators_of))
        for device in DEVICES:
            for name, (_, _, given) in cases(device).items():
                with self.subTest(name, device=device):
                    found = torch.library.opcheck(getattr(torch.ops.kindred, name).default, given, test_utils=CHECKS)
                    self.assertEqual(found, dict.fromkeys(CHECKS, "SUCCESS"))

    def test_compiled_functions_have_no_graph_breaks(self):
        for device in DEVICES:
            for name, (call, given, _) in list(cases(device).items())[:4]:
                def function(*inputs, call=call):
                    return torch.sin(call(inputs[0] * 2, *inputs[1:])) + 1
                for dynamic in (False, True):
                    with self.subTest(name, device=device, dynamic=dynamic):
                        compiled = torch.compile(function, fullgraph=True, backend="aot_eager", dynamic=dynamic)
                        for backward in range(2):
                            gradients = []
                            for one in (function, compiled):
                                inputs = [value.detach().clone().requires_grad_(value.requires_grad) for value in given]
                                y = one(*inputs)
                                if backward:
                                    y.sum().backward()
                                gradients.append([y.detach(), *(value.grad for value in inputs if backward and value.requires_grad)])
                            for one, other in zip(*gradients, strict=True):
                                torch.testing.assert_close(one, other)

    def test_inductor(self):
        for device in DEVICES:
            if device == "cuda" and importlib.util.find_spec("triton") is None:
                continue
            layer = torch.nn.Linear(40, 40, device=device)
            seeds = PlainSeeds(device)

            def model(x, layer=layer, seeds=seeds):
                h = operators.layer_norm_act(layer(x))
                return operators.linear_act(operators.seed_forward(h, *seeds.arguments()[1:]), layer.weight, layer.bias, activation="relu").sum()
            results = []
            for function in (model, torch.compile(model, fullgraph=True)):
                layer.zero_grad()
                value = function(seeds.x)
                value.backward()
                results.append((value.detach(), layer.weight.grad.clone(), layer.bias.grad.clone()))
            for one, other in zip(*results, strict=True):
                torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)

    def test_wrong_arguments_are_named(self):
        for device in DEVICES:
            x, gamma, beta = norm_inputs(device=device)
            w, bias = linear_inputs(device=device)[1:]
            plain, on_host = PlainSeeds(device).arguments(), device == "cpu"
            seeds = dict(zip(("x", "lifecycle", "blueprint", "mode", "alpha", "weights"), plain))
            calls = [
                (operators.layer_norm_act, {"x": x, "weight": gamma, "bias": beta}, (
                    ("x", x.double()), ("x", x.int()), ("x", x[:, ::2]), ("x", x[0, 0]),
                    ("weight", gamma[:3]), ("weight", gamma.half()), ("bias", beta[::2]),
                    ("activation", "tanh"), ("eps", 0.0), ("weight", gamma.cpu()), ("x", x.cpu()))),
                (operators.linear_act, {"x": x, "weight": w, "bias": bias}, (
                    ("weight", w.half()), ("weight", w[:, :3]), ("weight", w.t().contiguous().t()),
                    ("bias", bias[:3]), ("bias", bias.double()), ("weight", w.cpu()))),
                (operators.seed_forward, seeds, (
                    ("lifecycle", plain[1].long()), ("blueprint", plain[2].long()),
                    ("mode", plain[3].float().requires_grad_()), ("alpha", plain[4].double()),
                    ("alpha", plain[4][:3]), ("weights", plain[5][:, :7]),
                    ("weights", plain[5].half()), ("x", plain[0].t()), ("chunk_size", -1),
                    ("lifecycle", plain[1].repeat(2)[::2]), ("mode_codes", "v3"),
                    ("alpha", plain[4].cpu()), ("x", plain[0].cpu())))]
            for call, given, wrong in calls:
                for name, value in wrong:
                    if on_host and value is given.get(name):
                        continue  # it is where it should be
                    with self.subTest(call.__name__, name=name, device=device):
                        with self.assertRaisesRegex((TypeError, ValueError), f"{name}|weights? is"):
                            call(**{**given, name: value})
            with self.assertRaises((RuntimeError, TypeError, AttributeError)):
                operators.layer_norm_act(x.tolist())

    def test_tensors_that_require_a_gradient_are_refused_elsewhere(self):
        x = tensor("x", 3, 4, grad=True)
        for call in (lambda: pykindred.layer_norm_act(x), lambda: pykindred.row_scores(x.detach(), x), lambda: pykindred.VectorIndex(x)):
            with self.assertRaisesRegex(ValueError, "requires a gradient"):
                call()
        np.testing.assert_array_equal(pykindred.layer_norm_act(x.detach()), pykindred.layer_norm_act(x.detach().numpy()))
        out = torch.empty(3, 4)
        self.assertIs(pykindred.layer_norm_act(x.detach(), out=out), out)
        parameter = torch.nn.Parameter(torch.ones(3, 4), requires_grad=False)
        np.testing.assert_array_equal(pykindred.layer_norm_act(parameter, activation="none"), np.zeros((3, 4)))

    def test_importing_the_package_imports_no_torch(self):
        self.assertEqual(run("import sys, pykindred; print('torch' in sys.modules)"), "False\n")
        self.assertIn("install the package torch", run("""
            import sys
            sys.modules["torch"] = None
            import pykindred
            try:
                import pykindred.torch
            except ImportError as error:
                print(error)
        """))


def moved(given, skip, gap, device):
    """A copy of a tensor that begins `skip` elements behind an aligned address, with `gap` elements between its rows, and the memory around it."""
    rows, columns = (1, given.shape[0]) if given.dim() == 1 else given.shape
    step = columns + (gap if given.dim() == 2 else 0)
    memory = torch.full((skip + rows * step + 16,), 7, dtype=given.dtype, device=device)
    view = memory[skip:skip + rows * step].view(rows, step)[:, :columns]
    view.copy_(given.reshape(rows, columns))
    return (view[0] if given.dim() == 1 else view), memory


class UnalignedTensors(unittest.TestCase):
    """Tensors that begin at any element have the results of aligned ones, and nothing beside an output is written."""

    def assert_same_at_any_element(self, call, inputs, *outputs, gaps=(0,)):
        def run_at(skip, gap, device):
            given = [moved(one, skip, gap, device)[0] for one in inputs]
            out = [moved(one, skip, gap, device) for one in outputs]
            call(*given, *(view for view, _ in out))
            found = [view.clone() for view, _ in out]
            for view, memory in out:
                view.fill_(7)
                self.assertTrue(bool((memory == 7).all()), "elements beside an output changed")
            return found

        for device in DEVICES:
            expected = run_at(0, 0, device)
            for skip in (1, 2, 3, 5):
                for gap in gaps:
                    for one, other in zip(run_at(skip, gap, device), expected, strict=True):
                        self.assertTrue(torch.equal(one, other), (device, skip, gap))

    def test_hops(self):
        nodes = 300
        generator = np.random.default_rng(1)
        ends = generator.integers(0, nodes, (2, 5000)).astype(np.uint32)
        engine = pykindred.SpreadingEngine(nodes, ends[0], ends[1], generator.random(5000, np.float32))
        for columns in (1, 8, 32, 33):
            x = tensor("x", nodes, columns)
            self.assert_same_at_any_element(lambda given, out: engine.hop(given, out=out), [x], torch.zeros(nodes, columns))

    def test_searches(self):
        index = pykindred.VectorIndex(vectors("rows", 200, 24))
        queries = tensor("queries", 5, 24)
        scores, ids = torch.zeros(5, 9), torch.zeros(5, 9, dtype=torch.int64)
        lists = torch.arange(5 * 40).view(5, 40) % 200
        self.assert_same_at_any_element(lambda q, out: index.score_all(q, out=out), [queries], torch.zeros(5, 200), gaps=(0, 1, 4))
        for path in ("brute_force", "gemm"):
            self.assert_same_at_any_element(lambda q, s, i, path=path: index.search(q, 9, path=path, out=(s, i)), [queries], scores, ids, gaps=(0, 1, 4))
        self.assert_same_at_any_element(lambda q, c, s, i: index.score(q, c, 9, out=(s, i)), [queries, lists], scores, ids, gaps=(0, 1, 4))

    def test_operators(self):
        for dtype in TYPES:
            for call, inputs, columns in ((operators.layer_norm_act, norm_inputs(9, 64, dtype=dtype), 64),
                                          (partial(operators.linear_act, reproducible=True), linear_inputs(9, 64, 32, dtype=dtype), 32),
                                          (operators.seed_forward, PlainSeeds(dtype=dtype).arguments(), 40)):
                self.assert_same_at_any_element(lambda *given, call=call: given[-1].copy_(call(*given[:-1])), inputs,
                                                torch.zeros(9, columns, dtype=dtype), gaps=(0, 1, 4))


@unittest.skipUnless(HAS_GPU, "PyTorch or the library has no GPU here")
class Streams(unittest.TestCase):
    def test_calls_run_on_the_current_stream(self):
        for name, (call, given, _) in list(cases("cuda", grad=False).items())[:4]:
            with self.subTest(name):
                expected = call(*given)
                stream = torch.cuda.Stream()
                stream.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(stream):
                    x = given[0] * 0
                    torch.cuda._sleep(50_000_000)
                    x += given[0]
                    y = call(x, *given[1:]) * 1
                stream.synchronize()
                self.assertTrue(torch.equal(y, expected))

    def test_gradients_are_computed_on_the_stream_of_the_forward_pass(self):
        stream = torch.cuda.Stream()
        for name, (call, given, _) in list(cases("cuda").items())[:4]:
            with self.subTest(name):
                for one in given:  # cases share some
                    one.grad = None
                call(*given).sum().backward()
                expected = [one.grad for one in given if one.requires_grad]
                copies = [one.detach().clone().requires_grad_(one.requires_grad) for one in given]
                stream.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(stream):
                    call(*copies).sum().backward()
                torch.cuda.synchronize()
                for one, other in zip((one.grad for one in copies if one.requires_grad), expected, strict=True):
                    self.assertTrue(torch.equal(one, other))

    def test_calls_and_their_gradients_do_not_wait_for_the_device(self):
        for name, (call, given, _) in list(cases("cuda").items())[:4]:
            with self.subTest(name):
                gradient = torch.ones_like(call(*given))
                call(*given).backward(gradient)  # loads the kernels
                torch.cuda.synchronize()
                torch.cuda._sleep(1_000_000_000)  # cycles
                begun = torch.cuda.Event()
                begun.record()
                call(*given).backward(gradient)
                self.assertFalse(begun.query())
                torch.cuda.synchronize()

    def check_graph(self, computed, changes):
        """A replay of a CUDA graph has the results of new calls after each change of the inputs."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(2):  # loads the kernels
                computed()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = computed()
        for change in changes:
            change()
            graph.replay()
            torch.cuda.synchronize()
            for one, other in zip(found, computed(), strict=True):
                self.assertTrue(torch.equal(one, other))

    def test_layers_in_a_cuda_graph_read_their_tensors_at_every_replay(self):
        ops, options = torch.ops.kindred, ("gelu", False)
        x, gamma, beta = norm_inputs(rows=64, device="cuda")
        _, w, bias = linear_inputs(device="cuda")
        half = {"device": "cuda", "dtype": torch.bfloat16}
        large, of_large = linear_inputs(160, 128, 136, **half), tensor("l", 160, 136, **half)
        norm_gradient, gradient = (tensor("g", 64, width, device="cuda") for width in (40, 24))
        self.check_graph(lambda: (
            operators.layer_norm_act(x, gamma, beta), operators.linear_act(x, w, bias),
            operators.linear_act(*large, activation="gelu"),
            *ops.layer_norm_act_backward(norm_gradient, x, gamma, beta, 1e-5, "gelu", True, True),
            *ops.linear_act_backward(gradient, x, w, bias, *options, True, True, True),
            *ops.linear_act_backward(of_large, *large, *options, True, True, True)),
            [lambda: [one.mul_(-1.25) for one in (x, gamma, w, bias, large[0])]] * 3)

    def test_seeds_in_a_cuda_graph_read_their_state_at_every_replay(self):
        seeds, ops = PlainSeeds("cuda", rows=64), torch.ops.kindred
        gradient, options = tensor("g", 64, 40, device="cuda"), (0, "kindred", True)
        self.check_graph(lambda: (
            operators.seed_forward(*seeds.arguments()),
            *ops.seed_forward_sums(*seeds.arguments(), *options),
            *ops.seed_backward(gradient, *seeds.arguments(), *options, True, True)),
            [lambda code=code: (seeds.lifecycle.fill_(code), seeds.x.mul_(1.5),
                                seeds.weights.add_(1)) for code in (0, 3, 7)])

    def test_functions_of_the_package_take_tensors_on_a_device(self):
        seeds = PlainSeeds("cuda", rows=40)
        given, (x, w, _) = seeds.arguments(), linear_inputs(device="cuda")
        zeros = torch.zeros(3, 8, device="cuda", dtype=torch.float64)
        sums = pykindred.SeedSums(*zeros)
        exact, grads = {"reproducible": True}, (given[0], *given)
        for stream in (None, torch.cuda.Stream(), torch.cuda.current_stream().cuda_stream):
            for call, tensors, options in ((pykindred.forward_seeds, given, {}),
                                           (pykindred.backward_seeds, grads, {}),
                                           (pykindred.layer_norm_act, (x,), {}),
                                           (pykindred.linear_act, (x, w), exact)):
                found = call(*tensors, stream=stream, **options)
                expected = call(*(one.cpu().numpy() for one in tensors), **options)
                torch.cuda.synchronize()
                pairs = zip(found, expected) if isinstance(expected, tuple) else [(found, expected)]
                for one, other in pairs:
                    np.testing.assert_array_equal(one.cpu(), other)
            pykindred.forward_seeds(*given, stream=stream, telemetry=sums)
            torch.cuda.synchronize()
            self.assertEqual(sums.count.tolist(), [200] * 8)

    def test_seed_layers_take_tensors_on_a_device(self):
        layer, arrays = layer_of("device")
        x, g = vectors("x", 33, 103), vectors("g", 33, 103)
        expected = pykindred.forward_seeds(x, *arrays)
        gradients = layer.backward(x, g)
        on_device, of_y = torch.from_numpy(x).cuda(), torch.from_numpy(g).cuda()
        for stream in (None, torch.cuda.Stream()):
            y = layer.forward(on_device, stream=stream)
            found = layer.backward(on_device, of_y, stream=stream)
            telemetry = layer.telemetry()
            torch.cuda.synchronize()
            np.testing.assert_array_equal(y.cpu(), expected)
            np.testing.assert_array_equal(telemetry.count, [33 * len(layer.features(seed)) for seed in range(len(layer))])
            for one, other in zip(found, gradients, strict=True):
                np.testing.assert_array_equal(one.cpu(), other)
        with self.assertRaisesRegex(ValueError, "out is"):
            layer.forward(on_device, out=np.empty_like(x))


class LazyViews(unittest.TestCase):
    """Tensors whose elements are not what their memory has."""

    def views(self, device, grad=False):
        x = tensor("lazy", 6, 16, device=device, grad=grad)
        yield "negative", torch._neg_view(x), x
        z = torch.complex(x, 2 * x)
        yield "imaginary part of a conjugate", z.conj().imag, x

    def test_operators_take_them(self):
        w = tensor("w", 3, 16)
        for device in DEVICES:
            for name, view, _ in self.views(device):
                self.assertTrue(view.is_neg(), name)
                of = w.to(device)
                for call in (operators.layer_norm_act, lambda one, of=of: operators.linear_act(one, of), lambda one, of=of: operators.linear_act(of, one)):
                    self.assertTrue(torch.equal(call(view), call(view.resolve_neg())), name)
            zero = torch._efficientzerotensor((6, 16), device=device)
            self.assertTrue(torch.equal(operators.linear_act(zero, w.to(device)), torch.zeros(6, 3, device=device)))

    def test_their_gradients(self):
        for device in DEVICES:
            for name, view, x in self.views(device, grad=True):
                found, = torch.autograd.grad(operators.layer_norm_act(view).square().sum(), x, retain_graph=True)
                expected, = torch.autograd.grad(operators.layer_norm_act(view.resolve_neg()).square().sum(), x)
                torch.testing.assert_close(found, expected, msg=name)
            x = tensor("lazy", 6, 16, device=device, grad=True)
            y = operators.layer_norm_act(x)
            gradient = torch._neg_view(tensor("gradient", 6, 16, device=device))
            found, = torch.autograd.grad(y, x, gradient, retain_graph=True)
            expected, = torch.autograd.grad(y, x, gradient.resolve_neg())
            torch.testing.assert_close(found, expected)

    def test_other_calls_refuse_them_by_name(self):
        plain = tensor("plain", 6, 16)
        for name, view, _ in self.views("cpu"):
            for call in (lambda: pykindred.row_scores(view, plain), lambda: pykindred.row_scores(plain, view), lambda: pykindred.VectorIndex(view),
                         lambda: pykindred.layer_norm_act(view), lambda: pykindred.layer_norm_act(plain, out=view)):
                with self.assertRaisesRegex(pykindred.InvalidArgument, "resolve_neg", msg=name):
                    call()
            pykindred.row_scores(view.resolve_neg(), plain)
        zero = torch._efficientzerotensor((6, 16))
        with self.assertRaisesRegex(pykindred.InvalidArgument, "no memory"):
            pykindred.row_scores(zero, plain)
        self.assertEqual(pykindred.row_scores(torch.zeros(0, 16), plain).shape, (0, 6))


if __name__ == "__main__":
    unittest.main()
