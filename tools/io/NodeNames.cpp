// SPDX-License-Identifier: Apache-2.0
#include "io/NodeNames.hpp"

#include "io/AppendJson.hpp"
#include "program/ParseNumber.hpp"

#include <fmt/format.h>

namespace Kindred::Tools {

NodeNames NodeNames::numbers(std::uint64_t count, std::function<bool(std::uint32_t)> has_node) {
  NodeNames names;
  names.m_has_node = std::move(has_node);
  names.m_numbered = true;
  names.m_count = count;
  return names;
}

std::optional<std::uint32_t> NodeNames::find(std::string_view name) const {
  if (m_numbered) {
    const auto number = parse_count(name);
    if (!number || *number < 1 || *number > m_count || name.front() == '0') return {};
    const auto node = static_cast<std::uint32_t>(*number - 1);
    if (m_has_node && !m_has_node(node)) return {};
    return node;
  }
  if (m_find) return m_find(name);
  const Symbol node = m_names.find(name);
  if (node == unknown_symbol) return {};
  return node;
}

std::string NodeNames::text(std::uint32_t node) const {
  if (m_numbered) return fmt::format("{}", std::uint64_t{node} + 1);
  return std::string(m_text ? m_text(node) : m_names.text(node));
}

void NodeNames::append(std::string& out, std::uint32_t node) const { append_json(out, text(node)); }

}  // namespace Kindred::Tools
