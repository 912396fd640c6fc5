// SPDX-License-Identifier: Apache-2.0
#include "StoredVocabulary.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace Kindred {

namespace {

constexpr const char* vocabulary_kind = "vocabulary";

void write(const Vocabulary& vocabulary, Impl::FileTarget target) {
  Impl::SectionWriter writer(std::move(target), vocabulary_kind);
  Impl::write_vocabulary(writer, vocabulary, 0);
  writer.commit();
}

}  // namespace

void Vocabulary::save(const std::string& path) const try { write(*this, path); } catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::save");
}

std::vector<std::byte> Vocabulary::to_bytes() const try {
  std::vector<std::byte> bytes;
  write(*this, bytes);
  return bytes;
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::to_bytes");
}

Vocabulary Vocabulary::load(const FileSource& source) try {
  const Impl::SectionFile file(source, vocabulary_kind, 1);
  const Impl::SectionChecks checks(file, 1);
  return Impl::read_vocabulary(file, {&checks, 1});
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::load");
}

namespace Impl {

std::uint64_t write_vocabulary(SectionWriter& writer, const Vocabulary& vocabulary,
                               std::uint64_t first) {
  const Ragged<char> texts = vocabulary.texts(static_cast<Symbol>(first));
  writer.write_rows<char>("vocabulary.text", "vocabulary.ends", texts);
  return first + texts.rows();
}

Vocabulary vocabulary_of(const RaggedSpan<char>& texts, const SectionFile& file, const char* what) {
  try {
    return Vocabulary(texts);
  } catch (const InvalidArgument& error) {
    file.fail(file.offset(0, "vocabulary.text"), std::string(what) + ": " + error.what());
  }
}

Vocabulary read_vocabulary(const SectionFile& file, std::span<const SectionChecks> commits) {
  Ragged<char> texts;
  for (const SectionChecks& checks : commits) {
    const auto rows = checks.rows<char>("vocabulary.text", "vocabulary.ends");
    for (std::size_t row = 0; row < rows.rows(); ++row) texts.push_row(rows[row]);
  }
  return vocabulary_of(texts, file, "the vocabulary");
}

}  // namespace Impl
}  // namespace Kindred
