// SPDX-License-Identifier: Apache-2.0
#include "problems/KatoWorkloads.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace Kindred::Perf {

namespace {

/// The random numbers of one pattern.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t pattern) : m_seed(random_word(seed, pattern)) {}
  double unit() { return static_cast<double>(random_word(m_seed, m_next++) >> 11U) * 0x1p-53; }
  /// A uniform number in [least, most].
  std::size_t between(std::size_t least, std::size_t most) {
    return least + static_cast<std::size_t>(unit() * static_cast<double>(most - least + 1));
  }

 private:
  std::uint64_t m_seed;
  std::uint64_t m_next = 0;
};

class Symbols {
 public:
  explicit Symbols(const KatoGenerator& generator) : m_vocabulary(generator.vocabulary) {
    if (!generator.zipf) return;
    double total = 0;
    for (std::uint32_t s = 0; s < m_vocabulary; ++s)
      m_sums.push_back(total += std::pow(s + 1.0, -0.8));
  }
  Symbol draw(Stream& stream) const {
    if (m_sums.empty()) return static_cast<Symbol>(stream.between(0, m_vocabulary - 1));
    const double at = stream.unit() * m_sums.back();
    return static_cast<Symbol>(std::upper_bound(m_sums.begin(), m_sums.end(), at) - m_sums.begin());
  }
  /// \p count distinct symbols, sorted.
  std::vector<Symbol> event(Stream& stream, std::size_t count) const {
    std::vector<Symbol> out;
    while (out.size() < count) {
      const Symbol symbol = draw(stream);
      const auto at = std::lower_bound(out.begin(), out.end(), symbol);
      if (at == out.end() || *at != symbol) out.insert(at, symbol);
    }
    return out;
  }

 private:
  std::uint32_t m_vocabulary;
  std::vector<double> m_sums;
};

std::vector<std::vector<Symbol>> events(const KatoGenerator& generator, const Symbols& symbols,
                                        Stream& stream) {
  std::vector<std::vector<Symbol>> out(
      stream.between(generator.events_least, generator.events_most));
  for (auto& event : out)
    event = symbols.event(stream, stream.between(generator.symbols_least, generator.symbols_most));
  return out;
}

}  // namespace

const std::array<KatoGenerator, 3>& kato_generators() {
  static const std::array<KatoGenerator, 3> generators{
      KatoGenerator{"baseline", 150, 100, false, 2, 5, 5, 20},
      KatoGenerator{"data", 200, 150, true, 2, 5, 3, 15},
      KatoGenerator{"gpu", 200, 150, true, 2, 5, 3, 10},
  };
  return generators;
}

SymbolRows kato_patterns(const KatoGenerator& generator, std::size_t count, std::uint64_t seed) {
  const Symbols symbols(generator);
  SymbolRows out;
  out.offsets.push_back(0);
  for (std::size_t pattern = 0; pattern < count; ++pattern) {
    Stream stream(seed, pattern);
    for (const auto& event : events(generator, symbols, stream))
      out.values.insert(out.values.end(), event.begin(), event.end());
    out.offsets.push_back(out.values.size());
  }
  out.length = out.values.size() / std::max<std::size_t>(count, 1);
  return out;
}

Ragged<Symbol> kato_query(const KatoGenerator& generator, std::uint64_t seed) {
  const Symbols symbols(generator);
  Stream stream(seed, ~std::uint64_t{0});
  Ragged<Symbol> out;
  if (!generator.zipf) {
    const KatoGenerator strings{"", generator.strings, generator.strings, false, 1, 1, 10, 10};
    out.push_row(Symbols(strings).event(stream, 10));
    return out;
  }
  Stream source(seed, 0);
  const auto pattern = events(generator, symbols, source);
  const std::size_t prefix = stream.between(1, pattern.size());
  for (std::size_t e = 0; e < prefix; ++e) {
    const double kept = 0.3 + 0.4 * stream.unit();
    for (const Symbol symbol : pattern[e]) {
      if (stream.unit() < kept) out.values.push_back(symbol);
    }
  }
  for (std::size_t noise = stream.between(0, 3); noise > 0; --noise)
    out.values.push_back(symbols.draw(stream));
  if (out.values.empty()) out.values.push_back(pattern[0][0]);
  out.close_row();
  return out;
}

}  // namespace Kindred::Perf
