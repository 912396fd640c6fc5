// SPDX-License-Identifier: Apache-2.0
#include "RandomIndexing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace Kindred::Tools {
namespace {

constexpr std::size_t nonzeros = 8;  // of a word's initial vector

struct Entry {
  std::uint32_t position = 0;
  float sign = 1;
};

std::uint64_t hash(std::string_view text) {  // FNV-1a
  std::uint64_t value = 14695981039346656037ULL;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return value;
}

/// The \p counter-th number of the stream \p seed (SplitMix64's finaliser).
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed + (counter + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

std::array<Entry, nonzeros> own_vector(std::string_view word, std::size_t dimension) {
  std::array<Entry, nonzeros> entries;
  const std::uint64_t seed = hash(word);
  for (std::size_t i = 0; i < nonzeros; ++i) {
    const std::uint64_t bits = random_bits(seed, i);
    entries[i] = {static_cast<std::uint32_t>(bits % dimension), (bits >> 63U) != 0 ? 1.0F : -1.0F};
  }
  return entries;
}

/// log₂, linear between powers of two, so that the bits do not depend on a library's logarithm.
double log2_by_parts(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return (exponent - 1) + (2 * mantissa - 1);
}

template <class T>
void scale_to_one(T* values, std::size_t count) {
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) squares += double{values[i]} * double{values[i]};
  if (squares == 0) return;
  const double norm = std::sqrt(squares);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(values[i] / norm);
}

std::vector<double> rarities(RaggedSpan<Symbol> texts, std::size_t words) {
  std::vector<std::uint32_t> texts_with(words, 0);
  std::vector<std::uint64_t> last(words, ~std::uint64_t{0});
  for (std::size_t text = 0; text < texts.rows(); ++text) {
    for (const Symbol word : texts[text]) {
      if (last[word] == text) continue;
      last[word] = text;
      ++texts_with[word];
    }
  }
  std::vector<double> rarity(words, 0);
  for (std::size_t word = 0; word < words; ++word) {
    if (texts_with[word] == 0) continue;
    rarity[word] = log2_by_parts(static_cast<double>(texts.rows()) / texts_with[word]);
  }
  return rarity;
}

}  // namespace

RandomIndexing::RandomIndexing(RaggedSpan<Symbol> texts, const Vocabulary& words,
                               std::size_t dimension)
    : m_dimension(dimension),
      m_rarity(rarities(texts, words.size())),
      m_contexts(words.size() * dimension, 0.0F) {
  std::vector<std::array<Entry, nonzeros>> own(words.size());
  for (std::size_t word = 0; word < words.size(); ++word)
    own[word] = own_vector(words.text(static_cast<Symbol>(word)), dimension);

  std::vector<double> sum(dimension);
  for (std::size_t text = 0; text < texts.rows(); ++text) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (const Symbol word : texts[text]) {
      for (const Entry& entry : own[word]) sum[entry.position] += m_rarity[word] * entry.sign;
    }
    scale_to_one(sum.data(), dimension);
    for (const Symbol word : texts[text]) {
      float* context = m_contexts.data() + std::size_t{word} * dimension;
      for (std::size_t i = 0; i < dimension; ++i) context[i] += static_cast<float>(sum[i]);
    }
  }
  for (std::size_t word = 0; word < words.size(); ++word)
    scale_to_one(m_contexts.data() + word * dimension, dimension);
}

void RandomIndexing::embed(std::span<const Symbol> text, std::vector<double>& sum,
                           float* out) const {
  std::fill(sum.begin(), sum.end(), 0.0);
  for (const Symbol word : text) {
    if (word >= m_rarity.size()) continue;
    const float* context = m_contexts.data() + std::size_t{word} * m_dimension;
    const double weight = m_rarity[word];
    for (std::size_t i = 0; i < m_dimension; ++i) sum[i] += weight * double{context[i]};
  }
  for (std::size_t i = 0; i < m_dimension; ++i) out[i] = static_cast<float>(sum[i]);
}

std::vector<float> RandomIndexing::embed(RaggedSpan<Symbol> texts) const {
  std::vector<float> rows(texts.rows() * m_dimension);
  std::vector<double> sum(m_dimension);
  for (std::size_t text = 0; text < texts.rows(); ++text)
    embed(texts[text], sum, rows.data() + text * m_dimension);
  return rows;
}

std::vector<float> RandomIndexing::embed(std::span<const Symbol> text) const {
  std::vector<float> row(m_dimension);
  std::vector<double> sum(m_dimension);
  embed(text, sum, row.data());
  return row;
}

}  // namespace Kindred::Tools
