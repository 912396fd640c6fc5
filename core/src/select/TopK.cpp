// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/select/impl/TopKOf.hpp>

namespace Kindred {

namespace {

/// Keys are counted in 32 bits.
constexpr std::uint64_t top_k_longest_max = 0xFFFFFFFFU;

template <class Keys>
void check_output(const Impl::ArgumentCheck& check, const TopKShape& shape, const Keys& out,
                  const Keys& workspace, std::size_t workspace_size) {
  check.is_at_most("shape.longest", shape.longest, top_k_longest_max);
  check.is_at_most("shape.k", shape.k, top_k_longest_max);
  check.has("out", out, Impl::extent_of(shape.rows, shape.k));
  check.has("workspace", workspace, workspace_size);
}

/// Merges the lists of a row, one key per index.
template <class Key>
struct MergeLists {
  const Key* a;
  const Key* b;
  std::uint64_t k;
  Key* out;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    const std::uint64_t place = index % k;
    const std::uint64_t begin = index - place;
    out[index] = Impl::merged_key(a + begin, k, b + begin, k, place);
  }
};

}  // namespace

template <class ExecutionSpace, class Key>
std::size_t top_k_workspace(const TopKShape& shape) {
  return Impl::top_k_of_workspace<ExecutionSpace, Key, Impl::TopKRows<Key>>(shape);
}

template <class ExecutionSpace, class Key>
void top_k(const ExecutionSpace& exec_space, const ArrayView<const Key, ExecutionSpace>& keys,
           const TopKShape& shape, const ArrayView<Key, ExecutionSpace>& out,
           const ArrayView<Key, ExecutionSpace>& workspace) {
  const Impl::ArgumentCheck check("top_k");
  check_output(check, shape, out, workspace, top_k_workspace<ExecutionSpace, Key>(shape));
  check.has("keys", keys, Impl::extent_of(shape.rows, shape.longest));
  Impl::top_k_of(exec_space, Impl::TopKRows<Key>{keys.data(), nullptr, shape.longest}, shape,
                 out.data(), workspace.data());
}

template <class ExecutionSpace, class Key>
void top_k(const ExecutionSpace& exec_space, const ArrayView<const Key, ExecutionSpace>& keys,
           const ArrayView<const std::uint64_t, ExecutionSpace>& offsets, const TopKShape& shape,
           const ArrayView<Key, ExecutionSpace>& out,
           const ArrayView<Key, ExecutionSpace>& workspace) {
  const Impl::ArgumentCheck check("top_k");
  check_output(check, shape, out, workspace, top_k_workspace<ExecutionSpace, Key>(shape));
  check.has("offsets", offsets, Impl::extent_sum(shape.rows, 1));
  check.is_aligned("keys", keys);
  Impl::top_k_of(exec_space, Impl::TopKRows<Key>{keys.data(), offsets.data(), shape.longest}, shape,
                 out.data(), workspace.data());
}

template <class ExecutionSpace, class Key>
void merge_top_k(const ExecutionSpace& exec_space, const ArrayView<const Key, ExecutionSpace>& a,
                 const ArrayView<const Key, ExecutionSpace>& b, std::size_t k,
                 const ArrayView<Key, ExecutionSpace>& out) {
  const Impl::ArgumentCheck check("merge_top_k");
  if (out.size() != 0) check.is_at_least("k", k, 1);
  check.is_aligned("out", out);
  check.has("a", a, out.size());
  check.has("b", b, out.size());
  Launch::for_each_index(exec_space, "Kindred::TopK::merge::lists", out.size(),
                         MergeLists<Key>{a.data(), b.data(), k, out.data()});
}

#define KINDRED_INSTANTIATE_TOP_K(SPACE, KEY)                                                     \
  template decltype(top_k_workspace<SPACE, KEY>) top_k_workspace<SPACE, KEY>;                     \
  template void top_k<SPACE, KEY>(const SPACE&, const ArrayView<const KEY, SPACE>&,               \
                                  const TopKShape&, const ArrayView<KEY, SPACE>&,                 \
                                  const ArrayView<KEY, SPACE>&);                                  \
  template void top_k<SPACE, KEY>(const SPACE&, const ArrayView<const KEY, SPACE>&,               \
                                  const ArrayView<const std::uint64_t, SPACE>&, const TopKShape&, \
                                  const ArrayView<KEY, SPACE>&, const ArrayView<KEY, SPACE>&);    \
  template decltype(merge_top_k<SPACE, KEY>) merge_top_k<SPACE, KEY>;
#define KINDRED_INSTANTIATE(SPACE)       \
  KINDRED_INSTANTIATE_TOP_K(SPACE, Rank) \
  KINDRED_INSTANTIATE_TOP_K(SPACE, WideRank)
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE
#undef KINDRED_INSTANTIATE_TOP_K

}  // namespace Kindred
