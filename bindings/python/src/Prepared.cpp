// SPDX-License-Identifier: Apache-2.0
#include "Prepared.hpp"

#include "Errors.hpp"
#include "Texts.hpp"

#include <string>

namespace nb = nanobind;

namespace Kindred::Python {

Space space_of_arrays(const Context& context, const Borrowed& first,
                      const std::optional<Space>& requested, double elements) {
  if (first.on_device()) return Space::cuda;
  if (requested) {
    if (*requested == Space::cuda)
      refuse(std::string(first.name()) + " is " + first.text() +
             " and lies on the host, and space is 'cuda'; a prepared call uses its arrays where "
             "they lie");
    return *requested;
  }
  // To wake the other threads takes as long as this.
  constexpr double elements_of_one_thread = 1 << 15;
  return elements > elements_of_one_thread && context.is_usable(Space::openmp) ? Space::openmp
                                                                               : Space::serial;
}

void register_prepared(Module& module) {
  Class<PreparedHandle>(module, "Prepared")
      .def("close", &PreparedHandle::close)
      .def("is_closed", &PreparedHandle::is_closed)
      .def("space",
           [](const PreparedHandle& self) { return std::string(to_string(self.open()->space())); })
      .def("run",
           [](const PreparedHandle& self) {
             const std::shared_ptr<Prepared> shared = self.open();
             unlocked([&] { shared->run(); });
           })
      .def("wait", [](const PreparedHandle& self) {
        const std::shared_ptr<Prepared> shared = self.open();
        unlocked([&] { shared->wait(); });
      });
}

}  // namespace Kindred::Python
