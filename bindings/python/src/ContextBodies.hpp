// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_CONTEXT_BODIES_HPP
#define KINDRED_PYTHON_CONTEXT_BODIES_HPP

#include <kindred/backends/ContextJson.hpp>
#include <kindred/matcher/Calibration.hpp>

// What is special of Context.
namespace Kindred::Python::Contexts {

namespace {

Handle create(nb::handle threads, nb::handle device, nb::handle space, nb::handle load_profile,
              nb::handle budget_fraction, nb::handle host_budget, nb::handle device_budget,
              nb::handle profile, nb::handle log, nb::handle on_dispatch) {
  GivenContextOptions given(threads, device, space, load_profile, budget_fraction, host_budget,
                            device_budget, profile, log, on_dispatch);
  return handle_of(given.options.made());
}

std::string describe(const Handle& self) {
  const std::shared_ptr<Shared> shared = self.open();
  return unlocked([&] { return to_json(*shared->context, engine_operations()); });
}

}  // namespace

}  // namespace Kindred::Python::Contexts

#endif  // KINDRED_PYTHON_CONTEXT_BODIES_HPP
