// SPDX-License-Identifier: Apache-2.0
#include "DamagedFiles.hpp"
#include "LayerSupport.hpp"
#include "MutatedBytes.hpp"
#include "SectionLengths.hpp"
#include "TempFolder.hpp"
#include "seed/SeedRules.hpp"
#include "seed/StoredSeeds.hpp"

namespace Kindred::Testing::Seeds::StoredSeedsTest {

/// A layer with a history, seeds in all states and every schedule in progress.
SeedLayer small_layer(bool empty = false) {
  SeedLayer layer(context(), options_of(9, 12));
  layer.add_blueprint("first", std::vector<float>(9, 1.5F));
  layer.add_blueprint("gone", std::vector<float>(9, 1.5F));
  layer.add_blueprint("\xC3\xA9", std::vector<float>(9, -2.0F));
  layer.remove_blueprint(1);
  if (empty) return layer;
  SeedState state(12);
  for (std::size_t i = 0; i < 12; ++i) {
    state.lifecycle[i] = static_cast<Lifecycle>(i % 11);
    state.blueprint[i] = i % 2 == 0 ? 0 : 2;
    state.alpha[i] = 0.125F * static_cast<float>(i % 8);
    state.mode[i] = static_cast<ApplyMode>(i % 4);
    state.evaluation[i] = static_cast<float>(i) / 3;
    state.checkpoint[i] = static_cast<std::int32_t>(i) - 1;
    if (i < 5) state.lifecycle[i] = Lifecycle::grafting;
    state.schedule[i] = static_cast<AlphaSchedule>(i % 5);
  }
  layer.set_state(state);
  const std::vector<float> weights{1, 2};
  SeedMetrics metrics{.performance_delta = 0.3, .weights = weights};
  for (int i = 0; i < 25; ++i) layer.step(metrics);
  metrics.error_rate = 0.9;
  std::vector<SeedMetrics> each(12, metrics);
  each[0].error_rate = each[1].error_rate = each[2].error_rate = each[3].error_rate = 0;
  layer.step(each);
  layer.report_error(5);
  return layer;
}

/// Checks that two layers behave identically from now on.
void expect_same_future(SeedLayer& a, SeedLayer& b, int steps) {
  // The number of weights that a schedule has seen is part of its state.
  const std::vector<float> weights{1.004F, 2};
  const auto step = [&](SeedLayer& layer) -> std::string {
    try {
      layer.step({.performance_delta = -0.2, .weights = weights});
      return "done";
    } catch (const InvalidArgument& error) {
      return error.what();
    }
  };
  for (int i = 0; i <= steps; ++i) {
    EXPECT_EQ(a.state(), b.state());
    EXPECT_EQ(a.epoch(), b.epoch());
    EXPECT_FALSE(Impl::fault_of(a.state()));
    if (i < steps) {
      EXPECT_EQ(step(a), step(b));
    }
  }
}

TEST(StoredSeeds, ALayerContinuesFromItsCheckpoint) {
  const TempFolder folder;
  SeedLayer layer = small_layer();
  layer.save(folder / "a");
  SeedLayer other = small_layer(true);
  other.restore(folder / "a");
  other.save(folder / "b");
  EXPECT_EQ(read_all(folder / "a"), read_all(folder / "b"));
  for (std::uint32_t seed = 0; seed < layer.seeds(); ++seed)
    EXPECT_EQ(layer.schedule_state(seed), other.schedule_state(seed));
  expect_same_future(layer, other, 30);
  EXPECT_EQ(layer.epoch(), 26U + 30U);
  std::vector<float> x(90, 3.0F), y = x;
  layer.forward(x, x);
  other.forward(y, y);
  EXPECT_EQ(x, y);
}

TEST(StoredSeeds, RejectsTheCheckpointOfAnotherLayer) {
  const TempFolder folder;
  small_layer().save(folder / "a");
  SeedLayer narrow(context(), options_of(8, 12)), fewer(context(), options_of(9, 11));
  SeedLayer bare(context(), options_of(9, 12)), other(context(), options_of(9, 12));
  other.add_blueprint("other", std::vector<float>(9, 1.0F));
  for (const auto& [layer, words] : {std::pair(&narrow, "with 9 features; this one has 8"),
                                     {&fewer, "with 12 seeds; this one has 11"},
                                     {&bare, "which the layer does not have under this id"},
                                     {&other, "blueprint 0, 'first'"}}) {
    const SeedState before = layer->state();
    expect_refused({{[&, layer = layer] { layer->restore(folder / "a"); }, words}});
    EXPECT_EQ(layer->state(), before);
  }
  SeedLayer layer = small_layer(true);
  EXPECT_THROW(layer.restore(folder / "none"), NotFound);
  layer.blueprints().save(folder / "b");
  EXPECT_THROW(layer.restore(folder / "b"), CorruptFile) << "another kind of file";
  EXPECT_THROW(layer.save(folder / "no/where"), InvalidArgument);
}

TEST(StoredSeeds, RejectsForgedNumbers) {
  const TempFolder folder;
  small_layer().save(folder / "a");
  const std::string good = read_all(folder / "a");
  const MemoryFile memory;
  const auto forged = [&](const char* name, std::size_t at, auto number) {
    return [&, name, at, number] {
      std::string bad = good;
      forge(bad, name, at, number);
      memory.set(bad);
      Impl::load_checkpoint(memory.path());
    };
  };
  const std::uint64_t numbers = Impl::load_checkpoint(folder / "a").schedules.values.size();
  expect_refused<CorruptFile>(
      {{forged("head", 1, std::uint64_t{11}), "11 seeds, and lifecycle has 12"},
       {forged("blueprint", 4, std::int32_t{3}), "element 4: 3 has no name"},
       {forged("blueprint.ends", 0, std::uint64_t{99}), "ends decrease"},
       {forged("schedule.ends", 1, ~std::uint64_t{0}), "'schedule.ends'"},
       {forged("schedule.numbers", 0, double{NAN}), "the state of the schedule drift_controlled"},
       {forged("schedule.ends", 3, numbers - 1),
        "'schedule.ends', element 4: a seed that is not grafting has the state of a schedule"},
       {forged("lifecycle", 0, std::uint8_t{77}), "77"}});
  const auto load = [](const std::string& path) { Impl::load_checkpoint(path); };
  // One more name is that of no blueprint.
  expect_lengths_are_checked(folder / "a", "seeds", load, "blueprint.ends");
  append_commit(folder / "a", "seeds");
  expect_refused<CorruptFile>({{[&] { load(folder / "a"); }, "exactly one commit"}});
}

TEST(StoredSeeds, BlueprintsKeepIdsNamesVersionsAndWeights) {
  const TempFolder folder;
  BlueprintRegistry registry;
  EXPECT_EQ(registry.add("a", std::vector<float>{1, 2}), 0);
  EXPECT_EQ(registry.add("b", std::vector<float>{-0.0F, NAN, INFINITY}), 1);
  EXPECT_EQ(registry.add("c", std::vector<float>{5}), 2);
  registry.replace(0, std::vector<float>{3, 4});
  registry.replace(0, std::vector<float>{5, 6});
  registry.remove(2);
  EXPECT_FALSE(registry.contains(2));
  EXPECT_FALSE(registry.find("c"));
  EXPECT_EQ(registry.add("c", std::vector<float>{7}), 3);
  EXPECT_EQ(registry.version(0), 3U);
  EXPECT_EQ(registry.version(3), 1U);
  registry.save(folder / "a");
  const BlueprintRegistry loaded = BlueprintRegistry::load(folder / "a");
  EXPECT_EQ(loaded.version(0), 3U);
  EXPECT_EQ(loaded.find("c"), 3);
  EXPECT_EQ(loaded.weights(0)[1], 6.0F);
  loaded.save(folder / "b");
  EXPECT_EQ(read_all(folder / "a"), read_all(folder / "b"));
  const std::vector<float> one{1};
  EXPECT_THROW(registry.add("a", one), InvalidArgument);
  EXPECT_THROW(registry.add("", one), InvalidArgument);
  EXPECT_THROW(registry.add("d", {}), InvalidArgument);
  EXPECT_THROW(registry.replace(0, one), InvalidArgument);
  EXPECT_THROW(registry.replace(2, one), NotFound);
  EXPECT_THROW(registry.remove(-1), NotFound);
  EXPECT_THROW(registry.weights(4), NotFound);
}

TEST(StoredSeeds, LayersAcceptTheBlueprintsThatTheirSeedsUse) {
  const TempFolder folder;
  SeedLayer layer = uniform_layer(context(), 8, 2, Lifecycle::grafting, ApplyMode::multiplicative);
  BlueprintRegistry registry;
  registry.add("wider", std::vector<float>(9, 1.0F));
  registry.save(folder / "wide");
  BlueprintRegistry().save(folder / "none");
  expect_refused({{[&] { layer.restore_blueprints(folder / "wide"); }, "9 weights"},
                  {[&] { layer.restore_blueprints(folder / "none"); }, "no blueprint 0"},
                  {[&] { layer.remove_blueprint(0); }, "used by seed 0"}});
  EXPECT_THROW(layer.add_blueprint("wide", std::vector<float>(9, 1.0F)), InvalidArgument);
  const auto doubled = [&] {
    std::vector<float> x(8, 2.0F);
    layer.forward(x, x);
    return x[0];
  };
  EXPECT_EQ(doubled(), 6.0F);
  layer.replace_blueprint(0, std::vector<float>(8, 5.0F));
  EXPECT_EQ(doubled(), 10.0F);
  EXPECT_EQ(layer.blueprints().version(0), 2U);
  BlueprintRegistry other;
  other.add("other", std::vector<float>(8, 7.0F));
  other.save(folder / "other");
  layer.restore_blueprints(folder / "other");
  EXPECT_EQ(doubled(), 14.0F);
  EXPECT_EQ(layer.blueprints(), other);
}

/// The layer that \p layer is according to its public state, for the oracle.
Reference::SeedLayer model_of(const SeedLayer& layer) {
  Reference::SeedLayer model{layer.hidden(), {}, {}};
  const SeedState state = layer.state();
  for (std::size_t i = 0; i < state.seeds(); ++i)
    model.seeds.push_back({state.lifecycle[i], state.mode[i], state.alpha[i], state.blueprint[i]});
  const BlueprintRegistry registry = layer.blueprints();
  model.weights.resize(registry.size() * model.hidden);
  for (std::size_t i = 0; i < registry.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    if (registry.contains(id))
      std::ranges::copy(registry.weights(id), model.weights.data() + i * model.hidden);
  }
  return model;
}

/// Makes every call that a restored layer allows, and compares it with the oracle.
void expect_whole(SeedLayer& layer, const TempFolder& folder) {
  EXPECT_FALSE(Impl::fault_of(layer.state()));
  const Reference::SeedRows x = random_rows(float32, 3, layer.hidden(), Values::all);
  const auto expected = packed_forward(model_of(layer), x);
  on_hosts([&](const auto& exec_space, Space space) {
    const auto rows = placed_rows(exec_space, x, layer.hidden());
    layer.forward(rows, rows, on(space));
    EXPECT_TRUE(rows.bytes() == expected);
  });
  EXPECT_EQ(layer.telemetry().size(), layer.seeds());
  EXPECT_EQ(layer.reduce_telemetry(1, 0, layer.seeds()).each.size(), layer.seeds());
  layer.save(folder / "again");
  layer.blueprints().save(folder / "blueprints");
  SeedLayer other = small_layer(true);
  other.set_state(SeedState(other.seeds()));  // so that no seed uses a blueprint
  other.restore_blueprints(folder / "blueprints");
  other.restore(folder / "again");
  expect_same_future(layer, other, 3);
}

using Load = std::function<void(SeedLayer&, const std::string& path)>;

/// Damages the file at \p path in many ways. What is not sealed again is detected. Otherwise \p
/// load changes the layer of \p make or leaves it as it was, and a changed layer works.
void expect_damage_survived(const std::string& name, const std::string& path,
                            const TempFolder& folder, const std::function<SeedLayer()>& make,
                            const Load& load) {
  SeedLayer layer = make();
  const auto observed = [&] {
    return std::tuple(layer.state(), layer.epoch(), layer.blueprints());
  };
  const auto before = observed();
  const auto use = [&](const std::string& damaged) {
    try {
      load(layer, damaged);
    } catch (const Error&) {
      EXPECT_TRUE(observed() == before);
      throw;
    }
    EXPECT_FALSE(Impl::fault_of(layer.state()));
  };
  const std::string good = read_all(path);
  expect_beginnings_refused(good, use);
  const MemoryFile file;
  std::size_t used = 0, refused = 0;
  for_each_changed_byte(good, [&](std::string bad, std::size_t at, int) {
    file.set(bad);
    EXPECT_THROW(use(file.path()), CorruptFile) << at;
    reseal(bad);
    file.set(bad);
    try {
      use(file.path());
      ++used;
      layer = make();
    } catch (const Error&) {
      ++refused;
    }
  });
  EXPECT_GT(used, 100U) << "changes of numbers and names";
  EXPECT_GT(refused, 100U) << "changes of the format";
  const auto files = use_mutated(name, good, [&](const std::string& mutated) {
    layer = make();
    use(mutated);
    expect_whole(layer, folder);
  });
  EXPECT_GT(files.used, 50);
  EXPECT_GT(files.refused, 1000);
}

TEST(StoredSeeds, ADamagedCheckpointIsRejectedOrRestoresALayerThatWorks) {
  const TempFolder folder;
  small_layer().save(folder / "a");
  expect_damage_survived(
      "StoredSeeds.MutatedCheckpoints", folder / "a", folder, [] { return small_layer(true); },
      [](SeedLayer& layer, const std::string& path) { layer.restore(path); });
}

TEST(StoredSeeds, DamagedBlueprintsAreRejectedOrServeALayer) {
  const TempFolder folder;
  small_layer().blueprints().save(folder / "a");
  expect_damage_survived(
      "StoredSeeds.MutatedBlueprints", folder / "a", folder, [] { return small_layer(); },
      [](SeedLayer& layer, const std::string& path) {
        const BlueprintRegistry loaded = BlueprintRegistry::load(path);
        for (std::int32_t id = 0; id < static_cast<std::int32_t>(loaded.size()); ++id)
          EXPECT_TRUE(!loaded.contains(id) || loaded.find(loaded.name(id)) == id);
        layer.restore_blueprints(path);
        // With a NaN among its weights, a registry does not equal its copy.
        EXPECT_EQ(layer.blueprints() == loaded, loaded == BlueprintRegistry(loaded));
      });
}

}  // namespace Kindred::Testing::Seeds::StoredSeedsTest
