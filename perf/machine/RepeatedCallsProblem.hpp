// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_MACHINE_REPEATED_CALLS_PROBLEM_HPP
#define KINDRED_PERF_MACHINE_REPEATED_CALLS_PROBLEM_HPP

#include "machine/RepeatedCalls.hpp"
#include "problems/Problem.hpp"

#include <memory>
#include <optional>
#include <string>

namespace Kindred::Perf {

/// Runs `Calls`, which are created at the first run on a space.
class RepeatedCallsProblem : public Problem {
 public:
  bool reaches(Space) const override { return true; }
  DispatchRecord run(std::optional<Space> space) override {
    if (!m_calls || m_space != *space) {
      m_calls.reset();
      m_calls = make(*space);
      m_space = *space;
    }
    m_calls->run();
    DispatchRecord record;
    record.chosen = *space;
    return record;
  }
  std::uint64_t digest() const override { return m_calls->digest(); }
  std::string check() const override { return m_calls->check(); }

 private:
  virtual std::unique_ptr<Calls> make(Space space) const = 0;

  Space m_space = Space::serial;
  std::unique_ptr<Calls> m_calls;
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_MACHINE_REPEATED_CALLS_PROBLEM_HPP
