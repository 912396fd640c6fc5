// SPDX-License-Identifier: Apache-2.0
// Prepared calls use the instance of the thread that runs them, not of the one that made them.
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include <algorithm>

#include "OneThread.hpp"

namespace PreparedThreadsTest {

using namespace Kindred;
using namespace Testing;
using namespace std::chrono_literals;

/// Runs a prepared call and returns its results.
using PreparedCall = std::function<std::vector<float>()>;

constexpr std::size_t rows = 512;
constexpr std::size_t columns = 64;

/// Arrays of a prepared call.
struct Arrays {
  std::vector<float> x = [] {
    auto generator = Testing::generator("prepared threads");
    return normal_values(generator, rows * columns);
  }();
  std::vector<float> w = std::vector<float>(x.begin(), x.begin() + columns * columns);
  std::vector<float> y = std::vector<float>(x.size());
  std::vector<std::span<const float>> inputs{x};
  std::vector<std::span<float>> outputs{y};

  ConstArray input() const { return matrix_array(std::span<const float>(x), rows, columns); }
  ConstArray weights() const { return matrix_array(std::span(w), columns, columns); }
  Array output() { return matrix_array(std::span(y), rows, columns); }
};

using Prepare = std::function<PreparedCall()>;

/// \param make makes the prepared object for arrays
template <class Make>
Prepare preparing(const Make& make) {
  return [make] {
    auto arrays = std::make_shared<Arrays>();
    auto object = std::make_shared<decltype(make(*arrays))>(make(*arrays));
    return [arrays, object] {
      std::fill(arrays->y.begin(), arrays->y.end(), 0.0F);
      object->run();
      object->wait();
      return arrays->y;
    };
  };
}
/// \param make makes a layer for arrays
template <class Make>
Prepare preparing_layer(const Make& make) {
  return preparing([make](Arrays& arrays) {
    const auto layer = make(arrays);
    return prepare_layers(one_thread(), std::span(&layer, 1), {Space::serial, true});
  });
}
Prepared prepare_bulk(ElementWise op, const Arrays& arrays) {
  return Bulk::prepare_element_wise(one_thread(), op, arrays.inputs, {}, arrays.outputs,
                                    {Space::serial});
}
PreparedCall prepare_scores() {
  const auto arrays = std::make_shared<Arrays>();
  const auto index = std::make_shared<VectorIndex>(one_thread(), arrays->x, columns);
  const SearchOptions options{.space = Space::serial};
  const auto object = std::make_shared<PreparedScore>(*index, rows, options);
  return [arrays, index, object] {
    const std::vector<std::uint64_t> candidates = numbers_from(0, rows);
    std::vector<float> scores;
    for (const ScoredId& one :
         object->score(std::span<const float>(arrays->x).first(columns), candidates))
      scores.push_back(one.score);
    return scores;
  };
}
PreparedCall prepare_seeds() {
  const auto layer =
      std::make_shared<SeedLayer>(one_thread(), SeedLayerOptions{.hidden = columns, .seeds = 4});
  const PreparedCall run = preparing([layer](Arrays& arrays) {
    SeedSequence sequence(one_thread(), Space::serial);
    sequence.add(*layer, std::span(arrays.x), std::span(arrays.y));
    return sequence;
  })();
  return [layer, run] { return run(); };
}

const std::vector<std::pair<std::string, Prepare>> all_kinds{
    {"bulk", preparing([](Arrays& own) { return prepare_bulk(ElementWise::exponential, own); })},
    {"product", preparing([](Arrays& own) {
       return Bulk::prepare_multiply(one_thread(), own.input(), own.weights(), own.output(),
                                     {.space = Space::serial, .reproducible = true});
     })},
    {"norms",
     preparing_layer([](Arrays& own) { return NormLayer{.x = own.input(), .y = own.output()}; })},
    {"linears", preparing_layer([](Arrays& own) {
       return LinearLayer{.x = own.input(), .w = own.weights(), .y = own.output()};
     })},
    {"scores", prepare_scores},
    {"gradients", preparing_layer([](Arrays& own) {
       return NormGradient{.x = own.input(), .gradient = own.input(), .dx = own.output()};
     })},
    {"seeds", prepare_seeds}};

/// Arrays of a call that takes long enough to be stopped in its kernel.
void make_long(Arrays& arrays) {
  arrays.x.resize(std::size_t{1} << 20U, 0.5F);
  arrays.y.resize(arrays.x.size());
  arrays.inputs = {arrays.x};
  arrays.outputs = {arrays.y};
}
const Prepare prepare_long = preparing([](Arrays& arrays) {
  make_long(arrays);
  return prepare_bulk(ElementWise::square, arrays);
});

/// \p run ends with \p expected while the stopped call is within its kernel.
void expect_no_wait(StoppedInKernel& stopped, const PreparedCall& run,
                    const std::vector<float>& expected) {
  ASSERT_TRUE(stopped.wait_until_stopped());
  auto other = std::async(std::launch::async, run);
  ASSERT_EQ(other.wait_for(10s), std::future_status::ready) << "it waits for the other call";
  EXPECT_EQ(other.get(), expected);
}

TEST(PreparedThreads, ObjectsOfOneThreadRunOnTwo) {
  for (const auto& [name, prepare] : all_kinds) {
    SCOPED_TRACE(name);
    const PreparedCall held = prepare_long();
    const PreparedCall run = prepare();
    const std::vector<float> expected = run();
    const std::vector<float> expected_held = held();
    std::vector<float> result;
    {
      StoppedInKernel stopped([&]() -> std::function<void()> { return [&] { result = held(); }; });
      expect_no_wait(stopped, run, expected);
    }
    EXPECT_EQ(result, expected_held);
  }
}

TEST(PreparedThreads, AnObjectRunsWhileItsMakerCallsAnotherOperation) {
  const Bulk bulk(one_thread());
  Arrays arrays;
  make_long(arrays);
  for (const auto& [name, prepare] : all_kinds) {
    SCOPED_TRACE(name);
    PreparedCall run;
    std::vector<float> expected;
    StoppedInKernel stopped([&, make = prepare]() -> std::function<void()> {
      run = make();
      expected = run();
      return [&] {
        bulk.element_wise(ElementWise::square, arrays.inputs, {}, arrays.outputs,
                          {.space = Space::serial});
      };
    });
    expect_no_wait(stopped, run, expected);
  }
}

}  // namespace PreparedThreadsTest
