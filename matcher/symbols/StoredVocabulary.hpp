// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SYMBOLS_STORED_VOCABULARY_HPP
#define KINDRED_MATCHER_SYMBOLS_STORED_VOCABULARY_HPP

#include "storage/SectionChecks.hpp"
#include "storage/SectionFile.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/matcher/Vocabulary.hpp>

#include <cstdint>
#include <span>

namespace Kindred::Impl {

/// Writes the texts from number \p first on and returns the number of texts that the file then has.
std::uint64_t write_vocabulary(SectionWriter& writer, const Vocabulary& vocabulary,
                               std::uint64_t first);
/// The vocabulary of \p texts, read from \p file. \param what they are, for the message \throws
/// CorruptFile for a text that occurs twice
Vocabulary vocabulary_of(const RaggedSpan<char>& texts, const SectionFile& file, const char* what);
/// Reads the texts of all commits. \throws CorruptFile
Vocabulary read_vocabulary(const SectionFile& file, std::span<const SectionChecks> commits);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SYMBOLS_STORED_VOCABULARY_HPP
