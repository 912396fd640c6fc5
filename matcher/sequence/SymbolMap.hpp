// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_SYMBOL_MAP_HPP
#define KINDRED_MATCHER_SEQUENCE_SYMBOL_MAP_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief Maps symbols to dense numbers in order of decreasing frequency, so that tables indexed by
/// symbol are as small as the patterns allow and their frequently used part stays in the fastest
/// cache.
class SymbolMap {
 public:
  SymbolMap() = default;
  /// \param symbols below `unknown_symbol` \param largest the largest of them
  SymbolMap(const Context& context, std::span<const Symbol> symbols, Symbol largest);
  /// \param by_dense dense number → symbol; distinct, below `unknown_symbol`
  explicit SymbolMap(std::span<const Symbol> by_dense);

  /// Number of distinct symbols; dense numbers are below it.
  std::uint32_t size() const noexcept { return m_size; }
  /// The dense number of \p symbol; `unknown_symbol` if no pattern contains it.
  Symbol operator[](Symbol symbol) const noexcept {
    return symbol < m_table.size() ? m_table[symbol] : find(symbol);
  }
  /// Dense number → symbol.
  std::vector<Symbol> by_dense() const;
  /// Translates every row to dense numbers.
  Ragged<Symbol> translate(RaggedSpan<Symbol> rows) const;

 private:
  Symbol find(Symbol symbol) const noexcept;
  void fill(std::span<const Symbol> by_dense, Symbol largest, bool by_table);

  std::uint32_t m_size = 0;
  std::vector<Symbol> m_table;                      ///< indexed by symbol, if symbols are small
  std::vector<std::pair<Symbol, Symbol>> m_sorted;  ///< symbol → dense number, otherwise
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_SYMBOL_MAP_HPP
