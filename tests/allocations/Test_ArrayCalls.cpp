// SPDX-License-Identifier: Apache-2.0
// Calls on arrays: bulk operations, layers, lattices; and what belongs to no engine.
#include <gtest/gtest.h>
#include <kindred/backends/ContextDescription.hpp>
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/backends/Trace.hpp>
#include <kindred/matcher/Calibration.hpp>

#include "ResultText.hpp"

#include <array>
#include <memory>

namespace Kindred {

inline std::string text_of(const std::unique_ptr<Dispatcher>& dispatcher) {
  return dispatcher->profile_json();
}

}  // namespace Kindred

namespace ArrayCallsTest {

using namespace Kindred;
using Testing::Copies;
using Testing::expect_out_of_memory;
using Testing::host_spaces;
using Testing::shared_context;
using Testing::TempFolder;
using Testing::Written;

TEST(OutOfMemory, OfBulkOperationsIsTyped) {
  expect_out_of_memory("Bulk", [] { return Bulk(shared_context()); });
  const Bulk bulk(shared_context());
  const std::vector<float> values(500, 1.5F);
  std::vector<float> out(500);
  const std::vector<std::int32_t> integers(500, 3);
  std::vector<std::int32_t> integers_out(500);
  const std::vector<std::uint8_t> bytes(500, 7);
  std::vector<std::uint8_t> bytes_out(500);
  std::vector<std::uint8_t> keys(500);
  const std::span<const float> from(values);
  const std::span<float> to(out);
  const std::span<const std::int32_t> integers_from(integers);
  const std::span<std::int32_t> integers_to(integers_out);
  const std::span<const std::uint8_t> bytes_from(bytes);
  const std::span<std::uint8_t> bytes_to(bytes_out);
  const std::span<std::uint8_t> keys_to(keys);
  for (const Space space : host_spaces()) {
    SCOPED_TRACE(to_string(space));
    const BulkOptions options{space};
    expect_out_of_memory("xor_bytes", [&] {
      bulk.xor_elements(bytes_from, bytes_from, bytes_to, options);
      return bytes_to;
    });
    expect_out_of_memory("xor_with_new_keys", [&] {
      bulk.xor_with_new_keys(bytes_from, keys_to, bytes_to, 5, options);
      return bytes_to;
    });
    expect_out_of_memory("element_wise", [&] {
      bulk.element_wise(ElementWise::square, from, {}, to, options);
      return to;
    });
    expect_out_of_memory("element_wise with a number", [&] {
      bulk.element_wise(ElementWise::add, from, 2.0F, to, options);
      return to;
    });
    expect_out_of_memory("element_wise of integers", [&] {
      bulk.element_wise(ElementWise::add, integers_from, integers_from, integers_to, options);
      return integers_to;
    });
    expect_out_of_memory("add_matrices", [&] {
      bulk.add_matrices(from, from, to, options);
      return to;
    });
    expect_out_of_memory("normalise", [&] {
      bulk.normalise(from, to, options);
      return to;
    });
    expect_out_of_memory("random_fill", [&] {
      bulk.random_fill(to, 7, 0, options);
      return to;
    });
    float sum = 0;
    expect_out_of_memory("reduce", [&] {
      bulk.reduce(Reduction::deviation, from, std::span(&sum, 1), options);
      return sum;
    });
    std::int64_t integer_sum = 0;
    expect_out_of_memory("reduce of integers", [&] {
      bulk.reduce(Reduction::sum, integers_from, std::span(&integer_sum, 1), options);
      return integer_sum;
    });
    BulkOptions products;
    products.space = space;
    for (const bool reproducible : {false, true}) {
      products.reproducible = reproducible;
      const std::vector a{matrix_array(from.first(200), 10, 20)};
      const std::vector b{matrix_array(from.first(200), 20, 10)};
      const std::vector c{matrix_array(to.first(100), 10, 10)};
      expect_out_of_memory("multiply", [&] {
        bulk.multiply(a, b, c, products);
        return to;
      });
    }
    const std::vector<std::int64_t> shape{50, 10};
    const ConstArray array(values.data(), DataType::float32, shape);
    const Array result(out.data(), DataType::float32, shape);
    expect_out_of_memory("element_wise of arrays", [&] {
      bulk.element_wise(ElementWise::add, array, array, result, options);
      bulk.element_wise(ElementWise::square, array, {}, result, options);
      return to;
    });
    expect_out_of_memory("reduce of an array", [&] {
      bulk.reduce(Reduction::max, array, Array(to.first(50)), options);
      return to;
    });
    expect_out_of_memory("xor_elements", [&] {
      bulk.xor_elements(ConstArray(integers_from), ConstArray(integers_from), Array(integers_to),
                        options);
      return integers_to;
    });
    expect_out_of_memory("multiply arrays", [&] {
      bulk.multiply(matrix_array(from.first(200), 10, 20), matrix_array(from.first(200), 20, 10),
                    matrix_array(to.first(100), 10, 10), products);
      return to;
    });
    double deviation = 0;
    expect_out_of_memory("prepared calls", [&] {
      Context& context = shared_context();
      const auto run = [](const Prepared& prepared) {
        prepared.run();
        prepared.wait();
      };
      run(Bulk::prepare_xor(context, bytes_from, bytes_from, bytes_to, options));
      run(Bulk::prepare_element_wise(context, ElementWise::add, from, 2.0F, to, options));
      run(Bulk::prepare_normalise(context, from, to, options));
      run(Bulk::prepare_random_fill(context, to, 7, 0, options));
      run(Bulk::prepare_reduce(context, Reduction::deviation, from, std::span(&deviation, 1),
                               options));
      run(Bulk::prepare_multiply(context, matrix_array(from.first(200), 10, 20),
                                 matrix_array(from.first(200), 20, 10),
                                 matrix_array(to.first(100), 10, 10), products));
      return to;
    });
  }
  expect_out_of_memory("names", [] {
    return std::pair(parse<ElementWise>("square", "operation"),
                     parse<Reduction>("deviation", "reduction"));
  });
}

TEST(OutOfMemory, OfLayersIsTyped) {
  constexpr std::size_t rows = 6;
  constexpr std::size_t columns = 8;
  const std::vector<float> x(rows * columns, 0.5F);
  const std::vector<float> w(columns * columns, 0.25F);
  std::vector<float> y(rows * columns);
  std::vector<float> dw(columns * columns);
  std::vector<float> sums(columns);
  NormLayer norm;
  norm.x = matrix_array(std::span(x), rows, columns);
  norm.y = matrix_array(std::span(y), rows, columns);
  LinearLayer linear;
  linear.x = norm.x;
  linear.w = matrix_array(std::span(w), columns, columns);
  linear.y = norm.y;
  linear.activation = LayerActivation::gelu;
  NormGradient norm_gradient;
  norm_gradient.x = norm_gradient.gradient = norm.x;
  norm_gradient.dx = norm.y;
  norm_gradient.dgamma = sums;
  LinearGradient linear_gradient;
  linear_gradient.x = linear_gradient.gradient = norm.x;
  linear_gradient.w = linear.w;
  linear_gradient.dx = norm.y;
  linear_gradient.dw = matrix_array(std::span(dw), columns, columns);
  linear_gradient.dbias = sums;
  linear_gradient.activation = LayerActivation::gelu;
  Context& context = shared_context();
  for (const Space space : host_spaces()) {
    SCOPED_TRACE(to_string(space));
    LayerOptions options;
    options.space = space;
    const auto expect_typed = [&](const char* name, const auto& layer, const auto& results) {
      expect_out_of_memory(name, [&] {
        run_layers(context, std::span(&layer, 1), options);
        return results;
      });
      expect_out_of_memory("prepare_layers", [&] {
        const Prepared prepared = prepare_layers(context, std::span(&layer, 1), options);
        prepared.run();
        prepared.wait();
        return results;
      });
    };
    expect_typed("norm layers", norm, std::span(y));
    expect_typed("norm gradients", norm_gradient, std::pair(std::span(y), std::span(sums)));
    for (const bool reproducible : {false, true}) {
      options.reproducible = reproducible;
      expect_typed("linear layers", linear, std::span(y));
      expect_typed("linear gradients", linear_gradient, std::pair(std::span(y), std::span(dw)));
    }
  }
}

TEST(OutOfMemory, OfLatticesIsTyped) {
  const TempFolder folder;
  const std::string lattice_path = folder / "lattice";
  const std::vector<std::uint64_t> nodes{1, 6, 11, 23};
  const std::vector<LatticePair> edges{{2, 3}};
  Context& context = shared_context();
  const auto make = [&] { return Lattice(context, 3, 4, LatticeBlocks{nodes, edges}); };
  expect_out_of_memory("Lattice", make);
  const Lattice open(context, 3, 4);
  const std::vector<LatticePair> pairs{{0, 63}, {2, 5}};
  const std::vector<std::uint64_t> sources{0, 50};
  for (const Space space : host_spaces()) {
    SCOPED_TRACE(to_string(space));
    expect_out_of_memory("measure", make,
                         [&](Lattice& lattice) { return lattice.measure({space}); });
    expect_out_of_memory("rows", make, [&](Lattice& lattice) { return lattice.rows({space}); });
    expect_out_of_memory("path", make,
                         [&](Lattice& lattice) { return lattice.path(0, 63, {space}); });
    expect_out_of_memory("paths", make,
                         [&](Lattice& lattice) { return lattice.paths(pairs, {space}); });
    expect_out_of_memory("paths of an open lattice", [&] { return open.paths(pairs, {space}); });
    expect_out_of_memory("distances", make,
                         [&](Lattice& lattice) { return lattice.distances(sources, {}, {space}); });
  }
  expect_out_of_memory("statistics", [&] { return open.statistics(); });
  expect_out_of_memory("dense", make, [](Lattice& lattice) { return lattice.dense(); });
  expect_out_of_memory("all_paths", make,
                       [](Lattice& lattice) { return lattice.all_paths(0, 21, 5); });
  make().save(lattice_path);
  expect_out_of_memory("save", make, [&](Lattice& lattice) {
    lattice.save(lattice_path);
    return Written{&folder, "lattice"};
  });
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
  expect_out_of_memory("run_lattices",
                       [&] { return run_lattices(shared_context(), tasks, options).done; });
}

TEST(OutOfMemory, OfFusedRankingsIsTyped) {
  const std::vector<std::vector<RankedItem>> rankings{{{1, 0.5}, {2, 0.25}}, {{2, 9}, {3, 8}}};
  for (const FusionRule rule : {FusionRule::reciprocal_rank, FusionRule::borda}) {
    FusionOptions options;
    options.rule = rule;
    expect_out_of_memory("fuse_rankings", [&] { return fuse_rankings(rankings, options); });
  }
}

TEST(OutOfMemory, OfAContextIsTyped) {
  const TempFolder folder;
  const std::string profile_json_path = folder / "profile.json";
  ContextOptions options;
  options.threads = 2;
  options.profile = profile_json_path;
  using Options = Copies<ContextOptions>;
  const auto make = [&] { return Options(options); };
  shared_context();  // Kokkos is initialised once, and its initialisation cannot be repeated
  expect_out_of_memory("Context", make,
                       [](Options& given) { return Context(given.take()).threads(); });
  Context context(options);
  context.dispatcher().calibrate(Operations::lcs, Space::openmp, 1000, 0.25);
  context.dispatcher().calibrate_start(Space::openmp, 1e-5);
  context.save_profile();
  expect_out_of_memory("Context with a profile", make,
                       [](Options& given) { return Context(given.take()).threads(); });
  expect_out_of_memory("save_profile", [&] {
    context.save_profile();
    return Written{&folder, "profile.json"};
  });
  expect_out_of_memory("default_profile_path", [] { return Context::default_profile_path(); });
  expect_out_of_memory("to_json of a context", [&] {
    return to_json(context, std::array<Operation, 1>{Operations::lcs}, "host", "by a test");
  });
  expect_out_of_memory("engine_operations", [] { return engine_operations().size(); });
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
  expect_out_of_memory("profile_json", [&] { return measured->profile_json(); });
  const std::string profile = measured->profile_json();
  expect_out_of_memory("load_profile_json", make, [&](std::unique_ptr<Dispatcher>& dispatcher) {
    dispatcher->load_profile_json(profile);
  });
  const Workload workload{Operations::lcs, 1, 1000, 0, SpaceSet::all()};
  const DispatchRecord record = measured->decide(workload);
  expect_out_of_memory("to_json", [&] { return to_json(record); });
}

TEST(OutOfMemory, OfATraceOrAProfileOfKernelsEndsNoProcess) {
  const TempFolder folder;
  const std::string trace_path = folder / "trace";
  const std::vector<float> x(48, 0.5F);
  std::vector<float> y(48);
  NormLayer norm;
  norm.x = matrix_array(std::span(x), 6, 8);
  norm.y = matrix_array(std::span(y), 6, 8);
  DispatchRecord record;
  record.operation = Operations::lcs;
  expect_out_of_memory("Trace", [&] {
    Trace trace;
    const auto span = trace.span("span");
    run_layers(shared_context(), std::span(&norm, 1));
    trace.add(record);
    trace.write(trace_path);
    return std::span(y);
  });
  Trace trace;
  run_layers(shared_context(), std::span(&norm, 1));
  trace.add(record);
  expect_out_of_memory("Trace::json", [&] { return trace.json(); });
  expect_out_of_memory("KernelProfile", [&] {
    KernelProfile profile;
    run_layers(shared_context(), std::span(&norm, 1));
    return profile.kernels().size() > 1000;
  });
}

}  // namespace ArrayCallsTest
