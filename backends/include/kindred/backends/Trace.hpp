// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_TRACE_HPP
#define KINDRED_BACKENDS_TRACE_HPP

#include <kindred/backends/Dispatcher.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace Kindred {

/// \brief Records named spans of the host, dispatched calls and kernels, as a Chrome trace.
///
/// The file opens in `chrome://tracing` and Perfetto. While it lives every device kernel is fenced,
/// as under a `KernelProfile`. Thread-safe.
class Trace {
 public:
  struct Options {
    bool kernels = true;                 ///< kernels too; make the trace after the context then
    std::size_t events_max = 1'000'000;  ///< further events are counted, not kept
  };

  Trace();
  explicit Trace(const Options& options);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// \brief A span from its making to its end of life, on the thread that made it.
  class Span {
   public:
    Span(Span&& other) noexcept;
    Span& operator=(Span&&) = delete;
    ~Span();

   private:
    friend class Trace;
    Span(Trace& trace, std::string name);
    Trace* m_trace;
    std::string m_name;
    std::chrono::steady_clock::time_point m_begin;
  };
  /// \code auto span = trace.span("load"); \endcode
  [[nodiscard]] Span span(std::string name);

  /// A call that has just ended: give it to `ContextOptions::on_dispatch`.
  void add(const DispatchRecord& record);

  /// Events not kept because there were more than `events_max`.
  std::size_t dropped() const;
  /// The trace so far: `{"traceEvents": [...]}`, times in microseconds since it began.
  std::string json() const;
  /// Writes `json()` to a temporary and renames it. \throws Error when it cannot be written
  void write(const std::string& path) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_TRACE_HPP
