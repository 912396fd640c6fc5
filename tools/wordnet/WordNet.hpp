// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_WORDNET_WORDNET_HPP
#define KINDRED_TOOLS_WORDNET_WORDNET_HPP

#include <kindred/core/graph/Spreading.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

/// \brief A kind of pointer between synsets, as listed in wninput(5), and the share of an
/// activation that the demo passes along it.
struct PointerKind {
  std::string_view symbol;
  std::string_view name;
  float weight;  ///< in [0, 1]
};

/// All kinds, indexed by `Pointer::kind`.
std::span<const PointerKind> pointer_kinds() noexcept;

/// \brief A set of words with the same meaning, and their definition.
struct Synset {
  char type = 'n';  ///< n, v, a, s (adjective satellite) or r
  std::uint32_t offset = 0;
  std::vector<std::string> words;
  std::string gloss;
};

struct Pointer {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint8_t kind = 0;
};

struct WordNet {
  std::vector<Synset>
      synsets;  ///< ordered by noun, verb, adjective, adverb, then by position in the file
  std::vector<Pointer> pointers;      ///< in the order of the files
  std::size_t pointers_left_out = 0;  ///< those to synsets beyond the limit
};

/// `noun`, `verb`, `adjective` or `adverb`.
std::string_view part_of_speech(char type) noexcept;

/// \brief Reads `data.noun`, `data.verb`, `data.adj` and `data.adv` of \p folder.
///
/// Checks the format of every field, all counts, that each record starts at the byte offset it
/// states, and that each pointer refers to a synset.
/// \param folder folder of the files
/// \param limit number of synsets read from each file; 0: all
/// \throws NotFound when a file cannot be opened, CorruptFile with file and line
WordNet read_wordnet(const std::string& folder, std::size_t limit = 0);

/// One edge per ordered pair of synsets, the heaviest of its pointers.
std::vector<Edge> heaviest_edges(const WordNet& net);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_WORDNET_WORDNET_HPP
