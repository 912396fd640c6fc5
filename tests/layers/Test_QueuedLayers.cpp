// SPDX-License-Identifier: Apache-2.0
// Calls of layers on a stream: on a device by the functions themselves, on the host what launches
// their layers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/backends/impl/CudaGraph.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/core/arch/Specialized.hpp>
#include <kindred/core/arch/launch/Event.hpp>
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "GradientCases.hpp"
#include "MessageOf.hpp"
#include "layers/DeviceCopies.hpp"
#include "layers/LayerQueue.hpp"

namespace QueuedLayersTest {

using namespace Kindred;
using namespace Testing::Gradients;
using Testing::context;
using ::testing::HasSubstr;
using Testing::Matrix;

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
        const float sum =
            std::inner_product(of_a[row].begin(), of_a[row].end(), of_b[column].begin(),
                               bias == nullptr ? 0 : bias[column]);
        const std::uint32_t bits =
            Testing::stored_bits(element_of(shape.output), is_relu ? std::max(sum, 0.0F) : sum);
        std::memcpy(
            static_cast<std::byte*>(c) + (row * shape.ldc + column) * Impl::size_of(shape.output),
            &bits, Impl::size_of(shape.output));
      }
    }
  }

 private:
  static DataType element_of(Impl::GemmType type) {
    if (type == Impl::GemmType::float16) return DataType::float16;
    return type == Impl::GemmType::bfloat16 ? DataType::bfloat16 : DataType::float32;
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
  explicit Caller(Space space) : m_space(space) {}

  /// Runs layers that lie in the memory of the space.
  template <class Layer>
  void call(const ExecutionSpace& exec_space, const std::vector<Layer>& layers,
            bool reproducible = true, std::span<std::byte> workspace = {}) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      run_layers(context(), layers, {{}, reproducible, stream_of(exec_space), array_of(workspace)});
    } else {
      m_queue.run(
          {exec_space, context().memory(m_space), stream_of(exec_space), workspace, reproducible},
          Impl::checked(std::span<const Layer>(layers), m_space));
    }
  }
  template <class Layer>
  std::size_t workspace_bytes(const ExecutionSpace& exec_space, const std::vector<Layer>& layers,
                              bool reproducible = true) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      return layers_workspace(context(), layers, {{}, reproducible});
    } else {
      return m_queue.workspace_bytes(
          exec_space, Impl::checked(std::span<const Layer>(layers), m_space), reproducible);
    }
  }
  static Array array_of(std::span<std::byte> bytes) {
    const std::int64_t size[] = {static_cast<std::int64_t>(bytes.size())};
    return {bytes.data(), DataType::uint8,     size,
            {},           ArrayMemory::device, context().info(Space::cuda).device_index};
  }

 private:
  Space m_space;
  Impl::LayerQueue<ExecutionSpace, NaiveGemm> m_queue;
};

/// Calls `body(caller, exec_space, space)` on every space, with an instance of its own.
template <class Body>
void on_spaces(const Body& body) {
  for (const Space space : Testing::spaces()) {
    SCOPED_TRACE(to_string(space));
    Impl::with_instance(context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
      Caller<ExecutionSpace> caller(space);
      body(caller, Impl::instance_beside(exec), space);
    });
  }
}

template <class ExecutionSpace>
using Bytes = Buffer<std::byte, typename ExecutionSpace::memory_space>;

/// Layers of all kinds and their arrays.
struct Case {
  NormCase norm;
  LinearCase linear;
  Matrix y, z;
  std::vector<float> mean, variance;

  NormLayer norm_layer() {
    const NormGradient like = norm.layer();
    return {like.x, y.view(), like.gamma, like.beta, mean, variance, like.epsilon, like.activation};
  }
  LinearLayer linear_layer() {
    const LinearGradient like = linear.layer();
    return {like.x, like.w, like.bias, z.view(), like.activation};
  }
  /// Calls \p body with a layer of each kind.
  template <class Body>
  void for_each_layer(const Body& body) {
    body(norm_layer());
    body(linear_layer());
    body(norm.layer());
    body(linear.layer());
  }
  auto results() const {
    return std::tuple(y.bytes(), z.bytes(), bits(mean), bits(variance), norm.dx.bytes(),
                      bits(norm.dgamma), bits(norm.dbeta), linear.dx.bytes(), linear.dw.bytes(),
                      bits(linear.dbias));
  }
};

Case random_case(std::mt19937_64& generator, std::size_t rows, std::size_t columns,
                 std::size_t outputs) {
  const auto element = [&] { return Testing::float_elements[generator() % 3]; };
  const auto activation = Testing::all_activations[generator() % 3];
  Case one{norm_case(generator, element(), element(), rows, columns, activation),
           linear_case(generator, element(), element(), rows, columns, outputs, activation),
           Matrix(element(), rows, columns, columns + generator() % 3),
           Matrix(element(), rows, outputs, outputs + generator() % 3),
           {},
           {}};
  one.mean.resize(rows);
  one.variance.resize(rows);
  return one;
}

/// The bits that any call computes.
auto expected_of(Case one) {
  one.for_each_layer([](const auto& layer) {
    run_layers(context(), std::span(&layer, 1), {Space::serial, true});
  });
  return one.results();
}

TEST(QueuedLayers, HaveTheBitsOfOtherCalls) {
  on_spaces([]<class ExecutionSpace>(Caller<ExecutionSpace>& caller, const ExecutionSpace& own,
                                     Space space) {
    auto generator = Testing::generator("QueuedLayers.bits");
    for (const std::size_t rows : {0, 1, 2, 3, 31, 33})
      for (const std::size_t columns : {1, 2, 31, 64, 257})
        for (const std::size_t outputs : {0, 1, 5, 32}) {
          SCOPED_TRACE(std::to_string(rows) + " × " + std::to_string(columns) + " × " +
                       std::to_string(outputs));
          Case one = random_case(generator, rows, columns, outputs);
          const auto expected = expected_of(one);
          one.for_each_layer([&](const auto& layer) {
            Impl::DeviceCopies<ExecutionSpace> copies(own, context().memory(space));
            caller.call(own, std::vector{Impl::with_arrays(copies, layer)});
            copies.give_back();
          });
          EXPECT_EQ(one.results(), expected);
        }
  });
}

TEST(QueuedLayers, OfAListShareAWorkspaceAndStreamsDoNot) {
  on_spaces([]<class ExecutionSpace>(Caller<ExecutionSpace>& caller, const ExecutionSpace& own,
                                     Space space) {
    auto generator = Testing::generator("QueuedLayers.lists");
    const ExecutionSpace other = Impl::instance_beside(own);
    std::vector<Case> cases;
    for (const std::size_t rows : {3, 40, 7, 300})
      cases.push_back(random_case(generator, rows, 48, 24));
    std::vector<Case> beside = cases;
    std::vector<NormGradient> norms, norms_beside;
    std::vector<LinearGradient> linears, linears_beside;
    Impl::DeviceCopies<ExecutionSpace> copies(own, context().memory(space));
    Impl::DeviceCopies<ExecutionSpace> copies_beside(other, context().memory(space));
    for (Case& one : cases) {
      norms.push_back(Impl::with_arrays(copies, one.norm.layer()));
      linears.push_back(Impl::with_arrays(copies, one.linear.layer()));
    }
    for (Case& one : beside) {
      norms_beside.push_back(Impl::with_arrays(copies_beside, one.norm.layer()));
      linears_beside.push_back(Impl::with_arrays(copies_beside, one.linear.layer()));
    }
    // The workspaces grow from call to call.
    caller.call(own, std::vector(norms.begin(), norms.begin() + 1));
    for (int i = 0; i < 3; ++i) {
      caller.call(own, norms);
      caller.call(other, linears_beside);
      caller.call(own, linears);
      caller.call(other, norms_beside);
    }
    copies.give_back();
    copies_beside.give_back();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      NormCase norm = cases[i].norm;
      LinearCase linear = cases[i].linear;
      const NormResult expected = Testing::Gradients::run(norm, Space::serial);
      const LinearResult of_linear = Testing::Gradients::run(linear, Space::serial, true);
      for (const Case* one : {&cases[i], &beside[i]}) {
        EXPECT_EQ(one->norm.dx.bytes(), expected.dx);
        EXPECT_EQ(bits(one->norm.dgamma), expected.dgamma);
        EXPECT_EQ(bits(one->norm.dbeta), expected.dbeta);
        EXPECT_EQ(one->linear.dx.bytes(), of_linear.dx);
        EXPECT_EQ(one->linear.dw.bytes(), of_linear.dw);
        EXPECT_EQ(bits(one->linear.dbias), of_linear.dbias);
      }
    }
  });
}

TEST(QueuedLayers, UseTheWorkspaceOfTheCallerAndNoMore) {
  on_spaces([]<class ExecutionSpace>(Caller<ExecutionSpace>& caller, const ExecutionSpace& own,
                                     Space space) {
    auto generator = Testing::generator("QueuedLayers.workspace");
    MemoryResource& memory = context().memory(space);
    Case one = random_case(generator, 33, 40, 24);
    const auto expected = expected_of(one);
    constexpr std::byte mark{0x5A};
    one.for_each_layer([&](const auto& layer) {
      Impl::DeviceCopies<ExecutionSpace> copies(own, memory);
      const std::vector placed{Impl::with_arrays(copies, layer)};
      const std::size_t bytes = caller.workspace_bytes(own, placed);
      constexpr std::size_t margin = 256;
      std::vector<std::byte> marks(bytes + margin, mark);
      Bytes<ExecutionSpace> workspace(memory, "Kindred::Testing::workspace", marks.size());
      Impl::upload(own, workspace.view(), marks.data(), marks.size());
      const auto before = context().memory_statistics(space).allocations_total;
      caller.call(own, placed, true, {workspace.data(), bytes});
      caller.call(own, placed, true, {workspace.data(), bytes + margin});
      EXPECT_EQ(context().memory_statistics(space).allocations_total, before);
      copies.give_back();
      Impl::download(own, marks.data(), workspace.const_view(), marks.size());
      EXPECT_EQ(std::count(marks.end() - margin, marks.end(), mark), margin);
      if (bytes == 0) return;
      EXPECT_THAT(Testing::message_of<InvalidArgument>([&] {
                    caller.call(own, placed, true, {workspace.data(), bytes - 1});
                  }),
                  HasSubstr("the workspace has " + std::to_string(bytes - 1) +
                            " bytes; this call needs " + std::to_string(bytes)));
    });
    EXPECT_EQ(one.results(), expected);
  });
}

TEST(QueuedLayers, AllocateNothingOnceTheirWorkspaceIsLargeEnough) {
  on_spaces([]<class ExecutionSpace>(Caller<ExecutionSpace>& caller, const ExecutionSpace& own,
                                     Space space) {
    auto generator = Testing::generator("QueuedLayers.allocations");
    Case one = random_case(generator, 33, 40, 24);
    one.for_each_layer([&](const auto& layer) {
      Impl::DeviceCopies<ExecutionSpace> copies(own, context().memory(space));
      const std::vector placed{Impl::with_arrays(copies, layer)};
      caller.call(own, placed);
      const auto before = context().memory_statistics(space).allocations_total;
      for (int i = 0; i < 3; ++i) caller.call(own, placed);
      EXPECT_EQ(context().memory_statistics(space).allocations_total, before);
      copies.give_back();
    });
  });
}

/// Layers that a product library computes; with other types of outputs than float32, in panels.
Case large_case(std::mt19937_64& generator, DataType in, DataType out, LayerActivation activation) {
  const std::size_t rows = 160, columns = 128, outputs = 136;
  Case one = random_case(generator, 1, 1, 1);
  one.linear = {random_matrix(generator, in, rows, columns),
                random_matrix(generator, in, outputs, columns),
                random_matrix(generator, out, rows, outputs),
                Matrix(out, rows, columns),
                Matrix(out, outputs, columns),
                Testing::normal_values(generator, outputs),
                std::vector<float>(outputs),
                activation};
  one.z = Matrix(out, rows, outputs);
  return one;
}

/// The largest difference of elements relative to the root of the mean square.
double difference(const Matrix& found, const Matrix& expected) {
  double largest = 0;
  double squares = 0;
  for (std::size_t r = 0; r < found.rows(); ++r)
    for (std::size_t c = 0; c < found.columns(); ++c) {
      const double value = expected.at(r, c);
      largest = std::max(largest, std::abs(static_cast<double>(found.at(r, c)) - value));
      squares += value * value;
    }
  return largest / std::sqrt(squares / static_cast<double>(found.rows() * found.columns()));
}

TEST(QueuedLayers, LargeProductsAreThoseOfALibrary) {
  on_spaces([]<class ExecutionSpace>(Caller<ExecutionSpace>& caller, const ExecutionSpace& own,
                                     Space space) {
    auto generator = Testing::generator("QueuedLayers.products");
    for (const DataType in : {DataType::float32, DataType::bfloat16})
      for (const DataType out : {DataType::float32, DataType::float16})
        for (const LayerActivation activation : Testing::all_activations) {
          SCOPED_TRACE(std::string(to_string(in)) + " to " + std::string(to_string(out)) + ", " +
                       Testing::name_of(activation));
          Case one = large_case(generator, in, out, activation);
          Case expected = one;
          for (const bool reproducible : {true, false}) {
            const LinearLayer layer = one.linear_layer();
            const LinearGradient gradient = one.linear.layer();
            Impl::DeviceCopies<ExecutionSpace> copies(own, context().memory(space));
            const std::vector layers{Impl::with_arrays(copies, layer)};
            const std::vector gradients{Impl::with_arrays(copies, gradient)};
            caller.call(own, layers, reproducible);
            caller.call(own, gradients, reproducible);
            copies.give_back();
            if (reproducible) std::swap(one, expected);
          }
          const double tolerance = 4 * std::max(roundoff(in), roundoff(out)) + 1e-4;
          EXPECT_LT(difference(one.z, expected.z), 8 * tolerance);
          EXPECT_LT(difference(one.linear.dx, expected.linear.dx), 8 * tolerance);
          EXPECT_LT(difference(one.linear.dw, expected.linear.dw), 8 * tolerance);
          if (space != Space::cuda) continue;
          // The prepared forms choose the same algorithms.
          Case prepared = one;
          Impl::DeviceCopies<ExecutionSpace> copies(own, context().memory(space));
          const LinearLayer layer = Impl::with_arrays(copies, prepared.linear_layer());
          const LinearGradient gradient = Impl::with_arrays(copies, prepared.linear.layer());
          const LayerOptions options{.space = space, .stream = stream_of(own)};
          const Prepared linears = prepare_layers(context(), std::span(&layer, 1), options);
          const Prepared gradients = prepare_layers(context(), std::span(&gradient, 1), options);
          linears.run();
          gradients.run();
          copies.give_back();
          EXPECT_EQ(prepared.results(), one.results());
        }
  });
}

TEST(QueuedLayers, RefuseWhatDoesNotFit) {
  auto generator = Testing::generator("QueuedLayers.refusals");
  Case one = random_case(generator, 4, 8, 3);
  const auto before = one.results();
  const Stream stream = Stream::cuda(nullptr);
  std::vector<std::byte> bytes(4096);
  const std::int64_t size[] = {4096};
  const Array host(bytes.data(), DataType::uint8, size);
  one.for_each_layer([&](const auto& layer) {
    const std::span layers(&layer, 1);
    const auto message = [&](const LayerOptions& given) {
      return Testing::message_of<InvalidArgument>([&] { run_layers(context(), layers, given); });
    };
    EXPECT_THAT(message({.workspace = host}), HasSubstr("without a stream"));
    EXPECT_THAT(message({.space = Space::serial, .stream = stream}), HasSubstr("space is serial"));
    if (!context().is_usable(Space::cuda)) {
      EXPECT_THROW(run_layers(context(), layers, {.stream = stream}), SpaceUnavailable);
      return;
    }
    EXPECT_THAT(message({.stream = stream}), HasSubstr("not in device memory"));
    Impl::with_instance(
        context(), Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& own) {
          Impl::DeviceCopies<ExecutionSpace> copies(own, context().memory(Space::cuda));
          const auto placed = Impl::with_arrays(copies, layer);
          Bytes<ExecutionSpace> workspace(context().memory(Space::cuda), "workspace", 4096);
          const auto refused = [&](const Array& array) {
            return Testing::message_of<InvalidArgument>([&] {
              run_layers(context(), std::span(&placed, 1),
                         {.reproducible = true, .stream = stream, .workspace = array});
            });
          };
          const auto array = [&](void* data, DataType type) {
            const std::int64_t count[] = {256};
            return Array(data, type, count, {}, ArrayMemory::device,
                         context().info(Space::cuda).device_index);
          };
          EXPECT_THAT(refused(host), HasSubstr("not in device memory"));
          EXPECT_THAT(refused(array(workspace.data() + 8, DataType::uint8)),
                      HasSubstr("not aligned to 256 bytes"));
          EXPECT_THAT(refused(array(workspace.data(), DataType::float32)),
                      HasSubstr("the workspace is float32"));
          EXPECT_THAT(refused(array(const_cast<void*>(placed.x.data()), DataType::uint8)),
                      HasSubstr("overlaps an array"));
          Arch::fence(own, "Kindred::Testing::refused");
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
  on_spaces([]<class ExecutionSpace>(Caller<ExecutionSpace>& caller, const ExecutionSpace& own,
                                     Space space) {
    if (space != Space::cuda) return;
    auto generator = Testing::generator("QueuedLayers.waits");
    Case one = random_case(generator, 64, 96, 32);
    const auto expected = expected_of(one);
    Buffer<double, typename ExecutionSpace::memory_space> number(context().memory(space), "number",
                                                                 1);
    const double start = 1;
    Impl::upload(own, number.view(), &start, 1);
    one.for_each_layer([&](const auto& layer) {
      Impl::DeviceCopies<ExecutionSpace> copies(own, context().memory(space));
      const std::vector placed{Impl::with_arrays(copies, layer)};
      caller.call(own, placed);  // loads the kernels and allocates
      Kokkos::parallel_for("Kindred::Testing::busy", Kokkos::RangePolicy<ExecutionSpace>(own, 0, 1),
                           Busy{number.data()});
      Arch::Event<ExecutionSpace> begun;
      begun.record(own);
      for (int i = 0; i < 3; ++i) caller.call(own, placed);
      EXPECT_FALSE(begun.is_complete() && Arch::is_device<ExecutionSpace>)
          << "the device is still busy with what was launched before";
      copies.give_back();
    });
    EXPECT_EQ(one.results(), expected);
  });
}

TEST(QueuedLayers, CanBeCapturedWithTheWorkspaceOfTheCaller) {
  on_spaces([]<class ExecutionSpace>(Caller<ExecutionSpace>& caller, const ExecutionSpace& own,
                                     Space space) {
    auto generator = Testing::generator("QueuedLayers.captured");
    MemoryResource& memory = context().memory(space);
    Case one = random_case(generator, 40, 96, 32);
    one.for_each_layer([&](const auto& layer) {
      Impl::DeviceCopies<ExecutionSpace> copies(own, memory);
      const std::vector placed{Impl::with_arrays(copies, layer)};
      const std::size_t bytes = caller.workspace_bytes(own, placed);
      Bytes<ExecutionSpace> workspace(memory, "Kindred::Testing::workspace", bytes);
      Impl::CudaGraph<ExecutionSpace> graph;
      graph.capture(own, [&] { caller.call(own, placed, true, {workspace.data(), bytes}); });
      // Without specialised forms nothing is recorded.
      EXPECT_EQ(graph.is_recorded(),
                Arch::is_device<ExecutionSpace> && KINDRED_ENABLE_SPECIALIZED != 0);
      // Replays read the arrays again.
      auto changed = layer;
      const auto columns = static_cast<std::size_t>(layer.x.extent(1));
      Matrix x =
          random_matrix(generator, layer.x.type(), static_cast<std::size_t>(layer.x.extent(0)),
                        columns, 0.5F, static_cast<std::size_t>(layer.x.stride(0)) - columns);
      changed.x = std::as_const(x).view();
      const Impl::ByteRange range(changed.x);
      Bytes<ExecutionSpace> target(static_cast<std::byte*>(const_cast<void*>(placed[0].x.data())),
                                   range.end - range.begin);
      Impl::upload(own, target.view(), static_cast<const std::byte*>(changed.x.data()),
                   target.size());
      for (int replay = 0; replay < 2; ++replay) graph.replay(own);
      copies.give_back();
      const auto found = one.results();
      run_layers(context(), std::span(&changed, 1), {Space::serial, true});
      EXPECT_EQ(one.results(), found);
      if constexpr (Arch::is_device<ExecutionSpace>) {
        // What the context keeps may be used by other calls before a replay.
        int refusals = 0;
        Impl::CudaGraph<ExecutionSpace> other;
        other.capture(own, [&] {
          try {
            caller.call(own, placed);
          } catch (const InvalidArgument&) {
            ++refusals;
          }
        });
        EXPECT_EQ(refusals, bytes > 0 && KINDRED_ENABLE_SPECIALIZED != 0 ? 1 : 0);
      }
    });
  });
}

}  // namespace QueuedLayersTest
