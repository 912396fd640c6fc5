// SPDX-License-Identifier: Apache-2.0
// Calls of layers on a stream, and prepared calls: on a device by the functions themselves, on the
// host what launches their layers.
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/backends/impl/CudaGraph.hpp>
#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/core/arch/Specialized.hpp>
#include <kindred/core/arch/launch/Event.hpp>
#include <kindred/memory/Buffer.hpp>

#include "LayerCases.hpp"
#include "RefusedCalls.hpp"
#include "layers/DeviceCopies.hpp"
#include "layers/LayerQueue.hpp"

namespace Kindred::Testing::Layers::QueuedLayersTest {

/// A product library of the host with the functions of `DeviceGemm`.
struct NaiveGemm {
  void prepare(const Impl::GemmShape&) {}
  template <class ExecutionSpace>
  void run(const ExecutionSpace&, const Impl::GemmShape& shape, const void* a, const void* b,
           void* c, const float* bias = nullptr) {
    using Impl::GemmEpilogue;
    const auto of_a = rows_of(shape.input, a, shape.m, shape.k, shape.lda);
    const auto of_b = rows_of(shape.input, b, shape.n, shape.k, shape.ldb);
    const bool is_relu =
        shape.epilogue == GemmEpilogue::relu || shape.epilogue == GemmEpilogue::bias_relu;
    for (std::uint64_t row = 0; row < shape.m; ++row) {
      for (std::uint64_t column = 0; column < shape.n; ++column) {
        const float product = Reference::linear(
            of_a[row], of_b[column], bias == nullptr ? 0 : bias[column], is_relu ? relu : none);
        const std::uint32_t bits = Reference::rounded(element_of(shape.output), product);
        std::memcpy(
            static_cast<std::byte*>(c) + (row * shape.ldc + column) * Impl::size_of(shape.output),
            &bits, Impl::size_of(shape.output));
      }
    }
  }

 private:
  static DataType element_of(Impl::GemmType type) {
    if (type == Impl::GemmType::float16) return float16;
    return type == Impl::GemmType::bfloat16 ? bfloat16 : float32;
  }
  static std::vector<std::vector<float>> rows_of(Impl::GemmType type, const void* data,
                                                 std::uint64_t rows, std::uint64_t columns,
                                                 std::uint64_t stride) {
    std::vector<std::vector<float>> out;
    Matrix matrix(element_of(type), 1, columns);
    const std::size_t size = Impl::size_of(type);
    for (std::uint64_t row = 0; row < rows; ++row) {
      std::memcpy(matrix.view().data(), static_cast<const std::byte*>(data) + row * stride * size,
                  columns * size);
      out.push_back(matrix.row(0));
    }
    return out;
  }
};

/// Streams of a caller: those of the instances on a device.
template <class ExecutionSpace>
Stream stream_of([[maybe_unused]] const ExecutionSpace& exec_space) {
  if constexpr (Arch::is_device<ExecutionSpace>) return Stream::cuda(exec_space.cuda_stream());
  return Stream::cuda(nullptr);
}

/// Calls on streams. On the host, a queue with a product library of its own runs them.
template <class ExecutionSpace>
class Caller {
 public:
  using execution_space = ExecutionSpace;
  using Copies = Impl::DeviceCopies<ExecutionSpace>;
  using Bytes = Buffer<std::byte, typename ExecutionSpace::memory_space>;

  const ExecutionSpace own;
  const Space space;

  Caller(const ExecutionSpace& exec_space, Space of)
      : own(Impl::instance_beside(exec_space)), space(of) {}

  /// Runs layers that lie in the memory of the space.
  template <class Layer>
  void call(const std::vector<Layer>& layers, bool reproducible = true,
            std::span<std::byte> workspace = {}) {
    call_on(own, layers, reproducible, workspace);
  }
  template <class Layer>
  void call_on(const ExecutionSpace& exec_space, const std::vector<Layer>& layers,
               bool reproducible = true, std::span<std::byte> workspace = {}) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      const std::int64_t size[] = {static_cast<std::int64_t>(workspace.size())};
      const Array array(workspace.data(), uint8, size, {}, ArrayMemory::device,
                        context().info(Space::cuda).device_index);
      run_layers(context(), layers, {{}, reproducible, stream_of(exec_space), array});
    } else {
      m_queue.run({exec_space, memory(), stream_of(exec_space), workspace, reproducible},
                  Impl::checked(std::span<const Layer>(layers), space));
    }
  }
  template <class Layer>
  std::size_t workspace_bytes(const std::vector<Layer>& layers) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      return layers_workspace(context(), layers, {{}, true});
    } else {
      return m_queue.workspace_bytes(own, Impl::checked(std::span<const Layer>(layers), space),
                                     true);
    }
  }
  /// Calls `body(placed, layer)` for a layer of each kind, whose arrays \p placed has in the memory
  /// of the space; what it writes is copied back.
  template <class Case, class Body>
  void for_each_layer(Case& one, const Body& body) {
    one.for_each_layer([&](const auto& layer) {
      Copies copies(own, memory());
      body(std::vector{Impl::with_arrays(copies, layer)}, layer);
      copies.give_back();
    });
  }
  MemoryResource& memory() const { return context().memory(space); }
  std::uint64_t allocations() const { return context().memory_statistics(space).allocations_total; }

 private:
  Impl::LayerQueue<ExecutionSpace, NaiveGemm> m_queue;
};

/// Calls `body(caller)` on every space, with an instance of its own.
template <class Body>
void on_callers(const Body& body) {
  on_spaces([&](const auto& exec_space, Space space) {
    Caller caller(exec_space, space);
    body(caller);
  });
}

/// Layers of all kinds and their arrays.
struct Case {
  NormCase norm;
  LinearCase linear;

  template <class Body>
  void for_each_layer(const Body& body) {
    body(norm.forward());
    body(linear.forward());
    body(norm.backward());
    body(linear.backward());
  }
  auto results() const { return std::pair(norm.results(), linear.results()); }
};

Case random_case(std::mt19937_64& generator, std::size_t rows, std::size_t columns,
                 std::size_t outputs) {
  const DataType in = any_element(generator), out = any_element(generator);
  return {norm_case(generator, in, out, rows, columns, all_activations[generator() % 3]),
          any_linear(generator, {rows, columns, outputs})};
}

/// The bits that any call computes.
auto expected_of(Case one) {
  one.for_each_layer([](const auto& layer) { run(layer, {Space::serial, true}); });
  return one.results();
}

/// Calls with the workspace of the caller, of which a call uses no more than it says.
template <class Caller, class Layer>
void call_with_workspace(Caller& caller, const std::vector<Layer>& layers) {
  const std::size_t bytes = caller.workspace_bytes(layers);
  constexpr std::size_t margin = 256;
  constexpr std::byte mark{0x5A};
  std::vector<std::byte> marks(bytes + margin, mark);
  typename Caller::Bytes workspace(caller.memory(), "Kindred::Testing::workspace", marks.size());
  Impl::upload(caller.own, workspace.view(), marks.data(), marks.size());
  const auto before = caller.allocations();
  const auto with = [&](std::size_t size) { caller.call(layers, true, {workspace.data(), size}); };
  with(bytes);
  with(bytes + margin);
  EXPECT_EQ(caller.allocations(), before);
  Impl::download(caller.own, marks.data(), workspace.const_view(), marks.size());
  EXPECT_EQ(std::count(marks.end() - margin, marks.end(), mark), margin);
  if (bytes == 0) return;
  expect_refused(
      {{[&] { with(bytes - 1); }, "the workspace has " + std::to_string(bytes - 1) +
                                      " bytes; this call needs " + std::to_string(bytes)}});
}

TEST(QueuedLayers, HaveTheBitsOfOtherCallsWithEitherWorkspaceAndAllocateItOnce) {
  on_callers([](auto& caller) {
    auto generator = Testing::generator("QueuedLayers.bits");
    for (const std::size_t rows : {0, 1, 2, 3, 31, 33})
      for (const std::size_t columns : {1, 2, 31, 64, 257})
        for (const std::size_t outputs : {0, 1, 5, 32}) {
          const Case given = random_case(generator, rows, columns, outputs);
          const auto expected = expected_of(given);
          Case one = given, other = given;
          caller.for_each_layer(one, [&](const auto& placed, const auto&) {
            caller.call(placed);
            const auto before = caller.allocations();
            caller.call(placed);
            EXPECT_EQ(caller.allocations(), before);
          });
          caller.for_each_layer(
              other, [&](const auto& placed, const auto&) { call_with_workspace(caller, placed); });
          EXPECT_EQ(one.results(), expected) << one.linear.name();
          EXPECT_EQ(other.results(), expected) << one.linear.name();
        }
  });
}

TEST(QueuedLayers, OfAListShareAWorkspaceAndStreamsDoNot) {
  on_callers([]<class Caller>(Caller& caller) {
    auto generator = Testing::generator("QueuedLayers.lists");
    struct Stream {
      typename Caller::execution_space exec_space;
      std::vector<Case> cases;
      typename Caller::Copies copies;
      std::vector<NormGradient> norms = {};
      std::vector<LinearGradient> linears = {};
    };
    std::vector<Case> cases;
    for (const std::size_t rows : {3, 40, 7, 300})
      cases.push_back(random_case(generator, rows, 48, 24));
    const auto second = Impl::instance_beside(caller.own);
    Stream streams[] = {{caller.own, cases, {caller.own, caller.memory()}},
                        {second, cases, {second, caller.memory()}}};
    for (Stream& stream : streams) {
      for (Case& one : stream.cases) {
        stream.norms.push_back(Impl::with_arrays(stream.copies, one.norm.backward()));
        stream.linears.push_back(Impl::with_arrays(stream.copies, one.linear.backward()));
      }
    }
    // The workspaces grow from call to call.
    auto& [own, other] = streams;
    caller.call(std::vector(own.norms.begin(), own.norms.begin() + 1));
    for (int i = 0; i < 3; ++i) {
      caller.call_on(own.exec_space, own.norms);
      caller.call_on(other.exec_space, other.linears);
      caller.call_on(own.exec_space, own.linears);
      caller.call_on(other.exec_space, other.norms);
    }
    for (Stream& stream : streams) stream.copies.give_back();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      run(cases[i].norm.backward(), {Space::serial, true});
      run(cases[i].linear.backward(), {Space::serial, true});
      for (const Stream& stream : streams) EXPECT_EQ(stream.cases[i].results(), cases[i].results());
    }
  });
}

/// The largest difference of elements relative to the root of the mean square.
double difference(const Matrix& found, const Matrix& expected) {
  const Doubles a = found.values(), b = expected.values();
  double largest = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
    squares += b[i] * b[i];
  }
  return largest / std::sqrt(squares / static_cast<double>(a.size()));
}

TEST(QueuedLayers, LargeProductsAreThoseOfALibrary) {
  on_callers([]<class Caller>(Caller& caller) {
    auto generator = Testing::generator("QueuedLayers.products");
    for (const DataType in : {float32, bfloat16})
      for (const DataType out : {float32, float16})  // in panels
        for (const LayerActivation activation : all_activations) {
          const LinearCase one = linear_case(generator, in, out, {160, 128, 136}, activation, 1);
          SCOPED_TRACE(one.name());
          const auto called = [&](const auto& call) {
            LinearCase result = one;
            typename Caller::Copies copies(caller.own, caller.memory());
            call(std::vector{Impl::with_arrays(copies, result.forward())},
                 std::vector{Impl::with_arrays(copies, result.backward())});
            copies.give_back();
            return result;
          };
          const auto queued = [&](bool reproducible) {
            return called([&](const auto& layers, const auto& gradients) {
              caller.call(layers, reproducible);
              caller.call(gradients, reproducible);
            });
          };
          const LinearCase expected = queued(true), fast = queued(false);
          for (const auto matrix : {&LinearCase::y, &LinearCase::dx, &LinearCase::dw}) {
            const double error = std::max(roundoff(in), roundoff((one.*matrix).element));
            EXPECT_LT(difference(fast.*matrix, expected.*matrix), 8 * (4 * error + 1e-4));
          }
          if (caller.space != Space::cuda) continue;
          // The prepared forms choose the same algorithms.
          const LinearCase prepared = called([&](const auto& layers, const auto& gradients) {
            const LayerOptions options{.space = caller.space, .stream = stream_of(caller.own)};
            prepare_layers(context(), layers, options).run();
            prepare_layers(context(), gradients, options).run();
          });
          EXPECT_EQ(prepared.results(), fast.results());
        }
  });
}

TEST(QueuedLayers, RefuseWhatDoesNotFit) {
  auto generator = Testing::generator("QueuedLayers.refusals");
  Case one = random_case(generator, 4, 8, 3);
  const auto before = one.results();
  const Stream stream = Stream::cuda(nullptr);
  std::vector<std::uint8_t> bytes(4096);
  const Array host(bytes);
  const auto call = [](const auto& layer, const LayerOptions& options) {
    return [=] { run(layer, options); };
  };
  one.for_each_layer([&](const auto& layer) {
    expect_refused({{call(layer, {.workspace = host}), "without a stream"},
                    {call(layer, {.space = Space::serial, .stream = stream}), "space is serial"}});
    if (!context().is_usable(Space::cuda)) {
      EXPECT_THROW(call(layer, {.stream = stream})(), SpaceUnavailable);
      return;
    }
    expect_refused({{call(layer, {.stream = stream}), "not in device memory"}});
    on_callers([&]<class Caller>(Caller& caller) {
      if (caller.space != Space::cuda) return;
      typename Caller::Copies copies(caller.own, caller.memory());
      const auto placed = Impl::with_arrays(copies, layer);
      typename Caller::Bytes workspace(caller.memory(), "workspace", 4096);
      const auto with = [&](const Array& array) {
        return call(placed, {.reproducible = true, .stream = stream, .workspace = array});
      };
      const auto array = [&](const void* data, DataType type) {
        const std::int64_t count[] = {256};
        return Array(const_cast<void*>(data), type, count, {}, ArrayMemory::device,
                     context().info(Space::cuda).device_index);
      };
      expect_refused({{with(host), "not in device memory"},
                      {with(array(workspace.data() + 8, uint8)), "not aligned to 256 bytes"},
                      {with(array(workspace.data(), float32)), "the workspace is float32"},
                      {with(array(placed.x.data(), uint8)), "overlaps an array"}});
      Arch::fence(caller.own, "Kindred::Testing::refused");
    });
  });
  EXPECT_EQ(one.results(), before);
}

/// Keeps a device busy for some tenths of a second.
struct Busy {
  double* out;
  KOKKOS_FUNCTION void operator()(int) const {
    double value = *out;
    for (int i = 0; i < 100'000'000; ++i) value = value * 0.999999 + 1e-9;
    *out = value;
  }
};

TEST(QueuedLayers, DoNotWaitForTheDevice) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "needs a device";
  on_callers([]<class Caller>(Caller& caller) {
    if (caller.space != Space::cuda) return;
    using ExecutionSpace = typename Caller::execution_space;
    auto generator = Testing::generator("QueuedLayers.waits");
    Case one = random_case(generator, 64, 96, 32);
    const auto expected = expected_of(one);
    Buffer<double, typename ExecutionSpace::memory_space> number(caller.memory(), "number", 1);
    const double start = 1;
    Impl::upload(caller.own, number.view(), &start, 1);
    caller.for_each_layer(one, [&](const auto& placed, const auto&) {
      caller.call(placed);  // loads the kernels and allocates
      Kokkos::parallel_for("Kindred::Testing::busy",
                           Kokkos::RangePolicy<ExecutionSpace>(caller.own, 0, 1),
                           Busy{number.data()});
      Arch::Event<ExecutionSpace> begun;
      begun.record(caller.own);
      for (int i = 0; i < 3; ++i) caller.call(placed);
      EXPECT_FALSE(begun.is_complete() && Arch::is_device<ExecutionSpace>)
          << "the device is still busy with what was launched before";
    });
    EXPECT_EQ(one.results(), expected);
  });
}

TEST(QueuedLayers, CanBeCapturedWithTheWorkspaceOfTheCaller) {
  on_callers([]<class Caller>(Caller& caller) {
    using ExecutionSpace = typename Caller::execution_space;
    constexpr bool is_device = Arch::is_device<ExecutionSpace>;
    auto generator = Testing::generator("QueuedLayers.captured");
    Case one = random_case(generator, 40, 96, 32);
    Case changed = one;
    for (Matrix* x : {&changed.norm.x, &changed.linear.x})
      for (std::size_t i = 0; i < x->columns; ++i) x->set(i % 40, i, 0.5F);
    caller.for_each_layer(one, [&](const auto& placed, const auto& layer) {
      const std::size_t bytes = caller.workspace_bytes(placed);
      typename Caller::Bytes workspace(caller.memory(), "Kindred::Testing::workspace", bytes);
      Impl::CudaGraph<ExecutionSpace> graph;
      graph.capture(caller.own, [&] { caller.call(placed, true, {workspace.data(), bytes}); });
      // Without specialised forms nothing is recorded.
      EXPECT_EQ(graph.is_recorded(), is_device && KINDRED_ENABLE_SPECIALIZED != 0);
      // Replays read the arrays again.
      const bool is_norm = layer.x.data() == std::as_const(one.norm.x).view().data();
      const Matrix& x = is_norm ? changed.norm.x : changed.linear.x;
      const Impl::ByteRange range(x.view());
      typename Caller::Bytes target(static_cast<std::byte*>(const_cast<void*>(placed[0].x.data())),
                                    range.end - range.begin);
      Impl::upload(caller.own, target.view(), x.bytes.data(), target.size());
      for (int replay = 0; replay < 2; ++replay) graph.replay(caller.own);
      if constexpr (is_device) {
        // What the context keeps may be used by other calls before a replay.
        int refusals = 0;
        Impl::CudaGraph<ExecutionSpace> other;
        other.capture(caller.own, [&] {
          try {
            caller.call(placed);
          } catch (const InvalidArgument&) {
            ++refusals;
          }
        });
        EXPECT_EQ(refusals, bytes > 0 && KINDRED_ENABLE_SPECIALIZED != 0 ? 1 : 0);
      }
    });
    EXPECT_EQ(one.results(), expected_of(changed));
  });
}

/// Prepares the layers that `layer_of(case)` makes, on arrays in the memory of every space and on a
/// stream, and compares what they write with calls one by one on the host.
/// \param kernel the only one of the calls; empty: there are several
template <class OneKind, class Layer>
void expect_prepared(const std::vector<OneKind>& given, Layer (OneKind::*layer_of)(),
                     const std::string& kernel) {
  std::vector<OneKind> expected = given;
  for (OneKind& one : expected) run((one.*layer_of)(), {Space::serial, true});
  on_callers([&]<class Caller>(Caller& caller) {
    std::vector<OneKind> cases = given;
    typename Caller::Copies copies(caller.own, caller.memory());
    std::vector<Layer> layers;
    for (OneKind& one : cases) layers.push_back(Impl::with_arrays(copies, (one.*layer_of)()));
    std::optional<Stream> stream;
    if (caller.space == Space::cuda) stream = stream_of(caller.own);
    // One kernel computes the same bits, reproducible or not.
    const LayerOptions options{caller.space, kernel.empty(), stream};
    const Prepared prepared = prepare_layers(context(), layers, options);
    prepared.run();
    prepared.wait();
    const auto before = caller.allocations();
    const KernelProfile profile;
    prepared.run();
    prepared.run();
    prepared.wait();
    EXPECT_EQ(caller.allocations(), before);
    if (const auto kernels = profile.kernels(); !kernel.empty()) {
      ASSERT_EQ(kernels.size(), 1U);
      EXPECT_EQ(kernels[0].label, kernel);
      EXPECT_EQ(kernels[0].count, 2U);
    }
    copies.give_back();
    for (std::size_t i = 0; i < cases.size(); ++i)
      EXPECT_EQ(cases[i].results(), expected[i].results()) << cases[i].name();
  });
}

TEST(PreparedLayers, OfManySmallLayersAreOneLaunchWithoutAllocation) {
  auto generator = Testing::generator("PreparedLayers");
  std::vector<NormCase> norms;
  std::vector<LinearCase> linears;
  for (std::size_t i = 0; i < 60; ++i) {
    const DataType in = float_elements[i % 3], out = float_elements[i / 9 % 3];
    const LayerActivation activation = all_activations[i / 3 % 3];
    norms.push_back(norm_case(generator, in, out, 9, 16 * (i % 40 + 1), activation));
    linears.push_back(linear_case(generator, in, out, {4 + i % 9, 16 + i, 8 + i % 31}, activation));
  }
  expect_prepared(norms, &NormCase::forward, "Kindred::Layers::fused_norms::rows");
  expect_prepared(linears, &LinearCase::forward, "Kindred::Layers::fused_linears::tiles");
  expect_prepared(std::vector(norms.begin(), norms.begin() + 6), &NormCase::backward, "");
  expect_prepared(std::vector(linears.begin(), linears.begin() + 6), &LinearCase::backward, "");
}

}  // namespace Kindred::Testing::Layers::QueuedLayersTest
