// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_TRACE_HPP
#define KINDRED_BACKENDS_TRACE_HPP

#include <kindred/backends/Dispatcher.hpp>
#include <kindred/core/common/Public.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace KINDRED_PUBLIC Kindred {

/// \brief Records named host spans, dispatched calls and kernels as a Chrome trace.
///
/// The file opens in `chrome://tracing` and Perfetto. If kernels are recorded, every device kernel
/// is fenced during the object's lifetime, as with `KernelProfile`. Thread-safe.
class Trace {
 public:
  struct Options {
    bool kernels = true;  ///< also record kernels; the trace must then be created after the context
    std::size_t events_max = 1'000'000;  ///< further events are only counted
  };

  Trace();
  explicit Trace(const Options& options);
  ~Trace();

  /// \brief A span from construction to destruction, on the thread that created it.
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
  /// \brief Starts a span that ends when the returned object is destroyed.
  /// \code auto span = trace.span("load"); \endcode
  [[nodiscard]] Span span(std::string name);

  /// Records a call that has just ended; call it from `ContextOptions::on_dispatch`.
  void add(const DispatchRecord& record);

  /// Number of events dropped because of `events_max`.
  std::size_t dropped() const;
  /// The trace so far: `{"traceEvents": [...]}`, with times in microseconds since its construction.
  std::string json() const;
  /// Writes `json()` to \p path atomically. \throws Error if it cannot be written
  void write(const std::string& path) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_TRACE_HPP
