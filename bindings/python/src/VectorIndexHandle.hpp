// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_VECTOR_INDEX_HANDLE_HPP
#define KINDRED_PYTHON_VECTOR_INDEX_HANDLE_HPP

#include <kindred/matcher/VectorIndex.hpp>

#include "Context.hpp"
#include "Engines.hpp"

namespace Kindred::Python::Vectors {

/// An index with the context that it needs.
struct Shared {
  SharedContext context;
  VectorIndex index;
};
using Handle = EngineHandle<Shared>;

}  // namespace Kindred::Python::Vectors

#endif  // KINDRED_PYTHON_VECTOR_INDEX_HANDLE_HPP
