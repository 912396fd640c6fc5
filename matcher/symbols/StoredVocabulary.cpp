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

constexpr const char* kind = "vocabulary";

Vocabulary read(const Impl::FileSource& source) {
  const Impl::SectionFile file(source, kind, 1);
  const Impl::SectionChecks checks(file, 0, 1);
  return Impl::read_vocabulary(file, {&checks, 1});
}

void write(const Vocabulary& vocabulary, Impl::FileTarget target) {
  Impl::SectionWriter writer(std::move(target), kind);
  Impl::write_vocabulary(writer, vocabulary, 0);
  writer.commit();
}

}  // namespace

void Vocabulary::save(const std::string& path) const try { write(*this, path); } catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::save");
}

Vocabulary Vocabulary::load(const std::string& path) try { return read(path); } catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::load");
}

std::vector<std::byte> Vocabulary::to_bytes() const try {
  std::vector<std::byte> bytes;
  write(*this, bytes);
  return bytes;
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::to_bytes");
}

Vocabulary Vocabulary::from_bytes(std::span<const std::byte> bytes) try {
  return read(bytes);
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::from_bytes");
}

namespace Impl {

std::uint64_t write_vocabulary(SectionWriter& writer, const Vocabulary& vocabulary,
                               std::uint64_t first) {
  const Ragged<char> texts = vocabulary.texts(static_cast<Symbol>(first));
  const std::span<const char> text = texts.values;
  writer.write<std::uint8_t>("vocabulary.text",
                             {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  writer.write<std::uint64_t>("vocabulary.ends", std::span(texts.offsets).subspan(1));
  return first + texts.rows();
}

Vocabulary read_vocabulary(const SectionFile& file, std::span<const SectionChecks> commits) {
  Ragged<char> texts;
  for (const SectionChecks& checks : commits) {
    const auto text = checks.section<std::uint8_t>("vocabulary.text");
    const auto ends = checks.section<std::uint64_t>("vocabulary.ends");
    checks.ends("vocabulary.ends", ends, text.size());
    const std::uint64_t base = texts.values.size();
    texts.values.insert(texts.values.end(), text.begin(), text.end());
    for (const std::uint64_t end : ends) texts.offsets.push_back(base + end);
  }
  try {
    return Vocabulary(texts);
  } catch (const InvalidArgument& error) {
    file.fail(file.offset(0, "vocabulary.text"), std::string("the vocabulary: ") + error.what());
  }
}

}  // namespace Impl
}  // namespace Kindred
