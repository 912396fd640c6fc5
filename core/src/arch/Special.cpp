// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/common/Quotes.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

namespace Kindred::Special {

namespace {

static_assert(std::size(records) <= 32, "one bit each");
static_assert(
    [] {
      for (std::size_t i = 0; i < std::size(records); ++i)
        if (static_cast<std::size_t>(records[i].form) != i) return false;
      return true;
    }(),
    "in the order of the enumeration");

/// Calls `function` with every name in \p text.
template <class Function>
void for_each_name(std::string_view text, const Function& function) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end > 0) function(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// All forms that can be left out.
constexpr std::string_view all_forms = "all";

const Record* find(std::string_view name) {
  const Record* found = std::find_if(std::begin(records), std::end(records),
                                     [&](const Record& record) { return name == record.name; });
  return found == std::end(records) ? nullptr : found;
}

std::uint32_t named_forms(const char* text) {
  std::uint32_t bits = 0;
  if (text == nullptr) return bits;
  for_each_name(text, [&](std::string_view name) {
    for (const Record& record : records)
      if (name == record.name || (name == all_forms && record.alone == nullptr))
        bits |= 1U << static_cast<unsigned>(record.form);
  });
  return bits;
}

template <std::size_t... form>
bool is_available_of(Form asked, std::index_sequence<form...>) {
  bool found = false;
  const auto look = [&]<Form own>() {
    if (asked != own) return;
    found = has_machine<record_of(own).machine>() &&
            (is_compiled<own, HostSpace> || (KINDRED_HAS_DEVICE && is_compiled<own, DeviceSpace>));
  };
  (look.template operator()<static_cast<Form>(form)>(), ...);
  return found;
}

}  // namespace

std::atomic<std::uint32_t> switched_off{named_forms(without_text())};

bool is_available(Form form) {
  return is_available_of(form, std::make_index_sequence<std::size(records)>());
}

const char* without_text() noexcept { return std::getenv("KINDRED_WITHOUT"); }

std::string problem_of_without(const char* text) {
  std::string problem;
  if (text == nullptr) return problem;
  for_each_name(text, [&](std::string_view name) {
    if (!problem.empty() || name == all_forms) return;
    const Record* record = find(name);
    if (record != nullptr && record->alone == nullptr) return;
    problem = "KINDRED_WITHOUT names " + in_quotes(name);
    if (record != nullptr) {
      problem += ", beside which there is no other form: " + std::string(record->alone);
      return;
    }
    problem += ", which is not a special form; those that can be left out are all, or";
    const char* before = " ";
    for (const Record& other : records) {
      if (other.alone != nullptr) continue;
      problem += before + std::string(other.name);
      before = ", ";
    }
  });
  return problem;
}

}  // namespace Kindred::Special
