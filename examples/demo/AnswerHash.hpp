// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_EXAMPLES_DEMO_ANSWER_HASH_HPP
#define KINDRED_EXAMPLES_DEMO_ANSWER_HASH_HPP

#include "Corpus.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace Kindred::Tools {

/// \brief The hash of the answers of every operation on one space.
struct AnswerHash {
  Space space = Space::serial;
  std::uint64_t hash = 0;
};

/// \brief Runs every operation on each usable space in turn, with glosses of the corpus as queries,
/// and hashes all bits of the answers.
std::vector<AnswerHash> hash_answers(const Context& context, const Corpus& corpus,
                                     const Engines& engines, std::size_t queries = 16);

}  // namespace Kindred::Tools

#endif  // KINDRED_EXAMPLES_DEMO_ANSWER_HASH_HPP
