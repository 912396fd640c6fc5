// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/HelperThreads.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/backends/impl/OpenMPTeams.hpp>
#include <kindred/backends/impl/StartThreads.hpp>
#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <set>

#include "EnvironmentVariable.hpp"
#include "MessageOf.hpp"
#include "Support.hpp"
#include "ThreadSanitizer.hpp"

namespace StartThreadsTest {

using namespace Kindred;
using Testing::EnvironmentVariable;

ContextOptions options_of(int threads) { return {.threads = threads, .load_profile = false}; }

std::set<int> affinity(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(thread, sizeof(set), &set), 0);
  std::set<int> processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &set)) processors.insert(processor);
  return processors;
}

void set_affinity(const std::set<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(processor, &set);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(set), &set), 0);
}

std::string text_of(const std::set<int>& processors) {
  std::string text;
  for (const int processor : processors) text += std::to_string(processor) + ' ';
  return text;
}

/// The processors of a helper thread that the calling thread needs first.
std::set<int> affinity_of_helper() {
  Impl::HelperThreads helpers;
  std::atomic<bool> has_joined{false};
  std::set<int> seen;
  helpers.run(2, [&](std::size_t worker) {
    if (worker == 0) {
      while (!has_joined) ::sched_yield();
      return;
    }
    seen = affinity(0);
    has_joined = true;
  });
  return seen;
}

/// Ends the process with status 0 if helper threads of every kind of caller may use \p expected.
void check_helpers(const std::string& expected) {
  const Context context(options_of(2));
  bool is_right = text_of(affinity_of_helper()) == expected;
  Impl::run_on_team(context, 2, [&] {
    Kokkos::parallel_for(
        "Kindred::Testing::bound",
        Kokkos::RangePolicy<HostSpace>(Impl::host_instance(context, Space::openmp), 0, 2),
        [](int) {});
    is_right = is_right && text_of(affinity_of_helper()) == expected;
  });
  std::set<int> own;
  Impl::start_thread("a thread", [&] { own = affinity(0); }).join();
  is_right = is_right && text_of(own) == expected;
  std::cerr << "main: " << text_of(affinity(::getpid())) << "; own: " << text_of(own)
            << "; helper: " << text_of(affinity_of_helper()) << '\n';
  std::exit(is_right ? 0 : 1);
}

class StartThreadsDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Testing::context().is_usable(Space::openmp)) GTEST_SKIP() << "needs OpenMP";
    if (Testing::thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer does not support OpenMP";
    if (Testing::address_sanitizer) GTEST_SKIP() << "AddressSanitizer needs address space";
    // The child starts anew, and OpenMP reads its variables.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

/// What the child must find; its own threads may be bound.
std::string expected_in_child(const std::set<int>& processors) {
  const char* const given = std::getenv("KINDRED_TEST_PROCESSORS");
  return given != nullptr ? given : text_of(processors);
}

using Variables = std::vector<std::pair<const char*, const char*>>;
const Variables bindings{{"OMP_PROC_BIND", "false"},
                         {"OMP_PROC_BIND", "true"},
                         {"OMP_PROC_BIND", "close"},
                         {"OMP_PROC_BIND", "spread"}};

/// Expects that `check(processors)` succeeds in a child with each of the \p variables.
void expect_in_children(const std::set<int>& processors, const Variables& variables,
                        void (*check)(const std::string&)) {
  const std::string text = expected_in_child(processors);
  const EnvironmentVariable expected("KINDRED_TEST_PROCESSORS", text);
  for (const auto& [name, value] : variables) {
    const EnvironmentVariable bound(name, value);
    EXPECT_EXIT(check(text), testing::ExitedWithCode(0), "main: ") << name << '=' << value;
  }
}

TEST_F(StartThreadsDeathTest, MayUseAllProcessorsWhereOpenMPBindsItsThreads) {
  Variables variables = bindings;
  variables.insert(
      variables.end(),
      {{"OMP_PROC_BIND", "master"}, {"OMP_PLACES", "threads"}, {"OMP_PLACES", "sockets"}});
  expect_in_children(affinity(::getpid()), variables, check_helpers);
}

TEST_F(StartThreadsDeathTest, KeepToTheProcessorsOfAProcessThatWasRestricted) {
  const std::set<int> all = affinity(::getpid());
  const std::set<int> last{*all.rbegin()};
  set_affinity(last);
  expect_in_children(last, bindings, check_helpers);
  set_affinity(all);
}

/// The process restricts itself when OpenMP has bound its first thread already.
void restrict_and_check_helpers(const std::string& processor) {
  set_affinity({std::stoi(processor)});
  check_helpers(processor);
}

TEST_F(StartThreadsDeathTest, KeepToTheProcessorsOfAProcessThatRestrictsItself) {
  const std::set<int> all = affinity(::getpid());
  if (std::getenv("KINDRED_TEST_PROCESSORS") == nullptr && all.size() < 2)
    GTEST_SKIP() << "needs two processors";
  expect_in_children({*all.rbegin()}, bindings, restrict_and_check_helpers);
}

TEST(StartThreads, OfOpenMPHaveTheStacksThatAreSet) {
  const auto bytes = [](const char* name, const char* text) {
    return Impl::openmp_stack_bytes([=](const char* asked) -> const char* {
      return std::string(asked) == name ? text : nullptr;
    });
  };
  for (const char* name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    EXPECT_EQ(bytes(name, "512"), 512U << 10U);
    EXPECT_EQ(bytes(name, " 65536 b"), 65536U);
    EXPECT_EQ(bytes(name, "3k"), 3U << 10U);
    EXPECT_EQ(bytes(name, "16M "), 16U << 20U);
    EXPECT_EQ(bytes(name, "2G"), std::size_t{2} << 30U);
    for (const char* text :
         {"", "M", "-", "1T", "1 2", "99999999999999999999999", "18014398509481985G"})
      EXPECT_EQ(bytes(name, text), 0U) << text;
  }
  EXPECT_EQ(bytes("OTHER", "1M"), 0U);
}

TEST(StartThreads, AreAllStartedAndEnded) {
  const auto threads_now = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("Threads:")) return line;
    return std::string();
  };
  const std::string before = threads_now();
  for (const int count : {-1, 0, 1, 2, 37}) EXPECT_EQ(Impl::why_threads_cannot_start(count), "");
  EXPECT_EQ(threads_now(), before);
}

/// Ends the process with \p status unless \p holds.
void require(bool holds, int status) {
  if (!holds) std::exit(status);
}

void limit_address_space_to(rlim_t limit) {
  const rlimit limits{limit, RLIM_INFINITY};
  require(::setrlimit(RLIMIT_AS, &limits) == 0, 9);
}
/// Sets the limit of the address space to what is in use and \p bytes.
void limit_address_space(std::uint64_t bytes) {
  std::ifstream status("/proc/self/statm");
  std::uint64_t pages = 0;
  status >> pages;
  limit_address_space_to(pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + bytes);
}
void unlimit_address_space() { limit_address_space_to(RLIM_INFINITY); }

const Workload large{
    .operation = Operations::reduction, .items = 1, .work = 1e12, .resident = SpaceSet::host()};

/// In every block, threads of 64 MiB find no place.
constexpr std::uint64_t little = 48U << 20U;

/// Counts to 1000 in a parallel region of \p context.
int count_on(const Context& context, Space space) {
  int sum = 0;
  Kokkos::parallel_reduce(
      "Kindred::Testing::count",
      Kokkos::RangePolicy<HostSpace>(Impl::host_instance(context, space), 0, 1000),
      [](int, int& part) { ++part; }, sum);
  return sum;
}

/// The record of a call that counts.
DispatchRecord count(Context& context, std::optional<Space> forced) {
  return context.run(large, forced,
                     [&](Space space) { require(count_on(context, space) == 1000, 8); });
}

void use_a_context_without_threads() {
  {
    limit_address_space(little);
    Context context(options_of(8));
    unlimit_address_space();
    require(!context.is_usable(Space::openmp) && context.threads() == 1, 2);
    const SpaceInfo& info = context.info(Space::openmp);
    std::cerr << info.why_not << '\n';
    require(info.concurrency == 1 && info.concurrency_why == "openmp cannot be used", 3);
    require(context.run(large, {}, [](Space) {}).chosen == Space::serial, 4);
    const std::string refusal = Testing::message_of<SpaceUnavailable>(
        [&] { context.run(large, Space::openmp, [](Space) {}); });
    require(refusal.find("8 threads cannot be started") != std::string::npos, 5);
  }
  Context later(options_of(8));
  require(later.is_usable(Space::openmp) && later.threads() == 8, 6);
  require(count(later, Space::openmp).threads == 8, 7);
  std::exit(0);
}

void call_without_threads(bool with_started_context) {
  Context context(options_of(8));
  require(context.is_usable(Space::openmp), 2);
  if (with_started_context) require(count(context, Space::openmp).threads == 8, 3);
  limit_address_space(little);
  if (with_started_context) {
    // The team that runs serves smaller calls too, whose own cannot be started.
    int sum = 0;
    const int threads =
        Impl::run_on_team(context, 2, [&] { sum = count_on(context, Space::openmp); });
    require(threads == 8 && sum == 1000, 4);
    // A call outside of a team starts threads of the calling thread.
    Impl::start_thread("a caller", [&] {
      const std::string refusal = Testing::message_of<SpaceUnavailable>(
          [&] { (void)Impl::host_instance(context, Space::openmp); });
      require(refusal.find("7 threads cannot be started") != std::string::npos, 5);
    }).join();
  } else {
    std::cerr << Testing::message_of<SpaceUnavailable>([&] { count(context, Space::openmp); })
              << '\n';
    require(count(context, {}).chosen == Space::serial, 6);
  }
  unlimit_address_space();
  require(count(context, Space::openmp).threads == 8, 7);
  std::cerr << "threads cannot be started\n";
  std::exit(0);
}

/// The child starts with eight threads, whose stacks are large.
class FewThreadsDeathTest : public StartThreadsDeathTest {
 private:
  EnvironmentVariable m_stacks{"OMP_STACKSIZE", "64M"};
  EnvironmentVariable m_processors{"OMP_NUM_THREADS", "8"};
};

TEST_F(FewThreadsDeathTest, WithoutThreadsAContextHasNoOpenMP) {
  EXPECT_EXIT(use_a_context_without_threads(), testing::ExitedWithCode(0),
              "8 threads cannot be started: Resource temporarily unavailable; allow the process "
              "more threads");
}

TEST_F(FewThreadsDeathTest, WithoutThreadsACallRunsOnSerial) {
  EXPECT_EXIT(call_without_threads(false), testing::ExitedWithCode(0),
              "threads cannot be started: Resource temporarily unavailable");
}

TEST_F(FewThreadsDeathTest, WithoutMoreThreadsACallUsesATeamThatRuns) {
  EXPECT_EXIT(call_without_threads(true), testing::ExitedWithCode(0), "threads cannot be started");
}

}  // namespace StartThreadsTest
