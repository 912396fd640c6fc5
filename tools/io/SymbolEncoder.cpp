// SPDX-License-Identifier: Apache-2.0
#include "io/SymbolEncoder.hpp"

#include "program/Errors.hpp"

namespace Kindred::Tools {

void SymbolEncoder::append(std::string_view text, std::size_t position, Learning learning,
                           std::vector<Symbol>& out) {
  if (m_level == Level::token) {
    out.push_back(token(text, learning));
    return;
  }
  if (position > 0) out.push_back(U' ');
  with_errors_as<RecordError>({}, [&] { append_folded(text, m_folding, out); });
}

}  // namespace Kindred::Tools
