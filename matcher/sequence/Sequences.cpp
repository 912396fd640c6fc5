// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/Sequences.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "kit/CallerArrays.hpp"

#include <string>

namespace Kindred {

std::span<const Symbol> Sequence::symbols(const char* what, std::vector<Symbol>& points) const {
  if (!m_is_text) return m_symbols;
  try {
    points.clear();
    append_code_points(m_text, points);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string(what) + ": " + error.what());
  }
  return points;
}

Ragged<Symbol> Sequences::points_of(std::span<const std::string_view> texts) try {
  return code_points(texts);
} catch (...) {
  Impl::rethrow_translated("Kindred::Sequences");
}

Ragged<Symbol> Sequences::points_of(std::span<const std::string> texts) try {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return code_points(views);
} catch (...) {
  Impl::rethrow_translated("Kindred::Sequences");
}

Sequences::Sequences(const ConstArray& symbols, const ConstArray& offsets) try
    : m_given(Impl::host_rows<Symbol>({"symbols", symbols}, {"offsets", offsets})) {
} catch (...) {
  Impl::rethrow_translated("Kindred::Sequences");
}

}  // namespace Kindred
