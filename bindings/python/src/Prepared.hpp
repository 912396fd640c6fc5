// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_PREPARED_HPP
#define KINDRED_PYTHON_PREPARED_HPP

#include <kindred/backends/Space.hpp>
#include <kindred/core/common/Error.hpp>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "DeviceArguments.hpp"
#include "Engines.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

// Calls of any engine that are checked and partitioned once.
namespace Kindred::Python {

/// \brief A prepared call with everything that it uses: its context, and arrays of the caller.
/// Calls of several threads run one after the other. Made and destroyed with the GIL held.
class Prepared {
 public:
  explicit Prepared(Space space) : m_space(space) {}
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  virtual ~Prepared() = default;

  Space space() const noexcept { return m_space; }
  /// Visits the arrays of the caller.
  virtual int traverse(visitproc visit, void* arg) const = 0;
  /// \throws SpaceUnavailable in a child process that was forked from the one that made it
  void run() {
    require_same_process();
    const std::lock_guard lock(m_mutex);
    launch();
  }
  /// \throws as `run`
  void wait() {
    require_same_process();
    const std::lock_guard lock(m_mutex);
    fence();
  }

 protected:
  bool is_same_process() const noexcept { return m_process == process_number(); }

 private:
  virtual void launch() = 0;
  virtual void fence() = 0;
  void require_same_process() const {
    if (!is_same_process())
      throw SpaceUnavailable(
          "the call was prepared before this process was forked; prepare it in this process, which "
          "must be forked before the first context is made");
  }

  Space m_space;
  unsigned m_process = process_number();
  std::mutex m_mutex;
};
using PreparedHandle = EngineHandle<Prepared>;

/// \tparam Call a prepared call of C++ \tparam Arrays what holds the arrays of the caller, and
/// lists them as `borrowed`
template <class Call, class Arrays>
class PreparedCall final : public Prepared {
 public:
  PreparedCall(Space space, SharedContext context, std::unique_ptr<Arrays> arrays, Call call)
      : Prepared(space),
        m_context(std::move(context)),
        m_arrays(std::move(arrays)),
        m_call(std::move(call)) {}
  /// The arrays of a call that still runs are not released. In a forked process, where the threads
  /// and devices of the call do not exist, nothing is.
  ~PreparedCall() override {
    if (!is_same_process()) {
      [[maybe_unused]] const auto* const kept = new Call(std::move(*m_call));
      return;
    }
    const Unlocked guard(false);
    try {
      m_call->wait();
    } catch (const Error&) {  // the device is lost
    }
    m_call.reset();
  }

  int traverse(visitproc visit, void* arg) const override {
    return m_arrays->borrowed.traverse(visit, arg);
  }

 private:
  void launch() override { m_call->run(); }
  void fence() override { m_call->wait(); }

  SharedContext m_context;
  std::unique_ptr<Arrays> m_arrays;
  std::optional<Call> m_call;
};

/// \brief A prepared call that uses \p arrays. \param make makes the call of C++, without the GIL
template <class Arrays, class Make>
PreparedHandle prepared_call(const char* name, Space space, const SharedContext& context,
                             std::unique_ptr<Arrays> arrays, const Make& make) {
  auto call = unlocked(make);
  PreparedHandle handle(name, std::make_shared<PreparedCall<decltype(call), Arrays>>(
                                  space, context, std::move(arrays), std::move(call)));
  handle.keep(callbacks_of(*context));
  return handle;
}

/// \brief The space of a prepared call, which uses its arrays where they lie: the requested one, or
/// that of \p first; on the host one thread for few elements, otherwise all.
/// \throws InvalidArgument for the space cuda and arrays on the host
Space space_of_arrays(const Context& context, const Borrowed& first,
                      const std::optional<Space>& requested, double elements);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_PREPARED_HPP
