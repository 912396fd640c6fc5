// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_VECTOR_INDEX_PARTS_HPP
#define KINDRED_MATCHER_VECTOR_VECTOR_INDEX_PARTS_HPP

#include <kindred/matcher/VectorIndex.hpp>

#include <kindred/core/arch/PerSpace.hpp>

#include <mutex>
#include <shared_mutex>

#include "UnfencedCalls.hpp"
#include "VectorStore.hpp"

namespace Kindred {

/// The parts of an index that prepared objects use.
struct VectorIndex::Parts {
  Context& context;
  const Impl::VectorStore& store;
  std::shared_mutex& mutex;  ///< of the store
  Arch::PerSpace<Impl::UnfencedCalls>& unfenced;
  std::mutex& unfenced_mutex;  ///< of `unfenced`
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_VECTOR_INDEX_PARTS_HPP
