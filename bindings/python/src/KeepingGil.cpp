// SPDX-License-Identifier: Apache-2.0
#include "Calls.hpp"

#include <algorithm>
#include <iterator>

namespace Kindred::Python {

namespace {

struct Named {
  std::string_view name;
  const char* why;
};

// Why a function of the list may keep the GIL: it waits for nothing, and takes no lock that another
// call holds for long. To give the GIL away and take it back costs 0.1 µs, and more where other
// threads want it.
constexpr const char* constant = "reads what does not change while the object exists";
constexpr const char* atomic = "reads a number that is atomic, and does not wait for calls";
constexpr const char* reference =
    "changes or reads a reference of this object; what it releases is destroyed without the GIL";
constexpr const char* lock_free = "reads the vocabulary, which takes no lock";
constexpr const char* short_pair =
    "compares short sequences, which takes less than to give the GIL away; longer ones release it";
constexpr const char* of_python = "only uses objects of Python";
constexpr const char* makes_default = "releases the GIL where it makes the default context";
constexpr const char* known_text = "returns the number of a known text; adds others without it";

/// \see BoundFunction
constexpr Named keeping[] = {
    {"DifflibQuery.__init__", of_python},
    {"DifflibQuery.blocks", short_pair},
    {"DifflibQuery.is_exact", constant},
    {"DifflibQuery.similarity", short_pair},
    {"default_context", makes_default},
    {"functions", of_python},
    {"last_record", of_python},
    {"names_keeping_gil", of_python},
    {"set_default_log", of_python},
    {"wait_for_calls", "releases the GIL where there are calls to wait for"},
#include "KeepingGil.inc"  // of what is described
};

}  // namespace

const char* why_keeping_gil(std::string_view name) noexcept {
  const auto* const found = std::find_if(std::begin(keeping), std::end(keeping),
                                         [&](const Named& one) { return one.name == name; });
  return found == std::end(keeping) ? nullptr : found->why;
}

std::vector<std::string_view> names_keeping_gil() {
  std::vector<std::string_view> names;
  for (const Named& one : keeping) names.push_back(one.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace Kindred::Python
