// SPDX-License-Identifier: Apache-2.0
// Arrays of a caller that begin at any element, with gaps of any size between their rows, give the
// bits of aligned ones, in host memory and on a device, and nothing beside them is written.
#include <kindred/Bulk.hpp>
#include <kindred/Graph.hpp>
#include <kindred/Layers.hpp>
#include <kindred/Seed.hpp>
#include <kindred/Sequence.hpp>
#include <kindred/Vector.hpp>
#include <kindred/matcher/CodePoints.hpp>

#include "GivenArray.hpp"
#include "TestGenerator.hpp"

namespace UnalignedArraysTest {

using namespace Kindred;
using Kindred::Array;  // rather than that of Kindred::Testing
using namespace Testing;

std::vector<float> floats(std::size_t count, float least = -1.0F) {
  std::uniform_real_distribution<float> values(least, 1.0F);
  std::vector<float> out(count);
  for (float& value : out) value = values(generator());
  return out;
}
/// The upper halves of floats, which are numbers of moderate size as bfloat16 and as float16.
std::vector<std::uint16_t> halves(const std::vector<float>& values) {
  std::vector<std::uint16_t> out;
  for (const float value : values)
    out.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U));
  return out;
}

constexpr std::uint32_t nodes = 1000;

SpreadingEngine engine_of(std::size_t count) {
  const auto node = [] { return static_cast<std::uint32_t>(random_below(nodes)); };
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t from = node();
    // Node 0 is a hub, whose row consists of several blocks.
    edges.push_back(
        {from, i % 3 == 0 ? 0 : node(), static_cast<float>(random_below(1000)) / 1000.0F});
  }
  return SpreadingEngine(context(), {nodes, edges, {}}, GraphOptions{});
}

/// Calls `body(stream)` without a stream and, where there is a device, with one of the caller.
template <class Body>
void on_streams(const Body& body) {
  body(nullptr);
  if (!context().is_usable(Space::cuda)) return;
  const DeviceStream stream(context());
  body(&stream);
}

/// Runs a prepared call of one layer in the space of its arrays.
template <class Layer>
void run_layer(const Layout& layout, const Layer& layer, bool reproducible = false) {
  const Space space = layout.on_device ? Space::cuda : Space::serial;
  const Prepared call = prepare_layers(context(), std::span(&layer, 1), {space, reproducible});
  call.run();
  call.wait();
}

TEST(UnalignedArrays, OfHopsHaveTheBitsOfAlignedOnes) {
  const SpreadingEngine engine = engine_of(30'000);
  on_streams([&](const DeviceStream* stream) {
    for (const std::size_t columns : {1, 3, 8, 32, 33}) {
      SCOPED_TRACE(columns);
      const auto values = floats(nodes * columns);
      for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
        expect_same_bits(false, [&](const Layout& layout) {
          const Layout where{layout.on_device || stream, layout.skip, 0};
          Given<float> x(where, nodes, columns, values);
          Given<float> y(where, nodes, columns);
          HopOptions options{.direction = direction};
          if (stream) options.stream = stream->stream();
          engine.hop(x, y, options);
          if (stream) stream->wait();
          return results_of(x, y);
        });
      }
    }
  });
}

/// Graphs of so many nodes are summed by propagation blocking on a device, after 32 hops.
TEST(UnalignedArrays, OfHopsByPropagationBlockingHaveTheBitsOfAlignedOnes) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  constexpr std::uint32_t many = (1U << 22U) + 5;
  std::vector<Edge> edges;
  for (std::uint32_t v = 0; v < many; ++v)
    edges.push_back({v, static_cast<std::uint32_t>(random_below(many)),
                     static_cast<float>(random_below(100)) / 100.0F});
  const SpreadingEngine engine(context(), {many, edges, {}}, GraphOptions{});
  const auto values = floats(many);
  const auto hop = [&](std::size_t skip) {
    Given<float> x({true, skip, 0}, 0, many, values);
    Given<float> y({true, skip, 0}, 0, many);
    engine.hop(x, y);
    return y.result();
  };
  const Bytes expected = hop(0);
  for (int i = 0; i < 40; ++i) ASSERT_EQ(hop(0), expected);
  for (const std::size_t skip : {1, 2, 3}) ASSERT_EQ(hop(skip), expected);
}

TEST(UnalignedArrays, OfHopsOverRowsOfACallerHaveTheBitsOfAlignedOnes) {
  constexpr std::size_t rows = 300;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t v = 0; v < rows; ++v)
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(v == 7 ? 9000 : random_below(40)));
  const auto count = static_cast<std::size_t>(offsets.back());
  std::vector<std::uint32_t> ends(count);
  for (std::uint32_t& end : ends) end = static_cast<std::uint32_t>(random_below(rows));
  const auto weights = floats(count);
  for (const std::size_t columns : {1, 8, 32}) {
    const auto values = floats(rows * columns);
    for (const Space space : spaces()) {
      expect_same_bits(false, [&](const Layout& layout) {
        const Layout here{false, layout.skip, 0};
        Given<std::int64_t> of_offsets(here, 0, rows + 1, offsets);
        Given<std::uint32_t> of_ends(here, 0, count, ends);
        Given<float> of_weights(here, 0, count, weights);
        Given<float> x(here, rows, columns, values);
        Given<float> y(here, rows, columns);
        hop(context(), {of_offsets, of_ends, of_weights, {}}, x, y, {.space = space});
        return y.result();
      });
    }
  }
}

TEST(UnalignedArrays, OfSourcesAndActivationsHaveTheBitsOfAlignedOnes) {
  const SpreadingEngine engine = engine_of(8000);
  constexpr std::size_t queries = 5, each = 7, top = 9;
  std::vector<std::int64_t> offsets;
  std::vector<std::uint32_t> sources;
  for (std::size_t q = 0; q <= queries; ++q) offsets.push_back(static_cast<std::int64_t>(q * each));
  for (std::size_t i = 0; i < queries * each; ++i)
    sources.push_back(static_cast<std::uint32_t>(random_below(nodes)));
  const auto values = floats(sources.size(), 0.0F);
  on_streams([&](const DeviceStream* stream) {
    for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::pagerank}) {
      if (stream && mode == SpreadMode::pagerank) continue;
      expect_same_bits(false, [&](const Layout& layout) {
        const Layout where{layout.on_device || stream, layout.skip, 0};
        Given<std::int64_t> of_offsets(where, 0, offsets.size(), offsets);
        Given<std::uint32_t> of_nodes(where, 0, sources.size(), sources);
        Given<float> of_values(where, 0, values.size(), values);
        Given<std::uint32_t> out(where, queries, top);
        Given<float> activations(where, queries, top);
        SpreadOptions options{.mode = mode};
        if (stream) options.stream = stream->stream();
        engine.spread({of_offsets, of_nodes, of_values}, options, SpreadOutput{out, activations});
        if (stream) stream->wait();
        return results_of(out, activations);
      });
    }
  });
}

TEST(UnalignedArrays, OfAVectorIndexHaveTheBitsOfAlignedOnes) {
  for (const std::size_t dimension : {7, 24, 64}) {
    constexpr std::size_t rows = 700, count = 5, top = 11, length = 33;
    SCOPED_TRACE(dimension);
    const VectorIndex index(context(), floats(rows * dimension), dimension);
    const auto queries = floats(count * dimension);
    std::vector<std::int64_t> lists(count * length);
    for (std::int64_t& id : lists) id = static_cast<std::int64_t>(random_below(rows));
    for (const Metric metric : all_metrics) {
      expect_same_bits(true, [&](const Layout& layout) {
        Given<float> asked(layout, count, dimension, queries);
        Given<float> all(layout, count, rows);
        index.score_all(asked, all, {.metric = metric});
        Bytes results = all.result();
        Given<float> scores(layout, count, top);
        Given<std::int64_t> ids(layout, count, top);
        for (const SearchPath path : {SearchPath::brute_force, SearchPath::gemm}) {
          index.search(asked, {.metric = metric, .path = path}, {scores, ids});
          results = joined({results, results_of(scores, ids)});
        }
        if (layout.on_device && dimension % 4 != 0) return results;
        Given<std::int64_t> candidates(layout, count, length, lists);
        index.score(asked, candidates.array(), {.metric = metric}, {scores, ids});
        return joined({results, results_of(scores, ids)});
      });
    }
  }
}

TEST(UnalignedArrays, OfNewRowsAreStoredAsAlignedOnes) {
  constexpr std::size_t dimension = 12, rows = 9;
  const auto values = floats(rows * dimension);
  expect_same_bits(true, [&](const Layout& layout) {
    VectorIndex index(context(), {}, dimension);
    Given<float> given(layout, rows, dimension, values);
    index.add(given.array());
    std::vector<float> scores(index.size());
    index.score_all(std::span<const float>(values).first(dimension), scores);
    return bytes_of(scores);
  });
}

TEST(UnalignedArrays, OfRowsOfACallerHaveTheBitsOfAlignedOnes) {
  constexpr std::size_t rows = 90, top = 6;
  const auto check = [&](std::size_t dimension, std::size_t count, const auto& of_rows,
                         DataType type) {
    using T = typename std::decay_t<decltype(of_rows)>::value_type;
    const auto queries = floats(count * dimension);
    for (const Metric metric : all_metrics) {
      expect_same_bits(true, [&](const Layout& layout) {
        Given<float> asked(layout, count, dimension, queries);
        Given<T> given(layout, rows, dimension, of_rows, type);
        Given<float> all(layout, count, rows);
        Given<float> scores(layout, count, top);
        Given<std::int64_t> ids(layout, count, top);
        const RowOptions options{.metric = metric};
        row_scores(context(), asked, given.array(), all, options);
        top_rows(context(), asked, given.array(), options, {scores, ids});
        return results_of(all, scores, ids);
      });
    }
  };
  for (const std::size_t dimension : {5, 64}) {
    for (const std::size_t count : {1, 10}) {
      SCOPED_TRACE(dimension);
      const auto values = floats(rows * dimension);
      check(dimension, count, values, DataType::float32);
      check(dimension, count, halves(values), DataType::bfloat16);
      check(dimension, count, halves(values), DataType::float16);
    }
  }
}

TEST(UnalignedArrays, OfSeedsHaveTheBitsOfAlignedOnes) {
  constexpr std::size_t seeds = 6, hidden = 48, rows = 40, blueprints = 2;
  const std::vector<std::int32_t> lifecycle{3, 4, 5, 6, 7, 0};
  const std::vector<std::int32_t> blueprint{0, 1, 1, 0, 1, 0};
  const std::vector<std::int32_t> mode{0, 1, 2, 3, 0, 1};
  const auto alpha = floats(seeds, 0.0F);
  const auto weights = floats(blueprints * hidden);
  const auto values = floats(rows * hidden);
  const auto gradients = floats(rows * hidden);
  const auto check = [&](const auto& of_x, const auto& of_g, DataType type) {
    using T = typename std::decay_t<decltype(of_x)>::value_type;
    expect_same_bits(true, [&](const Layout& layout) {
      Given<std::int32_t> of_lifecycle(layout, 0, seeds, lifecycle);
      Given<std::int32_t> of_blueprint(layout, 0, seeds, blueprint);
      Given<std::int32_t> of_mode(layout, 0, seeds, mode);
      Given<float> of_alpha(layout, 0, seeds, alpha);
      Given<float> of_weights(layout, blueprints, hidden, weights);
      const SeedArrays arrays{of_lifecycle, of_blueprint, of_mode, of_alpha, of_weights};
      Given<T> x(layout, rows, hidden, of_x, type);
      Given<T> y(layout, rows, hidden, type);
      Given<float> sum(layout, 0, seeds);
      Given<double> squares(layout, 0, seeds);
      const SeedSums sums{sum, squares, {}};
      const std::size_t bytes = 1 + std::max(forward_seeds_workspace(context(), arrays, x, sums),
                                             backward_seeds_workspace(context(), arrays, x));
      Given<std::uint8_t> workspace({layout.on_device}, 0, bytes);
      SeedPassOptions options;
      if (layout.on_device) options.workspace = workspace.array();
      forward_seeds(context(), arrays, x, y, sums, options);
      Given<T> g(layout, rows, hidden, of_g, type);
      Given<T> dx(layout, rows, hidden, type);
      Given<float> dweights(layout, blueprints, hidden);
      Given<float> dalpha(layout, 0, seeds);
      backward_seeds(context(), arrays, x, g, dx, dweights, dalpha, options);
      if (layout.on_device) {
        on_device(context(), [](const auto& exec_space) {
          Arch::fence(exec_space, "Kindred::Testing::seeds");
        });
      }
      return results_of(y, sum, squares, dx, dweights, dalpha);
    });
  };
  check(values, gradients, DataType::float32);
  check(halves(values), halves(gradients), DataType::bfloat16);
  check(halves(values), halves(gradients), DataType::float16);
}

TEST(UnalignedArrays, OfLayersHaveTheBitsOfAlignedOnes) {
  constexpr std::size_t rows = 33, columns = 64, outputs = 48;
  const auto values = floats(rows * columns);
  const auto matrix = floats(outputs * columns);
  const auto gradients = floats(rows * outputs);
  const auto norm_gradients = floats(rows * columns);
  const auto gamma = floats(columns);
  const auto beta = floats(columns);
  const auto bias = floats(outputs);
  const auto check = [&](DataType element, const auto& of_x, const auto& of_w, const auto& of_g,
                         const auto& of_norm) {
    using T = typename std::decay_t<decltype(of_x)>::value_type;
    // The products of a device library depend on the alignment; reproducible ones do not.
    expect_same_bits(true, [&](const Layout& layout) {
      Given<T> x(layout, rows, columns, of_x, element);
      Given<T> w(layout, outputs, columns, of_w, element);
      Given<T> y(layout, rows, columns, element);
      Given<float> z(layout, rows, outputs);
      Given<float> of_gamma(layout, 0, columns, gamma);
      Given<float> of_beta(layout, 0, columns, beta);
      Given<float> of_bias(layout, 0, outputs, bias);
      Given<float> mean(layout, 0, rows);
      const NormLayer norm{x, y, of_gamma.span(), of_beta.span(), mean.span(), {}};
      const LinearLayer linear{x, w, of_bias.span(), z, LayerActivation::gelu};
      run_layer(layout, norm);
      run_layer(layout, linear, true);
      Given<T> g(layout, rows, columns, of_norm, element);
      Given<T> dx(layout, rows, columns, element);
      Given<float> dgamma(layout, 0, columns);
      const NormGradient back{x, g, dx, of_gamma.span(), of_beta.span(), dgamma.span(), {}};
      Given<T> h(layout, rows, outputs, of_g, element);
      Given<T> dx2(layout, rows, columns, element);
      Given<float> dw(layout, outputs, columns);
      Given<float> dbias(layout, 0, outputs);
      const LinearGradient back2{x,   w,  of_bias.span(), h,
                                 dx2, dw, dbias.span(),   LayerActivation::relu};
      run_layer(layout, back);
      run_layer(layout, back2, true);
      return results_of(y, z, mean, dx, dgamma, dx2, dw, dbias);
    });
  };
  check(DataType::float32, values, matrix, gradients, norm_gradients);
  check(DataType::bfloat16, halves(values), halves(matrix), halves(gradients),
        halves(norm_gradients));
}

/// A vendor's library may sum in another order where the alignment differs, within its bound.
TEST(UnalignedArrays, OfLargeProductsAreCloseToAlignedOnes) {
  constexpr std::size_t rows = 192, inputs = 128, outputs = 160;
  const auto values = floats(rows * inputs);
  const auto matrix = floats(outputs * inputs);
  const auto bias = floats(outputs);
  const auto product = [&](const Layout& layout) {
    Given<float> x(layout, rows, inputs, values);
    Given<float> w(layout, outputs, inputs, matrix);
    Given<float> of_bias(layout, 0, outputs, bias);
    Given<float> y(layout, rows, outputs);
    run_layer(layout, LinearLayer{x, w, of_bias.span(), y, LayerActivation::relu});
    const Bytes bytes = y.result();
    std::vector<float> out(rows * outputs);
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  };
  for (const bool on_device : {false, true}) {
    if (on_device && !context().is_usable(Space::cuda)) continue;
    const auto expected = product({on_device, 0, 0});
    for (const std::size_t skip : {1, 2, 4}) {
      for (const std::size_t gap : {0, 1, 4}) {
        const auto got = product({on_device, skip, gap});
        for (std::size_t i = 0; i < got.size(); ++i)
          ASSERT_NEAR(got[i], expected[i], 1e-4F) << Layout{on_device, skip, gap}.name();
      }
    }
  }
}

TEST(UnalignedArrays, OfBulkOperationsHaveTheBitsOfAlignedOnes) {
  const Bulk bulk(context());
  constexpr std::size_t rows = 3, columns = 5000;
  const auto check = [&](const auto& a_values, const auto& b_values) {
    using T = typename std::decay_t<decltype(a_values)>::value_type;
    expect_same_bits(true, [&](const Layout& layout) {
      Bytes results;
      Given<T> a(layout, rows, columns, a_values);
      Given<T> b(layout, rows, columns, b_values);
      for (const ElementWise op : {ElementWise::add, ElementWise::multiply}) {
        Given<T> out(layout, rows, columns);
        bulk.element_wise(op, a, b, out);
        results = joined({results, out.result()});
      }
      if constexpr (std::is_integral_v<T>) {
        Given<T> out(layout, rows, columns);
        bulk.xor_elements(a, b, out);
        results = joined({results, out.result()});
      }
      const Layout dense{layout.on_device, layout.skip, 0};
      using Sum =
          std::conditional_t<std::is_floating_point_v<T>, T,
                             std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
      Given<Sum> sums(dense, 0, rows);
      bulk.reduce(Reduction::sum, a, sums);
      Given<T> least(dense, 0, rows);
      bulk.reduce(Reduction::min, a, least);
      return joined({results, sums.result(), least.result()});
    });
  };
  const auto numbers = [&]<class T>(T) {
    std::vector<T> out(rows * columns);
    for (T& value : out) value = static_cast<T>(generator()());
    return out;
  };
  check(floats(rows * columns), floats(rows * columns));
  check(numbers(std::uint8_t{}), numbers(std::uint8_t{}));
  check(numbers(std::int16_t{}), numbers(std::int16_t{}));
  check(numbers(std::uint32_t{}), numbers(std::uint32_t{}));
  check(numbers(std::int64_t{}), numbers(std::int64_t{}));
}

TEST(UnalignedArrays, OfReproducibleProductsHaveTheBitsOfAlignedOnes) {
  const Bulk bulk(context());
  constexpr std::size_t m = 17, n = 32, k = 24;
  const auto a_values = floats(m * k);
  const auto b_values = floats(k * n);
  expect_same_bits(false, [&](const Layout& layout) {
    Given<float> a(layout, m, k, a_values);
    Given<float> b(layout, k, n, b_values);
    Given<float> c(layout, m, n);
    bulk.multiply(a, b, c, {.reproducible = true});
    return c.result();
  });
}

TEST(UnalignedArrays, OfSimilaritiesHaveTheBitsOfAlignedOnes) {
  std::vector<std::string> texts;
  for (int i = 0; i < 70; ++i) {
    std::string& text = texts.emplace_back();
    for (std::uint64_t length = random_below(30); length > 0; --length)
      text += static_cast<char>('a' + random_below(4));
  }
  const std::vector<std::string_view> patterns(texts.begin(), texts.end());
  const SequenceMatcher matcher(context(), patterns);
  constexpr std::size_t queries = 6;
  const Ragged<Symbol> asked = code_points(std::span(patterns).first(queries));
  const std::vector<std::int64_t> offsets(asked.offsets.begin(), asked.offsets.end());
  const auto check = [&]<class T>(T) {
    expect_same_bits(true, [&](const Layout& layout) {
      const Layout here{false, layout.skip, 0};
      Given<Symbol> of_symbols(here, 0, asked.values.size(), asked.values);
      Given<std::int64_t> of_offsets(here, 0, offsets.size(), offsets);
      Given<T> out(layout, queries, texts.size(), std::vector<T>(queries * texts.size()));
      matcher.score_all({of_symbols, of_offsets}, out);
      return out.result();
    });
  };
  check(float{});
  check(double{});
}

}  // namespace UnalignedArraysTest
