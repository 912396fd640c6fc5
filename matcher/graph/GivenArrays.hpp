// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_GIVEN_ARRAYS_HPP
#define KINDRED_MATCHER_GRAPH_GIVEN_ARRAYS_HPP

#include "kit/CallerArrays.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace Kindred::Impl {

/// \brief Requires an aligned array without gaps.
/// \param types those that are allowed \param shape see `require_array`
/// \throws InvalidArgument with the name, what the array is and what is required
void require_given(const NamedArray& given, std::initializer_list<DataType> types,
                   std::initializer_list<std::int64_t> shape);

/// \brief The elements of \p array, which has no gaps, on the host: borrowed, or copied from the
/// device with the instance of \p context, which is fenced. \throws OutOfMemory, DeviceLost
template <class T>
Buffer<T, Kokkos::HostSpace> on_host(Context& context, const ConstArray& array, const char* label) {
  const auto count = static_cast<std::size_t>(array.size());
  const auto* const data = static_cast<const T*>(array.data());
  if (!array.on_device())
    return {const_cast<T*>(data), count};  // NOLINT(*-const-cast): the elements are never written
  Buffer<T, Kokkos::HostSpace> copy(context.memory(Space::serial), label, count);
  with_instance(context, Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    download(exec_space, copy.data(), ArrayView<const T, ExecutionSpace>(data, count), count);
  });
  return copy;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_GIVEN_ARRAYS_HPP
