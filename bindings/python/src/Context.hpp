// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_CONTEXT_HPP
#define KINDRED_PYTHON_CONTEXT_HPP

#include <kindred/backends/Context.hpp>

#include <nanobind/nanobind.h>

#include "Calls.hpp"

#include <memory>

namespace Kindred::Python {

using SharedContext = std::shared_ptr<Context>;

/// What `_kindred.Context` holds; null once it was closed. Engines keep the context alive.
struct ContextHandle {
  SharedContext context;
  /// \throws Error if it is closed
  const SharedContext& open() const;
};

/// \brief The context of the argument `context`: the default one, made by its first use, for None.
/// \throws InvalidType
SharedContext context_of(nanobind::handle given);
/// \throws OutOfMemory for results of which the free memory of the host has no space, which the
/// system would only notice when they are written
void check_free_memory(const Context& context, double bytes);

/// Keeps the record of the last call of this thread, for `last_record`.
void keep_record(const DispatchRecord& record);

void register_context(Module& module);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_CONTEXT_HPP
