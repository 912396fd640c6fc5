// SPDX-License-Identifier: Apache-2.0
#include "threads/Worker.hpp"

#include <kindred/core/common/Error.hpp>

#include "common/Timing.hpp"
#include "threads/ThreadCalls.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace Kindred::Perf {

namespace {

enum class OrderKind : std::uint8_t { prepare, warm, calls, wait, stop };

struct WorkerOrder {
  OrderKind order = OrderKind::prepare;
  bool has_space = false;
  Space space = Space::serial;
  std::size_t kind = 0;
  std::size_t large = 0;
  int threads = 1;
  double start = 0;
  double seconds = 0;

  std::optional<Space> where() const { return has_space ? std::optional(space) : std::nullopt; }
};

/// Transfers all bytes of \p value; returns whether the other end is still open.
template <class T>
bool write_value(int file, const T& value) {
  const auto* const bytes = reinterpret_cast<const char*>(&value);
  for (std::size_t done = 0; done < sizeof(T);) {
    const ssize_t count = ::write(file, bytes + done, sizeof(T) - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}
template <class T>
bool read_value(int file, T& value) {
  auto* const bytes = reinterpret_cast<char*>(&value);
  for (std::size_t done = 0; done < sizeof(T);) {
    const ssize_t count = ::read(file, bytes + done, sizeof(T) - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

/// An answer, or the text of an exception.
template <class T>
struct WorkerAnswer {
  T value{};
  char error[512] = {};
};

/// The objects of a process and what it does with them.
class WorkerCalls {
 public:
  WorkerCalls(std::uint64_t seed, int context_threads)
      : m_seed(seed), m_context_threads(context_threads), m_prepared(thread_calls_kinds().size()) {}

  /// Answers orders until there are no more.
  void serve(int orders, int answers) {
    WorkerOrder order;
    while (read_value(orders, order) && order.order != OrderKind::stop) {
      switch (order.order) {
        case OrderKind::prepare:
          answer<std::uint64_t>(answers, [&] { return prepare(order.kind); });
          break;
        case OrderKind::warm:
          run(order, orders, answers);
          break;
        case OrderKind::calls:  // read by `run`
        case OrderKind::stop:
          break;
        case OrderKind::wait:
          answer<CallWait>(answers, [&] { return wait(order); });
          break;
      }
    }
  }

 private:
  struct Prepared {
    std::unique_ptr<ThreadCalls> calls;
    std::array<std::uint64_t, ThreadCalls::inputs> expected{};
    std::uint64_t sum = 0;
  };

  template <class T, class Body>
  static void answer(int file, const Body& body) {
    WorkerAnswer<T> out;
    try {
      out.value = body();
    } catch (const std::exception& error) {
      std::snprintf(out.error, sizeof(out.error), "%s", error.what());
    }
    write_value(file, out);
  }

  std::uint64_t prepare(std::size_t kind) {
    if (!m_context) {
      ContextOptions options;
      options.threads = m_context_threads;
      m_context.emplace(options);
    }
    Prepared& prepared = m_prepared[kind];
    if (!prepared.calls) {
      prepared.calls = thread_calls_kinds()[kind].make(*m_context, m_seed);
      for (std::size_t input = 0; input < ThreadCalls::inputs; ++input) {
        prepared.expected[input] = prepared.calls->call(input, 1, Space::serial);
        prepared.sum += prepared.expected[input];
      }
    }
    return prepared.sum;
  }

  static bool is_wrong(const Prepared& prepared, std::size_t input, std::optional<Space> space) {
    return prepared.calls->call(input, 1, space) != prepared.expected[input];
  }

  /// Runs the threads of one measurement: they warm up, and start together when `calls` arrives.
  void run(const WorkerOrder& order, int orders, int answers) {
    const Prepared& prepared = m_prepared[order.kind];
    const auto count = static_cast<std::size_t>(order.threads);
    std::vector<CallRate> rates(count);
    std::vector<std::string> errors(count);
    std::atomic<std::size_t> warm = 0;
    std::atomic<bool> has_start = false;
    WorkerOrder begin;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < count; ++t) {
      threads.emplace_back([&, t] {
        CallRate& rate = rates[t];
        try {
          for (std::size_t input = 0; input < ThreadCalls::inputs; ++input)
            rate.wrong += is_wrong(prepared, input, order.where()) ? 1 : 0;
        } catch (const std::exception& error) {
          errors[t] = error.what();
        }
        ++warm;
        warm.notify_all();
        has_start.wait(false);
        if (!errors[t].empty()) return;
        try {
          repeat_calls(prepared, order.where(), begin, t, rate);
        } catch (const std::exception& error) {
          errors[t] = error.what();
        }
      });
    }
    for (std::size_t seen = warm; seen < count; seen = warm) warm.wait(seen);
    answer<bool>(answers, [] { return true; });
    const bool is_open = read_value(orders, begin);
    has_start = true;
    has_start.notify_all();
    for (std::thread& thread : threads) thread.join();
    if (!is_open) return;
    answer<CallRate>(answers, [&] {
      CallRate sum;
      for (std::size_t t = 0; t < count; ++t) {
        if (!errors[t].empty()) throw Error(errors[t]);
        sum.calls_per_second += rates[t].calls_per_second;
        sum.calls += rates[t].calls;
        sum.wrong += rates[t].wrong;
      }
      return sum;
    });
  }

  static void repeat_calls(const Prepared& prepared, std::optional<Space> space,
                           const WorkerOrder& begin, std::size_t thread, CallRate& rate) {
    const double wait = begin.start - monotonic_seconds();
    if (wait > 0) std::this_thread::sleep_for(std::chrono::duration<double>(wait));
    const double end = begin.start + begin.seconds;
    double now = monotonic_seconds();
    for (std::size_t input = thread; now < end; ++input) {
      rate.wrong += is_wrong(prepared, input % ThreadCalls::inputs, space) ? 1 : 0;
      ++rate.calls;
      now = monotonic_seconds();
    }
    rate.calls_per_second = static_cast<double>(rate.calls) / (now - begin.start);
  }

  CallWait wait(const WorkerOrder& order) {
    const Prepared& small = m_prepared[order.kind];
    const Prepared& large = m_prepared[order.large];
    constexpr std::size_t queries_max = 50000;  // to limit the memory of the results
    CallWait out;
    // The time of a query in a large call differs from that of a small call.
    std::size_t queries = 1024;
    const double rate =
        static_cast<double>(queries) / timed([&] { large.calls->call(0, queries, order.where()); });
    queries = std::clamp<std::size_t>(static_cast<std::size_t>(rate * order.seconds),
                                      ThreadCalls::inputs, queries_max) /
              ThreadCalls::inputs * ThreadCalls::inputs;
    std::vector<double> alone(31);
    for (double& seconds : alone) seconds = timed([&] { small.calls->call(0, 1, order.where()); });
    out.small_seconds = median(alone);
    std::atomic<bool> has_begun = false;
    std::atomic<bool> has_ended = false;
    std::string failure;
    std::thread caller([&] {
      try {
        has_begun = true;
        const auto start = Clock::now();
        const std::uint64_t sum = large.calls->call(0, queries, order.where());
        out.large_seconds = seconds_since(start);
        out.wrong += sum == queries / ThreadCalls::inputs * large.sum ? 0 : 1;
      } catch (const std::exception& error) {
        failure = error.what();
      }
      has_ended = true;
    });
    std::uint64_t wrong = 0;
    try {
      while (!has_begun) std::this_thread::yield();
      // The large call has copied its arguments by then.
      std::this_thread::sleep_for(std::chrono::duration<double>(order.seconds / 10));
      for (std::size_t input = 0; !has_ended; input = (input + 1) % ThreadCalls::inputs) {
        const auto start = Clock::now();
        wrong += is_wrong(small, input, order.where()) ? 1 : 0;
        out.longest_seconds = std::max(out.longest_seconds, seconds_since(start));
        ++out.calls;
      }
    } catch (...) {
      caller.join();
      throw;
    }
    caller.join();
    if (!failure.empty()) throw Error(failure);
    out.wrong += wrong;
    return out;
  }

  std::uint64_t m_seed;
  int m_context_threads;
  std::optional<Context> m_context;
  std::vector<Prepared> m_prepared;
};

}  // namespace

double monotonic_seconds() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

Worker::Worker(std::uint64_t seed, int context_threads) {
  int orders[2];
  int answers[2];
  if (::pipe(orders) != 0 || ::pipe(answers) != 0)
    throw Error(std::string("a pipe cannot be created: ") + std::strerror(errno));
  std::fflush(nullptr);
  m_process = ::fork();
  if (m_process < 0)
    throw Error(std::string("a process cannot be started: ") + std::strerror(errno));
  if (m_process == 0) {
    ::close(orders[1]);
    ::close(answers[0]);
    {
      WorkerCalls calls(seed, context_threads);
      calls.serve(orders[0], answers[1]);
    }
    std::fflush(nullptr);
    ::_exit(0);
  }
  ::close(orders[0]);
  ::close(answers[1]);
  m_orders = orders[1];
  m_answers = answers[0];
}

Worker::~Worker() {
  // Processes that were forked later have the pipe open too.
  WorkerOrder order;
  order.order = OrderKind::stop;
  write_value(m_orders, order);
  ::close(m_orders);
  ::close(m_answers);
  ::waitpid(m_process, nullptr, 0);
}

template <class Answer>
Answer Worker::receive() {
  WorkerAnswer<Answer> answer;
  if (!read_value(m_answers, answer)) throw Error("a process of the measurement has ended");
  if (answer.error[0] != '\0') throw Error(answer.error);
  return answer.value;
}

void Worker::start_preparing(std::size_t kind) {
  WorkerOrder order;
  order.kind = kind;
  write_value(m_orders, order);
}
std::uint64_t Worker::wait_prepared() { return receive<std::uint64_t>(); }

void Worker::start_warming(std::size_t kind, std::optional<Space> space, int threads) {
  WorkerOrder order;
  order.order = OrderKind::warm;
  order.kind = kind;
  order.has_space = space.has_value();
  order.space = space.value_or(Space::serial);
  order.threads = threads;
  write_value(m_orders, order);
}
void Worker::wait_warm() { receive<bool>(); }

void Worker::start_calls(double start, double seconds) {
  WorkerOrder order;
  order.order = OrderKind::calls;
  order.start = start;
  order.seconds = seconds;
  write_value(m_orders, order);
}
CallRate Worker::wait_rate() { return receive<CallRate>(); }

void Worker::start_waiting(std::size_t small, std::size_t large, std::optional<Space> space,
                           double seconds) {
  WorkerOrder order;
  order.order = OrderKind::wait;
  order.kind = small;
  order.large = large;
  order.has_space = space.has_value();
  order.space = space.value_or(Space::serial);
  order.seconds = seconds;
  write_value(m_orders, order);
}
CallWait Worker::wait_for_wait() { return receive<CallWait>(); }

}  // namespace Kindred::Perf
