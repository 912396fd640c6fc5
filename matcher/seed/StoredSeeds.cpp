// SPDX-License-Identifier: Apache-2.0
#include "StoredSeeds.hpp"

#include "SeedRules.hpp"
#include "StateFields.hpp"
#include "storage/SectionChecks.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/SeedSchedule.hpp>

#include <array>
#include <limits>
#include <type_traits>

namespace Kindred::Impl {

namespace {

constexpr const char* seeds_kind = "seeds";

/// The rows of sections `name.numbers` (or `.text`) and `name.ends`.
template <class T>
Ragged<T> read_rows(const SectionChecks& checks, const std::string& values,
                    const std::string& ends_of) {
  using Element = std::conditional_t<std::is_same_v<T, char>, std::uint8_t, T>;
  const auto elements = checks.section<Element>(values);
  const auto ends = checks.section<std::uint64_t>(ends_of);
  checks.ends(ends_of, ends, elements.size());
  Ragged<T> rows;
  rows.values.assign(elements.begin(), elements.end());
  rows.offsets.insert(rows.offsets.end(), ends.begin(), ends.end());
  return rows;
}

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

void save_checkpoint(const std::string& path, const StoredSeeds& checkpoint) {
  SectionWriter writer(path, seeds_kind);
  const std::array<std::uint64_t, 3> head{checkpoint.hidden, checkpoint.state.seeds(),
                                          checkpoint.epoch};
  writer.write<std::uint64_t>("head", head);
  for_each_array(checkpoint.state, [&](const char* name, const auto& array) {
    using T = StateElement<typename std::decay_t<decltype(array)>::value_type>;
    writer.write<T>(name, {reinterpret_cast<const T*>(array.data()), array.size()});
  });
  writer.write<double>("schedule.numbers", checkpoint.schedules.values);
  writer.write<std::uint64_t>("schedule.ends", std::span(checkpoint.schedules.offsets).subspan(1));
  const std::vector<char>& text = checkpoint.blueprints.values;
  writer.write<std::uint8_t>("blueprint.text",
                             {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  writer.write<std::uint64_t>("blueprint.ends",
                              std::span(checkpoint.blueprints.offsets).subspan(1));
  writer.commit();
}

StoredSeeds load_checkpoint(const std::string& path) {
  const SectionFile file(path, seeds_kind, 1);
  const SectionChecks checks(file, 0, 1);
  const auto head = checks.section<std::uint64_t>("head");
  checks.count<std::uint64_t>("head", head, 3);
  if (file.commits() != 1)
    checks.refuse<std::uint64_t>("head", 0,
                                 "in a file of more than one commit; a checkpoint has one");
  StoredSeeds out;
  out.hidden = head[0];
  out.epoch = head[2];
  for_each_array(out.state, [&](const char* name, auto& array) {
    using Element = typename std::decay_t<decltype(array)>::value_type;
    for (const StateElement<Element> value : checks.section<StateElement<Element>>(name))
      array.push_back(static_cast<Element>(value));
  });
  if (out.state.seeds() != head[1])
    checks.refuse<std::uint64_t>(
        "head", 1,
        std::to_string(head[1]) + " seeds, and lifecycle has " + std::to_string(out.state.seeds()));
  if (const auto fault = fault_of(out.state)) file.fail(file.offset(0, fault->array), fault->why);
  out.schedules = read_rows<double>(checks, "schedule.numbers", "schedule.ends");
  if (out.schedules.rows() != head[1])
    checks.refuse<std::uint64_t>("schedule.ends", 0,
                                 std::to_string(out.schedules.rows()) + " rows; " +
                                     std::to_string(head[1]) + " are expected");
  check_schedules(checks, out);
  out.blueprints = read_rows<char>(checks, "blueprint.text", "blueprint.ends");
  for (std::size_t i = 0; i < head[1]; ++i) {
    const std::int64_t blueprint = out.state.blueprint[i];
    if (blueprint >= static_cast<std::int64_t>(out.blueprints.rows()))
      checks.refuse<std::int32_t>("blueprint", i, std::to_string(blueprint) + " has no name");
  }
  return out;
}

}  // namespace Kindred::Impl
