// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_EXAMPLES_DEMO_RANDOM_INDEXING_HPP
#define KINDRED_EXAMPLES_DEMO_RANDOM_INDEXING_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace Kindred::Tools {

/// \brief Computes a vector for a text from its words, such that words that occur in similar texts
/// have similar vectors.
///
/// Random indexing in two passes (Kanerva, Kristoferson, Holst 2000; "reflective": Cohen,
/// Schvaneveldt, Widdows 2010). Each word has a sparse vector of ±1 hashed from its letters; a text
/// is the sum of its words' vectors, weighted by rarity; the context of a word is the sum of the
/// texts it occurs in; the final vector of a text is the weighted sum of the contexts of its words.
/// Uses only integer hashing and correctly rounded operations in a fixed order, so the bits are the
/// same on every machine.
class RandomIndexing {
 public:
  /// \param texts symbols of \p words, all known
  /// \param words the vocabulary
  /// \param dimension length of the vectors
  ///
  /// Complexity O(symbols · dimension).
  RandomIndexing(RaggedSpan<Symbol> texts, const Vocabulary& words, std::size_t dimension = 256);

  std::size_t dimension() const noexcept { return m_dimension; }
  /// Rarity of \p word: log₂(texts / texts with it), piecewise linear between powers of two.
  double rarity(Symbol word) const { return m_rarity[word]; }
  /// The vectors of the texts, row-major.
  std::vector<float> embed(RaggedSpan<Symbol> texts) const;
  /// The vector of one text; unknown words are ignored.
  std::vector<float> embed(std::span<const Symbol> text) const;

 private:
  void embed(std::span<const Symbol> text, std::vector<double>& sum, float* out) const;

  std::size_t m_dimension;
  std::vector<double> m_rarity;
  std::vector<float> m_contexts;  // words × dimension, normalised to length 1
};

}  // namespace Kindred::Tools

#endif  // KINDRED_EXAMPLES_DEMO_RANDOM_INDEXING_HPP
