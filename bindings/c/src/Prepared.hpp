// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_PREPARED_HPP
#define KINDRED_C_PREPARED_HPP

#include "Arguments.hpp"
#include "Handle.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace Kindred::C {

/// A prepared call of any engine.
class Prepared {
 public:
  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  virtual ~Prepared() = default;
  virtual void run() = 0;
  virtual void wait() = 0;
};
KINDRED_C_HANDLE(prepared, Prepared);

/// \tparam Call a prepared call of C++
template <class Call>
class PreparedCall final : public Prepared {
 public:
  PreparedCall(SharedContext context, Call call)
      : m_context(std::move(context)), m_call(std::move(call)) {}
  /// The memory of a call that still runs is not freed.
  ~PreparedCall() override {
    try {
      m_call.wait();
    } catch (...) {
      return;  // the device is lost
    }
  }
  void run() override { m_call.run(); }
  void wait() override { m_call.wait(); }

 private:
  SharedContext m_context;
  Call m_call;
};

template <class Call>
kindred_prepared* make_prepared(const SharedContext& context, Call call) {
  return make_handle<kindred_prepared>(
      std::make_unique<PreparedCall<Call>>(context, std::move(call)));
}

/// \brief Where the tensors of a call lie: all in host memory, or all on the device of a context.
/// A tensor without elements lies nowhere.
class TensorMemory {
 public:
  explicit TensorMemory(const Context& context) : m_context(context) {}

  /// \throws InvalidArgument if the tensors before it lie elsewhere; SpaceUnavailable for a device
  /// that the context does not use
  void add(const ConstArray& array, const std::string& name);
  bool on_device() const noexcept { return m_on_device.value_or(false); }
  /// \throws InvalidArgument for a stream of tensors in host memory
  void check_stream(const std::optional<Stream>& stream) const;
  /// \brief The space of a call that uses the tensors in place: the requested one, or the device,
  /// or the host with all threads. \throws InvalidArgument if it does not reach the tensors
  Space space(const std::optional<Space>& requested) const;

 private:
  const Context& m_context;
  std::optional<bool> m_on_device;
  std::string m_first;
};

/// The space of rows that are given later: the requested one, or the host with all threads.
Space host_space(const Context& context, const std::optional<Space>& requested);

}  // namespace Kindred::C

#endif  // KINDRED_C_PREPARED_HPP
