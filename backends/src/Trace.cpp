// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Trace.hpp>

#include "Json.hpp"
#include "KernelEvents.hpp"

#include <kindred/memory/AtomicFile.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace Kindred {

namespace {

using Time = std::chrono::steady_clock::time_point;

constexpr int device_row = 0;  ///< host threads have the rows from 1 on

struct Event {
  std::string name;
  const char* category;
  int row;
  Time begin;
  Time end;
  std::string arguments;  ///< JSON; may be empty
};

}  // namespace

struct KINDRED_HIDDEN Trace::State final : Impl::KernelListener {
  explicit State(const Options& given) : options(given), start(std::chrono::steady_clock::now()) {}

  void on_kernel(const Impl::KernelEvent& event) override {
    const std::lock_guard lock(mutex);
    try {
      add({event.label, "kernel", event.device ? device_row : row(), event.begin, event.end, {}});
    } catch (const std::bad_alloc&) {
      ++dropped;  // the call that was traced goes on
    }
  }

  /// Row of the calling thread. Requires the lock.
  int row() {
    return rows.try_emplace(std::this_thread::get_id(), static_cast<int>(rows.size()) + 1)
        .first->second;
  }
  /// Requires the lock.
  void add(Event event) {
    if (events.size() < options.events_max) {
      events.push_back(std::move(event));
    } else {
      ++dropped;
    }
  }

  Options options;
  Time start;
  mutable std::mutex mutex;
  std::vector<Event> events;
  std::map<std::thread::id, int> rows;
  std::size_t dropped = 0;
};

Trace::Trace() try : Trace(Options()) {
} catch (...) {
  Impl::rethrow_translated("Kindred::Trace");
}
Trace::Trace(const Options& options) try : m_state(std::make_unique<State>(options)) {
  if (options.kernels) m_state->start_listening();
} catch (...) {
  Impl::rethrow_translated("Kindred::Trace");
}
Trace::~Trace() {
  if (m_state->options.kernels) m_state->stop_listening();
}

Trace::Span::Span(Trace& trace, std::string name)
    : m_trace(&trace), m_name(std::move(name)), m_begin(std::chrono::steady_clock::now()) {}
Trace::Span::Span(Span&& other) noexcept
    : m_trace(std::exchange(other.m_trace, nullptr)),
      m_name(std::move(other.m_name)),
      m_begin(other.m_begin) {}
Trace::Span::~Span() {
  if (m_trace == nullptr) return;
  State& state = *m_trace->m_state;
  const Time end = std::chrono::steady_clock::now();
  const std::lock_guard lock(state.mutex);
  try {
    state.add({std::move(m_name), "span", state.row(), m_begin, end, {}});
  } catch (const std::bad_alloc&) {
    ++state.dropped;
  }
}

Trace::Span Trace::span(std::string name) try { return Span(*this, std::move(name)); } catch (...) {
  Impl::rethrow_translated("Kindred::Trace::span");
}

void Trace::add(const DispatchRecord& record) try {
  const Time end = std::chrono::steady_clock::now();
  const auto taken = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(record.taken));
  const std::lock_guard lock(m_state->mutex);
  m_state->add(
      {std::string(to_string(record.operation)) + " on " + std::string(to_string(record.chosen)),
       "dispatch", m_state->row(), end - taken, end, to_json(record)});
} catch (...) {
  Impl::rethrow_translated("Kindred::Trace::add");
}

std::size_t Trace::dropped() const {
  const std::lock_guard lock(m_state->mutex);
  return m_state->dropped;
}

std::string Trace::json() const try {
  using Impl::Json;
  const auto microseconds = [](auto duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
  };
  Json::Array list;
  const auto name_row = [&](int row, const std::string& name) {
    list.emplace_back(Json::Object{{"name", "thread_name"},
                                   {"ph", "M"},
                                   {"pid", 1},
                                   {"tid", row},
                                   {"args", Json::Object{{"name", name}}}});
  };
  const std::lock_guard lock(m_state->mutex);
  name_row(device_row, "device");
  for (const auto& [thread, row] : m_state->rows)
    name_row(row, "host thread " + std::to_string(row));
  for (const Event& event : m_state->events) {
    Json::Object entry{{"name", event.name},
                       {"cat", event.category},
                       {"ph", "X"},
                       {"ts", microseconds(event.begin - m_state->start)},
                       {"dur", microseconds(event.end - event.begin)},
                       {"pid", 1},
                       {"tid", event.row}};
    if (auto arguments = Json::parse(event.arguments))
      entry.emplace_back("args", std::move(*arguments));
    list.emplace_back(std::move(entry));
  }
  Json::Object trace{{"displayTimeUnit", "ms"},
                     {"otherData", Json::Object{{"dropped", m_state->dropped}}}};
  trace.emplace_back("traceEvents", std::move(list));
  return Json(std::move(trace)).dump();
} catch (...) {
  Impl::rethrow_translated("Kindred::Trace::json");
}

void Trace::write(const std::string& path) const try {
  AtomicFile::replace(path, json() + '\n');
} catch (...) {
  Impl::rethrow_translated("Kindred::Trace::write");
}

}  // namespace Kindred
