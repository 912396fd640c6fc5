// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_STATE_ARRAYS_HPP
#define KINDRED_MATCHER_SEED_STATE_ARRAYS_HPP

#include "StateFields.hpp"

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/seed/SeedStateView.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// \brief The state of seeds in the memory of an execution space: on the host the arrays of the
/// layer themselves, on a device a copy of them.
template <class ExecutionSpace>
class StateArrays {
 public:
  /// \throws OutOfMemory
  void bind(MemoryResource& memory, const SeedState& state) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      std::size_t bytes = 0;
      for_each_array(state, [&](const char*, const auto& array) { bytes += padded_bytes(array); });
      m_bytes = Buffer<std::byte, memory_space>(memory, "Kindred::SeedLayer::state", bytes);
    }
  }
  /// Copies the whole state to a device. Does not fence.
  void start_upload(const ExecutionSpace& exec_space, SeedState& state) const {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      SeedStateView<ExecutionSpace> own = view(state);
      for_each_array(state, own, [&](const char*, const auto& array, auto& field) {
        using T = typename std::decay_t<decltype(field)>::value_type;
        Impl::start_upload(exec_space, field, reinterpret_cast<const T*>(array.data()),
                           array.size());
      });
    }
  }
  SeedStateView<ExecutionSpace> view(SeedState& state) const {
    SeedStateView<ExecutionSpace> out;
    std::size_t at = 0;
    for_each_array(state, out, [&](const char*, auto& array, auto& field) {
      using View = std::decay_t<decltype(field)>;
      using T = typename View::value_type;
      static_assert(sizeof(T) == sizeof(array[0]));
      if constexpr (Arch::is_device<ExecutionSpace>) {
        field = View(reinterpret_cast<T*>(m_bytes.data() + at), array.size());
        at += padded_bytes(array);
      } else {
        field = View(reinterpret_cast<T*>(array.data()), array.size());
      }
    });
    return out;
  }

 private:
  using memory_space = typename ExecutionSpace::memory_space;
  template <class Array>
  static std::size_t padded_bytes(const Array& array) {
    return (array.size() * sizeof(array[0]) + 63) / 64 * 64;
  }

  Buffer<std::byte, memory_space> m_bytes;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_STATE_ARRAYS_HPP
