// SPDX-License-Identifier: Apache-2.0
#include "problems/ProblemFactories.hpp"

#include <utility>

namespace Kindred::Perf {

namespace {

class CallProblem final : public Problem {
 public:
  CallProblem(std::string what, std::function<DispatchRecord(std::optional<Space>)> run,
              std::function<std::string()> check)
      : m_run(std::move(run)), m_check(std::move(check)) {
    name = std::move(what);
    items = 1;
    unit = "calls";
  }
  bool reaches(Space) const override { return true; }
  DispatchRecord run(std::optional<Space> space) override { return m_run(space); }
  std::uint64_t digest() const override { return 0; }
  std::string check() const override { return m_check ? m_check() : std::string(); }

 private:
  std::function<DispatchRecord(std::optional<Space>)> m_run;
  std::function<std::string()> m_check;
};

}  // namespace

std::unique_ptr<Problem> call_problem(std::string name,
                                      std::function<DispatchRecord(std::optional<Space>)> run,
                                      std::function<std::string()> check) {
  return std::make_unique<CallProblem>(std::move(name), std::move(run), std::move(check));
}

}  // namespace Kindred::Perf
