// SPDX-License-Identifier: Apache-2.0
// The kernels of device teams, executed by host threads that stand in for the threads of a team:
// the part of them that a machine without a device can test.
#include <kindred/core/seed/impl/ReduceMomentsKernels.hpp>
#include <kindred/core/seed/impl/SeedForwardLaunch.hpp>
#include <kindred/core/seed/special/SeedUpdateTeam.hpp>

#include <barrier>
#include <thread>

#include "SeedFunctionsSupport.hpp"

namespace Kindred::Testing::Seeds::SeedTeamsTest {

/// A host thread that stands in for a thread of a device team.
class StandIn {
 public:
  StandIn(unsigned team, unsigned thread, unsigned threads, std::barrier<>& barrier)
      : m_team(team), m_thread(thread), m_threads(threads), m_barrier(&barrier) {}

  unsigned team() const { return m_team; }
  unsigned thread() const { return m_thread; }
  unsigned threads() const { return m_threads; }
  void barrier() const { m_barrier->arrive_and_wait(); }
  void wait_for_previous_launch() const {}
  void trigger_next_launch() const {}
  std::uint32_t arrive(std::uint32_t* counter) const { return (*counter)++; }
  template <class T>
  T read(const T* from) const {
    return *from;
  }

 private:
  unsigned m_team;
  unsigned m_thread;
  unsigned m_threads;
  std::barrier<>* m_barrier;
};

/// Runs the teams one after another, starting with the last: no code may rely on the order of
/// teams.
template <class Functor>
void run_teams(std::size_t teams, unsigned threads, std::size_t scratch_bytes,
               const Functor& functor) {
  std::barrier<> barrier(threads);
  std::vector<std::uint64_t> scratch(scratch_bytes / 8 + 1);
  std::vector<std::jthread> running;
  for (unsigned thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      for (std::size_t team = teams; team-- > 0;) {
        functor(StandIn(static_cast<unsigned>(team), thread, threads, barrier),
                reinterpret_cast<std::byte*>(scratch.data()));
        barrier.arrive_and_wait();
      }
    });
  }
}

SeedChunks chunks_of(const Reference::SeedLayer& layer) {
  return {static_cast<std::uint32_t>(layer.hidden), static_cast<std::uint32_t>(layer.seeds.size()),
          static_cast<std::uint32_t>(layer.chunk)};
}

SeedLayerView<HostSpace> view_of(const SeedArrays& seeds, const SeedChunks& chunks) {
  const auto values = []<class T>(const ConstArray& array, T /*type*/) {
    return ArrayView<const T, HostSpace>(array.host_values<T>().data(), array.size());
  };
  SeedLayerView<HostSpace> out{chunks, {}, {}};
  out.state.lifecycle = values(seeds.lifecycle, std::int32_t());
  out.state.mode = values(seeds.mode, std::int32_t());
  out.state.blueprint = values(seeds.blueprint, std::int32_t());
  out.state.alpha = values(seeds.alpha, float());
  out.weights.values = values(seeds.weights, float());
  out.weights.blueprints = static_cast<std::uint32_t>(seeds.weights.extent(0));
  out.weights.stride = chunks.hidden;
  return out;
}

template <class Element, bool keeps>
void expect_reference(const Reference::SeedLayer& layer, const Reference::SeedRows& x,
                      const Layout& layout, const SeedForwardPlan& plan, bool in_place) {
  const HostSpace& exec_space = Impl::host_instance(context(), Space::serial);
  const PlacedSeeds<HostSpace> placed(exec_space, layer);
  std::vector<std::byte> bytes = packed(x, layer.hidden, layout);
  std::vector<std::byte> out = packed({x.element, x.rows, {}}, layer.hidden, layout);
  std::vector<std::byte>& result = in_place ? bytes : out;
  const std::size_t seeds = chunks_of(layer).covering().seeds;
  std::vector<SeedMoments> moments(seeds);
  std::vector<std::uint64_t> workspace(plan.workspace / 8 + 8);
  const auto team = Impl::seed_forward_team<Element, Element, keeps>(
      plan, Impl::SeedLayerPointers::of(view_of(placed.seeds, chunks_of(layer))), x.rows,
      reinterpret_cast<const Element*>(bytes.data()), layout.stride,
      reinterpret_cast<Element*>(result.data()), layout.stride, moments.data(),
      reinterpret_cast<std::byte*>(workspace.data()));
  run_teams(std::size_t{plan.stripes} * plan.groups,
            (plan.width / 4 + plan.extra_columns) * Impl::moment_lanes, team.scratch_bytes(), team);
  EXPECT_TRUE(result == packed_forward(layer, x, layout));
  if constexpr (keeps) {
    EXPECT_TRUE(same_bits(moments, Reference::seed_moments(layer.hidden, seeds, x, layer.chunk)));
    const auto counters = plan.stripes + seeds;
    const auto* first = reinterpret_cast<const std::uint32_t*>(workspace.data());
    EXPECT_TRUE(std::all_of(first, first + counters, [](std::uint32_t c) { return c == 0; }));
  }
}

TEST(SeedTeams, ForwardMatchesReferenceForAnyPartition) {
  struct Shape {
    std::size_t hidden, seeds, rows, stride;
    std::uint32_t columns;
    std::size_t chunk = 0;
  };
  // Seeds within a stripe and across stripes, narrow and wide, with one and with several blocks of
  // rows; then chunks of a fixed size, with and without a narrower last one.
  const std::vector<Shape> shapes{
      {64, 13, 300, 64, 8},    {67, 13, 1100, 70, 8},    {40, 60, 64, 40, 8},
      {100, 2, 70, 100, 8},    {64, 3, 600, 64, 8},      {33, 1, 200, 33, 8},
      {128, 4, 1100, 128, 8},  {130, 25, 65, 132, 16},   {1, 1, 1, 1, 8},
      {300, 1, 520, 300, 8},   {150, 3, 9, 152, 32},     {67, 9, 1100, 68, 8, 5},
      {64, 99, 70, 64, 8, 16}, {100, 2, 70, 100, 8, 33}, {130, 3, 600, 132, 16, 50},
      {40, 2, 64, 40, 8, 1}};
  for (const Shape& shape : shapes) {
    auto layer = random_layer(shape.hidden, shape.seeds, 2);
    layer.chunk = shape.chunk;
    const SeedChunks chunks = chunks_of(layer).covering();
    const Layout layout{0, shape.stride};
    const auto check = [&]<class Element>(DataType type, Values values, Element) {
      const auto x = random_rows(type, shape.rows, shape.hidden, values);
      const bool in_place = random_below(2) == 0;
      const SeedForwardShape call{chunks, shape.rows, type, true};
      expect_reference<Element, true>(layer, x, layout, Impl::plan_teams(call, shape.columns),
                                      in_place);
      if (shape.rows > 512) return;
      const SeedForwardShape without{chunks, shape.rows, type, false};
      expect_reference<Element, false>(layer, x, layout, Impl::plan_teams(without, shape.columns),
                                       in_place);
    };
    SCOPED_TRACE(described("hidden", shape.hidden, "seeds", shape.seeds, "rows", shape.rows));
    // The moments of many values with NaN among them are NaN.
    for (const Values values : {Values::ordinary, Values::all}) {
      check(float32, values, float{});
      // float16 differs only in device instructions; each element type takes long to compile.
      check(bfloat16, values, Arch::BFloat16{});
    }
  }
}

TEST(SeedTeams, UpdatesMatchReferenceForAnyNumberPerSeed) {
  const HostSpace& exec_space = Impl::host_instance(context(), Space::serial);
  for (const std::size_t seeds : {1UL, 9UL, 100UL}) {
    const PlacedState<HostSpace> state(exec_space, seeds);
    std::vector<Reference::SeedRecord> records(seeds);
    for (const std::size_t count : {1UL, 31UL, 300UL}) {
      const std::vector<SeedUpdate> updates = random_updates(count, seeds);
      Reference::update_seeds(records, updates);
      const Impl::SeedUpdateTeam<HostSpace> team{
          {state.view, updates.data(), static_cast<std::uint32_t>(count), nullptr}};
      run_teams(team.teams(), team.threads_max, team.scratch_bytes, team);
      ASSERT_EQ(state.records(exec_space), records) << seeds << " seeds, " << count << " updates";
    }
  }
}

TEST(SeedTeams, MomentsOfManySeedsReduceLikeReference) {
  for (const std::size_t count : {1UL, 2UL, 31UL, 33UL, 100UL}) {
    const std::vector<SeedMoments> each = random_moments(count);
    SeedMoments whole;
    run_teams(1, 32, 32 * sizeof(SeedMoments),
              Impl::ReduceSeeds{each.data(), static_cast<std::uint32_t>(count), &whole});
    EXPECT_TRUE(same_bits<SeedMoments>({whole}, {Reference::merged(each)})) << count;
  }
}

}  // namespace Kindred::Testing::Seeds::SeedTeamsTest
