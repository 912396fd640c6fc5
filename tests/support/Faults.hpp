// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_FAULTS_HPP
#define KINDRED_TESTS_SUPPORT_FAULTS_HPP

#include "Allocations.hpp"

#include <kindred/backends/Context.hpp>

namespace Kindred::Testing {

/// Counts the allocations of a context and makes one of them fail, or that one and all later ones.
struct Faults {
  std::size_t count = 0;
  std::size_t fail_at = 0;  ///< 0: no allocation fails
  bool forever = false;

  void operator()(std::string_view space, std::size_t bytes, const std::string& label) {
    ++count;
    if (fail_at != 0 && (count == fail_at || (forever && count > fail_at)))
      throw OutOfMemory(std::string(space), bytes, label, "made to fail");
  }
};

/// A context with \p threads threads and without a saved calibration, whose allocations go through
/// \p faults.
inline std::unique_ptr<Context> make_faulty_context(const std::shared_ptr<Faults>& faults,
                                                    int threads, ContextOptions options = {}) {
  options.threads = threads;
  options.load_profile = false;
  options.before_allocation = [faults](std::string_view space, std::size_t bytes,
                                       const std::string& label) {
    (*faults)(space, bytes, label);
  };
  return std::make_unique<Context>(std::move(options));
}

/// \see fail_every, for the allocations of the context.
template <class Change, class Check>
std::size_t fail_every_accounted(Faults& faults, const Change& change, const Check& after_failure) {
  return fail_every([&](std::size_t k) { faults = {0, k}; }, change, after_failure);
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_FAULTS_HPP
