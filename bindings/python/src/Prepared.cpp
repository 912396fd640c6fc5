// SPDX-License-Identifier: Apache-2.0
#include "Prepared.hpp"

#include "Errors.hpp"

namespace nb = nanobind;

namespace Kindred::Python {

nb::object ArrayCall::made(DataType type, std::span<const std::int64_t> shape) const {
  if (!m_first->on_device()) {
    if (type == DataType::bfloat16)
      refuse(std::string(m_first->name()) + " is " + m_first->text() +
             ", and NumPy has no bfloat16: give out");
    auto bytes = static_cast<double>(size_of(type));
    for (const std::int64_t extent : shape) bytes *= static_cast<double>(extent);
    check_free_memory(m_context, bytes);
  }
  return empty_array(m_like, *m_first, type, shape);
}

Array ArrayCall::workspace(std::size_t bytes) {
  if (bytes == 0) return {};
  try {
    m_workspace = workspace_array(m_like, *m_first, bytes, m_order);
  } catch (const InvalidArgument&) {
    return {};
  }
  return m_outputs.emplace(m_workspace, "workspace", &m_order).array();
}

}  // namespace Kindred::Python
