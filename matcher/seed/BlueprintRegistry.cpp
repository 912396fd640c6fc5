// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/BlueprintRegistry.hpp>

#include "storage/SectionChecks.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace Kindred {

namespace {

constexpr const char* blueprints_kind = "blueprints";

/// The fault of a new set, if there is one.
std::optional<std::string> fault_of(const std::string& name, std::span<const float> weights,
                                    bool is_known) {
  if (name.empty()) return "the name of a blueprint must not be empty";
  if (weights.empty()) return "the blueprint " + in_quotes(name) + " has no weights";
  if (is_known)
    return "the blueprint " + in_quotes(name) +
           " already exists; replace it, or choose another name";
  return {};
}

}  // namespace

bool BlueprintRegistry::contains(std::int32_t id) const noexcept {
  return id >= 0 && static_cast<std::size_t>(id) < m_sets.size() &&
         !m_sets[static_cast<std::size_t>(id)].weights.empty();
}

std::optional<std::int32_t> BlueprintRegistry::find(std::string_view name) const try {
  const auto found = m_ids.find(std::string(name));
  if (found == m_ids.end()) return {};
  return found->second;
} catch (...) {
  Impl::rethrow_translated("Kindred::BlueprintRegistry::find");
}

const BlueprintRegistry::Set& BlueprintRegistry::at(std::int32_t id) const try {
  if (!contains(id)) {
    throw NotFound("there is no blueprint " + std::to_string(id) + "; only ids below " +
                   std::to_string(m_sets.size()) + " were assigned");
  }
  return m_sets[static_cast<std::size_t>(id)];
} catch (...) {
  Impl::rethrow_translated("Kindred::BlueprintRegistry::at");
}

std::int32_t BlueprintRegistry::add(std::string name, std::span<const float> weights) try {
  const auto fault = fault_of(name, weights, m_ids.contains(name));
  KINDRED_THROW_IF(fault, *fault);
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  KINDRED_THROW_IF(m_sets.size() >= most,
                   "there are already " + std::to_string(most) + " blueprints");
  const auto id = static_cast<std::int32_t>(m_sets.size());
  m_sets.push_back({std::move(name), {weights.begin(), weights.end()}, 1});
  try {
    m_ids.emplace(m_sets.back().name, id);
  } catch (...) {
    m_sets.pop_back();
    throw;
  }
  return id;
} catch (...) {
  Impl::rethrow_translated("Kindred::BlueprintRegistry::add");
}

void BlueprintRegistry::replace(std::int32_t id, std::span<const float> weights) try {
  at(id);
  Set& set = m_sets[static_cast<std::size_t>(id)];
  KINDRED_THROW_IF(weights.size() != set.weights.size(),
                   std::to_string(weights.size()) + " weights for the blueprint " +
                       in_quotes(set.name) + ", which has " + std::to_string(set.weights.size()));
  std::copy(weights.begin(), weights.end(), set.weights.begin());
  ++set.version;
} catch (...) {
  Impl::rethrow_translated("Kindred::BlueprintRegistry::replace");
}

void BlueprintRegistry::remove(std::int32_t id) try {
  at(id);
  Set& set = m_sets[static_cast<std::size_t>(id)];
  m_ids.erase(set.name);
  set = {{}, {}, set.version};
} catch (...) {
  Impl::rethrow_translated("Kindred::BlueprintRegistry::remove");
}

void BlueprintRegistry::save(const std::string& path) const try {
  Impl::SectionWriter writer(path, blueprints_kind);
  std::vector<std::uint64_t> versions;
  std::vector<std::uint64_t> weight_ends;
  Ragged<char> names;
  std::uint64_t weights = 0;
  for (const Set& set : m_sets) {
    versions.push_back(set.version);
    weight_ends.push_back(weights += set.weights.size());
    names.push_row(set.name);
  }
  writer.write<std::uint64_t>("version", versions);
  writer.write_rows<char>("name.text", "name.ends", names);
  writer.write<std::uint64_t>("weight.ends", weight_ends);
  writer.begin<float>("weight");
  for (const Set& set : m_sets) writer.put<float>(set.weights);
  writer.commit();
} catch (...) {
  Impl::rethrow_translated("Kindred::BlueprintRegistry::save");
}

BlueprintRegistry BlueprintRegistry::load(const FileSource& source) try {
  const Impl::SectionFile file(source, blueprints_kind, 1);
  const Impl::SectionChecks checks(file, 1);
  const auto versions = checks.section<std::uint64_t>("version");
  const auto names = checks.rows<char>("name.text", "name.ends", versions.size());
  const auto weight_ends = checks.section<std::uint64_t>("weight.ends", versions.size());
  const auto weights = checks.section<float>("weight");
  checks.ends("weight.ends", weight_ends, weights.size());
  BlueprintRegistry registry;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::uint64_t begin = i == 0 ? 0 : weight_ends[i - 1];
    std::string name(names[i].begin(), names[i].end());
    if (versions[i] == 0) checks.refuse<std::uint64_t>("version", i, "0; versions begin at 1");
    if (begin == weight_ends[i]) {  // the set was removed
      if (!name.empty())
        checks.refuse<std::uint64_t>("weight.ends", i, "a blueprint without weights has a name");
      registry.m_sets.push_back({{}, {}, versions[i]});
      continue;
    }
    const auto own = weights.subspan(begin, weight_ends[i] - begin);
    if (const auto fault = fault_of(name, own, registry.m_ids.contains(name)))
      checks.refuse<std::uint64_t>("name.ends", i, *fault);
    registry.add(std::move(name), own);
    registry.m_sets.back().version = versions[i];
  }
  return registry;
} catch (...) {
  Impl::rethrow_translated("Kindred::BlueprintRegistry::load");
}

}  // namespace Kindred
