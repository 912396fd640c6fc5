// SPDX-License-Identifier: Apache-2.0
// Calls on arrays: bulk operations, layers, lattices; and what belongs to no engine.
#include <kindred/backends/ContextJson.hpp>
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/backends/Trace.hpp>
#include <kindred/matcher/Calibration.hpp>

#include "PublicCalls.hpp"

namespace Kindred {

inline std::string text_of(const std::unique_ptr<Dispatcher>& dispatcher) {
  return dispatcher->profile_json();
}

}  // namespace Kindred

namespace ArrayCallsTest {

using namespace Kindred;
using namespace Testing;

/// Runs a prepared call.
void run(const Prepared& prepared) {
  prepared.run();
  prepared.wait();
}

/// The input and the output of a call.
template <class T>
struct Values {
  explicit Values(T value) : in(500, value), out(500) {}

  std::vector<T> in;
  std::vector<T> out;
  std::span<const T> from{in};
  std::span<T> to{out};
};

TEST(OutOfMemory, OfBulkOperationsIsTyped) {
  Context& context = shared_context();
  expect_typed("Bulk", [&] { return Bulk(context); });
  const Bulk bulk(context);
  Values floats(1.5F);
  Values<std::int32_t> integers(3);
  Values<std::uint8_t> bytes(7);
  std::vector<std::uint8_t> keys(500);
  const std::span<std::uint8_t> keys_to(keys);
  double deviation = 0;
  float sum = 0;
  std::int64_t integer_sum = 0;
  const std::span<const float> from = floats.from;
  const std::span<float> to = floats.to;
  const ConstArray matrix = columns_of(std::as_const(floats.in), 10);
  const Array result = columns_of(floats.out, 10);
  const Array maxima(to.first(50));
  const std::vector a{matrix_array(from.first(200), 10, 20)};
  const std::vector b{matrix_array(from.first(200), 20, 10)};
  const std::vector c{matrix_array(to.first(100), 10, 10)};
  for (const Space space : host_spaces()) {
    SCOPED_TRACE(to_string(space));
    const BulkOptions on{space};
    expect_written("xor_bytes", bytes.to,
                   [&] { bulk.xor_elements(bytes.from, bytes.from, bytes.to, on); });
    expect_written("xor_with_new_keys", std::tie(bytes.to, keys_to),
                   [&] { bulk.xor_with_new_keys(bytes.from, keys_to, bytes.to, 5, on); });
    expect_written("element_wise", to,
                   [&] { bulk.element_wise(ElementWise::square, from, {}, to, on); });
    expect_written("element_wise with a number", to,
                   [&] { bulk.element_wise(ElementWise::add, from, 2.0F, to, on); });
    expect_written("element_wise of integers", integers.to, [&] {
      bulk.element_wise(ElementWise::add, integers.from, integers.from, integers.to, on);
    });
    expect_written("add_matrices", to, [&] { bulk.add_matrices(from, from, to, on); });
    expect_written("normalise", to, [&] { bulk.normalise(from, to, on); });
    expect_written("random_fill", to, [&] { bulk.random_fill(to, 7, 0, on); });
    expect_written("reduce", sum,
                   [&] { bulk.reduce(Reduction::deviation, from, std::span(&sum, 1), on); });
    expect_written("reduce of integers", integer_sum, [&] {
      bulk.reduce(Reduction::sum, integers.from, std::span(&integer_sum, 1), on);
    });
    for (const bool reproducible : {false, true}) {
      const BulkOptions products{.space = space, .reproducible = reproducible};
      expect_written("multiply", to, [&] { bulk.multiply(a, b, c, products); });
      expect_written("multiply arrays", to, [&] { bulk.multiply(a[0], b[0], c[0], products); });
    }
    expect_written("element_wise of arrays", to, [&] {
      bulk.element_wise(ElementWise::add, matrix, matrix, result, on);
      bulk.element_wise(ElementWise::square, matrix, {}, result, on);
    });
    expect_written("reduce of an array", to,
                   [&] { bulk.reduce(Reduction::max, matrix, maxima, on); });
    expect_written("xor_elements", integers.to,
                   [&] { bulk.xor_elements(integers.in, integers.in, integers.out, on); });
    expect_written("prepared calls", std::tie(to, bytes.to, deviation), [&] {
      run(Bulk::prepare_xor(context, bytes.from, bytes.from, bytes.to, on));
      run(Bulk::prepare_element_wise(context, ElementWise::add, from, 2.0F, to, on));
      run(Bulk::prepare_normalise(context, from, to, on));
      run(Bulk::prepare_random_fill(context, to, 7, 0, on));
      run(Bulk::prepare_reduce(context, Reduction::deviation, from, std::span(&deviation, 1), on));
      run(Bulk::prepare_multiply(context, a[0], b[0], c[0],
                                 {.space = space, .reproducible = true}));
    });
  }
  expect_typed("names", [] {
    return std::pair(parse<ElementWise>("square", "operation"),
                     parse<Reduction>("deviation", "reduction"));
  });
}

TEST(OutOfMemory, OfLayersIsTyped) {
  constexpr std::size_t columns = 8;
  const std::vector<float> given(6 * columns, 0.5F);
  const std::vector<float> weights(columns * columns, 0.25F);
  std::vector<float> out(given.size());
  std::vector<float> dw(weights.size());
  std::vector<float> sums(columns);
  const ConstArray x = columns_of(given, columns);
  const ConstArray w = columns_of(weights, columns);
  const Array y = columns_of(out, columns);
  const NormLayer norm{.x = x, .y = y};
  const LinearLayer linear{.x = x, .w = w, .y = y, .activation = LayerActivation::gelu};
  const NormGradient norm_gradient{.x = x, .gradient = x, .dx = y, .dgamma = sums};
  const LinearGradient linear_gradient{.x = x,
                                       .w = w,
                                       .gradient = x,
                                       .dx = y,
                                       .dw = columns_of(dw, columns),
                                       .dbias = sums,
                                       .activation = LayerActivation::gelu};
  Context& context = shared_context();
  for (const Space space : host_spaces()) {
    SCOPED_TRACE(to_string(space));
    LayerOptions options{.space = space};
    const auto expect_layer = [&](const char* name, const auto& layer) {
      const auto results = std::tie(out, dw, sums);
      const std::span layers(&layer, 1);
      expect_written(name, results, [&] { run_layers(context, layers, options); });
      expect_written("prepare_layers", results,
                     [&] { run(prepare_layers(context, layers, options)); });
    };
    expect_layer("norm layers", norm);
    expect_layer("norm gradients", norm_gradient);
    for (const bool reproducible : {false, true}) {
      options.reproducible = reproducible;
      expect_layer("linear layers", linear);
      expect_layer("linear gradients", linear_gradient);
    }
  }
}

TEST(OutOfMemory, OfLatticesIsTyped) {
  const std::vector<std::uint64_t> nodes{1, 6, 11, 23};
  const std::vector<LatticePair> edges{{2, 3}};
  const auto make = [&] { return Lattice(shared_context(), 3, 4, LatticeBlocks{nodes, edges}); };
  expect_typed("Lattice", make);
  const TypedCalls expect(make);
  const Lattice open(shared_context(), 3, 4);
  const std::vector<LatticePair> pairs{{0, 63}, {2, 5}};
  const std::vector<std::uint64_t> sources{0, 50};
  for (const Space space : host_spaces()) {
    SCOPED_TRACE(to_string(space));
    expect("measure", [&](auto& lattice) { return lattice.measure({space}); });
    expect("rows", [&](auto& lattice) { return lattice.rows({space}); });
    expect("path", [&](auto& lattice) { return lattice.path(0, 63, {space}); });
    expect("paths", [&](auto& lattice) { return lattice.paths(pairs, {space}); });
    expect_typed("paths of an open lattice", [&] { return open.paths(pairs, {space}); });
    expect("distances", [&](auto& lattice) { return lattice.distances(sources, {}, {space}); });
  }
  expect_typed("statistics", [&] { return open.statistics(); });
  expect("dense", [](auto& lattice) { return lattice.dense(); });
  expect("all_paths", [](auto& lattice) { return lattice.all_paths(0, 21, 5); });
  const TempFolder folder;
  const std::string path = folder / "lattice";
  make().save(path);
  expect("save", Written{&folder, "lattice"}, [&](auto& lattice) { lattice.save(path); });
}

TEST(OutOfMemory, OfABatchOfLatticesIsReportedByTheTaskOrTyped) {
  std::vector<LatticeTask> tasks(6);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].dimensions = 2;
    tasks[i].size = 4;
    if (i % 3 == 1) tasks[i].work = BuildLattice();
    if (i % 3 == 2) tasks[i].work = FindLatticePath{{0, 15}};
  }
  LatticeBatchOptions options;
  options.workers = 2;
  options.on_result = [](std::size_t, const LatticeResult& result) {
    if (result.error) std::rethrow_exception(result.error);
  };
  expect_typed("run_lattices", [&] { return run_lattices(shared_context(), tasks, options).done; });
}

TEST(OutOfMemory, OfFusedRankingsIsTyped) {
  const std::vector<std::vector<RankedItem>> rankings{{{1, 0.5}, {2, 0.25}}, {{2, 9}, {3, 8}}};
  for (const FusionRule rule : {FusionRule::reciprocal_rank, FusionRule::borda}) {
    expect_typed("fuse_rankings", [&] { return fuse_rankings(rankings, {.rule = rule}); });
  }
}

TEST(OutOfMemory, OfAContextIsTyped) {
  const TempFolder folder;
  const std::string profile_json_path = folder / "profile.json";
  const ContextOptions options{.threads = 2, .profile = profile_json_path};
  using Options = Copies<ContextOptions>;
  const TypedCalls expect([&] { return Options(options); });
  shared_context();  // Kokkos is initialised once, and its initialisation cannot be repeated
  const auto construct = [](Options& given) { return Context(given.take()).threads(); };
  expect("Context", construct);
  Context context(options);
  context.dispatcher().calibrate(Operations::lcs, Space::openmp, 1000, 0.25);
  context.dispatcher().calibrate_start(Space::openmp, 1e-5);
  context.save_profile();
  expect("Context with a profile", construct);
  expect_written("save_profile", Written{&folder, "profile.json"}, [&] { context.save_profile(); });
  expect_typed("default_profile_path", [] { return Context::default_profile_path(); });
  expect_typed("to_json of a context", [&] {
    return to_json(context, std::array<Operation, 1>{Operations::lcs}, "host", "by a test");
  });
  expect_typed("engine_operations", [] { return engine_operations().size(); });
}

TEST(OutOfMemory, OfADispatcherIsTyped) {
  const auto make = [] {
    auto dispatcher = std::make_unique<Dispatcher>(SpaceSet::host(), 2, Dispatcher::Options());
    dispatcher->calibrate(Operations::lcs, Space::serial, 1000, 0.5);
    return dispatcher;
  };
  const auto measured = make();
  measured->calibrate(Operations::lcs, Space::openmp, 1000, 0.25);
  measured->calibrate_start(Space::openmp, 1e-5);
  measured->calibrate_transfer(1e9, 1e-5);
  measured->calibrate_batch(Operations::lcs, 1000);
  expect_typed("profile_json", [&] { return measured->profile_json(); });
  const std::string profile = measured->profile_json();
  expect_typed("load_profile_json", make,
               [&](auto& dispatcher) { dispatcher->load_profile_json(profile); });
  const Workload workload{Operations::lcs, 1, 1000, 0, SpaceSet::all()};
  const DispatchRecord record = measured->decide(workload);
  expect_typed("to_json", [&] { return to_json(record); });
}

TEST(OutOfMemory, OfATraceOrAProfileOfKernelsEndsNoProcess) {
  const TempFolder folder;
  const std::string trace_path = folder / "trace";
  const std::vector<float> x(48, 0.5F);
  std::vector<float> y(48);
  const NormLayer norm{.x = columns_of(x, 8), .y = columns_of(y, 8)};
  const auto run_layer = [&] { run_layers(shared_context(), std::span(&norm, 1)); };
  const DispatchRecord record{.operation = Operations::lcs};
  expect_written("Trace", y, [&] {
    Trace trace;
    const auto span = trace.span("span");
    run_layer();
    trace.add(record);
    trace.write(trace_path);
  });
  Trace trace;
  run_layer();
  trace.add(record);
  expect_typed("Trace::json", [&] { return trace.json(); });
  expect_typed("KernelProfile", [&] {
    KernelProfile profile;
    run_layer();
    return profile.kernels().size() > 1000;
  });
}

}  // namespace ArrayCallsTest
