// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_CALLBACK_ADAPTOR_HPP
#define KINDRED_MEMORY_CALLBACK_ADAPTOR_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/memory/MemoryResource.hpp>

#include <functional>
#include <string_view>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

/// \brief Called with the space, the bytes and the label of an allocation before it is made; may
/// throw to prevent it. Called from any thread.
using AllocationCallback =
    std::function<void(std::string_view space, std::size_t bytes, const std::string& label)>;

/// \brief Calls a function before every allocation of the upstream resource: to log, refuse, or in
/// a test fail it. Thread-safe if the callback is.
class CallbackAdaptor final : public MemoryResource {
 public:
  /// \param upstream must outlive this \param callback may be empty
  CallbackAdaptor(MemoryResource& upstream, AllocationCallback callback)
      : m_upstream(upstream), m_callback(std::move(callback)) {}

  void* allocate(std::size_t bytes, const std::string& label) override {
    if (m_callback && bytes > 0) m_callback(space(), bytes, label);
    return m_upstream.allocate(bytes, label);
  }
  void deallocate(void* data, std::size_t bytes) noexcept override {
    m_upstream.deallocate(data, bytes);
  }
  std::string_view space() const noexcept override { return m_upstream.space(); }

 private:
  MemoryResource& m_upstream;
  AllocationCallback m_callback;
};

}  // namespace Kindred

#endif  // KINDRED_MEMORY_CALLBACK_ADAPTOR_HPP
