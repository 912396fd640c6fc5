// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_DEMO_RANDOM_INDEXING_HPP
#define KINDRED_TOOLS_DEMO_RANDOM_INDEXING_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace Kindred::Tools {

/// \brief A vector per text from the words it has, in which words that keep the same company are
/// alike.
///
/// Random indexing in two passes (Kanerva, Kristoferson, Holst 2000; "reflective": Cohen,
/// Schvaneveldt, Widdows 2010): a word has a sparse vector of ±1 hashed from its letters; a text is
/// the sum of those of its words, weighted by rarity; a word's context is the sum of the texts it
/// stands in; the text's vector is the weighted sum of the contexts of its words. Only integer
/// hashing and correctly rounded operations in a fixed order: the same bits on every machine.
class RandomIndexing {
 public:
  /// \param texts symbols of \p words, all known. Complexity O(symbols · dimension)
  RandomIndexing(RaggedSpan<Symbol> texts, const Vocabulary& words, std::size_t dimension = 256);

  std::size_t dimension() const noexcept { return m_dimension; }
  /// How rare \p word is: log₂(texts / texts with it), piecewise linear between powers of two.
  double rarity(Symbol word) const { return m_rarity[word]; }
  /// The vectors of the texts, row-major.
  std::vector<float> embed(RaggedSpan<Symbol> texts) const;
  /// The vector of one text; unknown words add nothing.
  std::vector<float> embed(std::span<const Symbol> text) const;

 private:
  void embed(std::span<const Symbol> text, std::vector<double>& sum, float* out) const;

  std::size_t m_dimension;
  std::vector<double> m_rarity;
  std::vector<float> m_contexts;  // words × dimension, of length 1
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_DEMO_RANDOM_INDEXING_HPP
