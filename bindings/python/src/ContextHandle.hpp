// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_CONTEXT_HANDLE_HPP
#define KINDRED_PYTHON_CONTEXT_HANDLE_HPP

#include "Context.hpp"
#include "Engines.hpp"

#include <memory>
#include <utility>

namespace Kindred::Python::Contexts {

/// What `_kindred.Context` holds. Engines keep the context alive, too.
struct Shared {
  SharedContext context;
};
using Handle = EngineHandle<Shared>;

inline Handle handle_of(SharedContext context) {
  return {"context", std::shared_ptr<Shared>(new Shared{std::move(context)}, UnlockedDelete())};
}

}  // namespace Kindred::Python::Contexts

#endif  // KINDRED_PYTHON_CONTEXT_HANDLE_HPP
