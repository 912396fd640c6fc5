// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_CONTEXT_HPP
#define KINDRED_PYTHON_CONTEXT_HPP

#include <kindred/backends/Context.hpp>

#include <nanobind/nanobind.h>

#include "Calls.hpp"

#include <memory>
#include <vector>

namespace Kindred::Python {

using SharedContext = std::shared_ptr<Context>;

/// Every context of the module, with the functions of Python that it calls.
struct CallingContext : Context {
  CallingContext(ContextOptions options, std::vector<Callback::SharedTarget> called)
      : Context(std::move(options)), targets(std::move(called)) {}
  std::vector<Callback::SharedTarget> targets;
};
/// The owners of the functions that \p context calls. The GIL must be held.
Kept callbacks_of(const Context& context);

namespace Contexts {

/// The options of a context, and the functions of Python that it calls.
class ContextOptions : public Kindred::ContextOptions {
 public:
  /// \param function called with the name of a level and a message; None: none
  void set_log(nanobind::handle function);
  /// \param function called with a dictionary; None: none
  void set_on_dispatch(nanobind::handle function);
  /// A context. May be called once.
  SharedContext made();

 private:
  Callback::SharedTarget called(nanobind::handle function);

  std::vector<Callback::SharedTarget> m_targets;
  Kept m_kept;  ///< their owners
};

}  // namespace Contexts

/// \brief The context of the argument `context`: the default one, made by its first use, for None.
/// \throws InvalidType
SharedContext context_of(nanobind::handle given);
/// \throws OutOfMemory for results of which the free memory of the host has no space, which the
/// system would only notice when they are written
void check_free_memory(const Context& context, double bytes);

/// Keeps the record of the last call of this thread, for `last_record`.
void keep_record(const DispatchRecord& record);

void register_context(Module& module);
void register_default_context(Module& module);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_CONTEXT_HPP
