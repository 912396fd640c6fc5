// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_TOP_KOF_HPP
#define KINDRED_CORE_SELECT_IMPL_TOP_KOF_HPP

#include <kindred/core/arch/Special.hpp>
#include <kindred/core/select/impl/BlockTopK.hpp>
#include <kindred/core/select/special/BufferTopK.hpp>

#include <type_traits>

namespace Kindred::Impl {

/// Calls \p function with the type of the algorithm that is used, as a `std::type_identity`.
template <class ExecutionSpace, class Key, class Function>
auto with_top_k(const Function& function) {
  return Special::choose<Special::Form::buffer_top_k, ExecutionSpace>([&](auto is_special) {
    return function(
        std::type_identity<std::conditional_t<decltype(is_special)::value, BufferTopK<Key>,
                                              BlockTopK<ExecutionSpace, Key>>>());
  });
}

/// Keys of workspace that `top_k_of` needs for \p shape.
template <class ExecutionSpace, class Key, class Source>
std::size_t top_k_of_workspace(const TopKShape& shape) {
  if (shape.rows == 0 || shape.k == 0) return 0;
  return with_top_k<ExecutionSpace, Key>([&]<class Algorithm>(std::type_identity<Algorithm>) {
    return Algorithm::template workspace<Source>(shape);
  });
}

/// `top_k` of a source of keys, \see TopKRows.
template <class ExecutionSpace, class Key, class Source>
void top_k_of(const ExecutionSpace& exec_space, const Source& source, const TopKShape& shape,
              Key* out, Key* workspace) {
  if (shape.rows == 0 || shape.k == 0) return;
  with_top_k<ExecutionSpace, Key>([&]<class Algorithm>(std::type_identity<Algorithm>) {
    Algorithm::run(exec_space, source, shape, out, workspace);
  });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_TOP_KOF_HPP
