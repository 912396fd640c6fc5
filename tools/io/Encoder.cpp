// SPDX-License-Identifier: Apache-2.0
#include "io/Encoder.hpp"

#include "io/Utf8.hpp"

#include <algorithm>

namespace Kindred::Tools {

void Encoder::append_point(char32_t point, Learning learning, std::vector<Symbol>& out) {
  if (point >= m_points.size()) {
    if (learning == Learning::off) {
      out.push_back(unknown_symbol);
      return;
    }
    m_points.resize(std::max<std::size_t>(point + 1, 2 * m_points.size()), unknown_symbol);
  }
  Symbol& symbol = m_points[point];
  if (symbol == unknown_symbol && learning == Learning::on) symbol = m_point_count++;
  out.push_back(symbol);
}

void Encoder::append(std::string_view text, std::size_t position, Learning learning,
                     std::vector<Symbol>& out) {
  if (m_level == Level::token) {
    out.push_back(token(text, learning));
    return;
  }
  if (position > 0) append_point(U' ', learning, out);
  m_decoded.clear();
  decode_utf8(text, m_decoded);
  for (const char32_t point : m_decoded) append_point(point, learning, out);
}

}  // namespace Kindred::Tools
