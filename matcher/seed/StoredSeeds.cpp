// SPDX-License-Identifier: Apache-2.0
#include "StoredSeeds.hpp"

#include "SeedRules.hpp"
#include "StateFields.hpp"
#include "storage/SectionChecks.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/SeedSchedule.hpp>

#include <array>
#include <limits>
#include <type_traits>

namespace Kindred::Impl {

namespace {

constexpr const char* seeds_kind = "seeds";

/// \throws CorruptFile for a schedule that no seed can have, whatever the settings of its layer
void check_schedules(const SectionChecks& checks, const StoredSeeds& checkpoint) {
  ScheduleSettings any;
  any.pause_epochs = std::numeric_limits<std::int32_t>::max();
  for (std::size_t seed = 0; seed < checkpoint.state.seeds(); ++seed) {
    const std::span<const double> numbers = checkpoint.schedules[seed];
    if (checkpoint.state.lifecycle[seed] != Lifecycle::grafting) {
      if (!numbers.empty())
        checks.refuse<std::uint64_t>("schedule.ends", seed,
                                     "a seed that is not grafting has the state of a schedule");
      continue;
    }
    try {
      GraftingSchedule(checkpoint.state.schedule[seed], any).restore(numbers);
    } catch (const InvalidArgument& error) {
      checks.refuse<std::uint64_t>("schedule.ends", seed, error.what());
    }
  }
}

}  // namespace

void save_checkpoint(FileTarget target, const StoredSeeds& checkpoint) {
  SectionWriter writer(std::move(target), seeds_kind);
  const std::array<std::uint64_t, 3> head{checkpoint.hidden, checkpoint.state.seeds(),
                                          checkpoint.epoch};
  writer.write<std::uint64_t>("head", head);
  for_each_array(checkpoint.state, [&](const char* name, const auto& array) {
    using T = StateElement<typename std::decay_t<decltype(array)>::value_type>;
    writer.write<T>(name, {reinterpret_cast<const T*>(array.data()), array.size()});
  });
  writer.write_rows<double>("schedule.numbers", "schedule.ends", checkpoint.schedules);
  writer.write_rows<char>("blueprint.text", "blueprint.ends", checkpoint.blueprints);
  writer.commit();
}

StoredSeeds load_checkpoint(const FileSource& source) {
  const SectionFile file(source, seeds_kind, 1);
  const SectionChecks checks(file, 1);
  const SectionNumbers head(checks, "head", 3);
  StoredSeeds out;
  out.hidden = head[0];
  out.epoch = head[2];
  for_each_array(out.state, [&](const char* name, auto& array) {
    using Element = typename std::decay_t<decltype(array)>::value_type;
    for (const StateElement<Element> value : checks.section<StateElement<Element>>(name))
      array.push_back(static_cast<Element>(value));
  });
  head.require(out.state.seeds() == head[1], 1,
               "seeds, and lifecycle has " + std::to_string(out.state.seeds()));
  if (const auto fault = fault_of(out.state)) file.fail(file.offset(0, fault->array), fault->why);
  out.schedules = checks.rows<double>("schedule.numbers", "schedule.ends", head[1]);
  check_schedules(checks, out);
  out.blueprints = checks.rows<char>("blueprint.text", "blueprint.ends");
  for (std::size_t i = 0; i < head[1]; ++i) {
    const std::int64_t blueprint = out.state.blueprint[i];
    if (blueprint >= static_cast<std::int64_t>(out.blueprints.rows()))
      checks.refuse<std::int32_t>("blueprint", i, std::to_string(blueprint) + " has no name");
  }
  return out;
}

}  // namespace Kindred::Impl
