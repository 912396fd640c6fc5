// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/UnpackRanks.hpp>

#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>

namespace Kindred {

namespace {

/// An index: one result.
template <class ExecutionSpace>
struct UnpackKernel {
  Metric metric;
  const Rank* ranks;
  std::uint64_t kept;
  RankedOutput out;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    const std::uint64_t query = index / out.top;
    const std::uint64_t place = index % out.top;
    out.write(metric, query, place, place < kept ? ranks[query * kept + place] : rank_none);
  }
};

}  // namespace

template <class ExecutionSpace>
void unpack_ranks(const ExecutionSpace& exec_space, Metric metric,
                  const ArrayView<const Rank, ExecutionSpace>& ranks, std::uint64_t queries,
                  std::uint64_t kept, const RankedOutput& out) {
  const Impl::ArgumentCheck check("unpack_ranks");
  check.is_at_most("kept", kept, out.top);
  check.has("ranks", ranks, Impl::extent_of(queries, kept));
  Impl::check_output(check, out, queries);
  if (queries == 0 || out.top == 0) return;
  Launch::for_each_index(exec_space, "Kindred::Vector::unpack_ranks::unpack", queries * out.top,
                         UnpackKernel<ExecutionSpace>{metric, ranks.data(), kept, out});
}

KINDRED_INSTANTIATE_FOR_SPACES(unpack_ranks);

}  // namespace Kindred
