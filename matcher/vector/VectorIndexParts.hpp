// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_VECTOR_INDEX_PARTS_HPP
#define KINDRED_MATCHER_VECTOR_VECTOR_INDEX_PARTS_HPP

#include <kindred/matcher/VectorIndex.hpp>

#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/core/common/SharedMutex.hpp>

#include <mutex>
#include <shared_mutex>

#include "ArraySearch.hpp"
#include "VectorStore.hpp"

namespace Kindred {

/// The parts of an index that prepared objects use.
struct VectorIndex::Parts {
  Context& context;
  const Impl::VectorStore& store;
  Impl::SharedMutex& mutex;  ///< of the store
  Arch::PerSpace<Impl::ArraySearch>& array_searches;
  Impl::TimedMutex& array_search_mutex;  ///< of `array_searches`
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_VECTOR_INDEX_PARTS_HPP
