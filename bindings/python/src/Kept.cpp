// SPDX-License-Identifier: Apache-2.0
#include "Kept.hpp"

#include "Calls.hpp"

namespace nb = nanobind;

namespace Kindred::Python {

std::pair<nb::object, Callback::SharedTarget> Callback::made(nb::handle function) {
  auto target = std::make_shared<Target>();
  nb::object owner = nb::cast(Callback(function, target));
  *target = {owner.ptr(), function.ptr()};
  return {std::move(owner), std::move(target)};
}

void Callback::call(const Target& target, const std::function<nb::tuple()>& arguments) {
  const Locked locked;
  if (!locked || target.function == nullptr) return;
  const nb::object function = nb::borrow(target.function);
  try {
    function(*arguments());
  } catch (nb::python_error& error) {
    error.restore();
    PyErr_WriteUnraisable(function.ptr());
  }
}

void register_callback(Module& module) { Class<Callback>(module, "Callback"); }

}  // namespace Kindred::Python
