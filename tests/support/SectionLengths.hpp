// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_SECTION_LENGTHS_HPP
#define KINDRED_TESTS_SUPPORT_SECTION_LENGTHS_HPP

#include "TempFolder.hpp"
#include "storage/SectionFile.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/core/common/Error.hpp>

namespace Kindred::Testing {

/// Calls \p body with a zero of the type of a section's elements.
template <class Body>
void with_element(Impl::ElementType type, std::uint32_t bytes, const Body& body) {
  const bool is_signed = type == Impl::ElementType::signed_integer;
  if (type == Impl::ElementType::real) return bytes == 4 ? body(0.0F) : body(0.0);
  if (bytes == 1) return is_signed ? body(std::int8_t{0}) : body(std::uint8_t{0});
  if (bytes == 2) return is_signed ? body(std::int16_t{0}) : body(std::uint16_t{0});
  if (bytes == 4) return is_signed ? body(std::int32_t{0}) : body(std::uint32_t{0});
  is_signed ? body(std::int64_t{0}) : body(std::uint64_t{0});
}

/// \brief Writes the file at \p from to \p to, but section \p changed of its last commit with an
/// element more (one like the last), or without its last.
inline void copy_with_length(const std::string& from, const std::string& to, std::string_view kind,
                             std::string_view changed, bool longer) {
  const Impl::SectionFile file(from, kind, 1);
  Impl::FileRevision revision;
  for (std::size_t commit = 0; commit < file.commits(); ++commit) {
    Impl::SectionWriter writer =
        commit == 0 ? Impl::SectionWriter(to, kind) : Impl::SectionWriter(to, kind, revision);
    writer.require_format(Impl::section_format_version);
    for (const auto& section : file.sections(commit)) {
      with_element(section.type, section.element_bytes, [&](auto zero) {
        using T = decltype(zero);
        const auto elements = file.section<T>(commit, section.name);
        std::vector<T> out(elements.begin(), elements.end());
        if (commit + 1 == file.commits() && section.name == changed) {
          if (longer) {
            out.push_back(out.empty() ? zero : out.back());
          } else {
            out.pop_back();
          }
        }
        writer.write<T>(section.name, std::span<const T>(out));
      });
    }
    revision = writer.commit();
  }
}

/// \brief No section of the last commit of the file at \p path may have another number of elements:
/// `load(path)` rejects the file. \param extendable a section that may have one more
template <class Load>
void expect_lengths_are_checked(const std::string& path, std::string_view kind, const Load& load,
                                std::string_view extendable = {}) {
  const std::string copy = path + ".copy";
  const Impl::SectionFile file(path, kind, 1);
  for (const auto& section : file.sections(file.commits() - 1)) {
    for (const bool longer : {false, true}) {
      if (longer ? section.name == extendable : section.bytes == 0) continue;
      copy_with_length(path, copy, kind, section.name, longer);
      EXPECT_THROW(load(copy), CorruptFile)
          << section.name << " with an element " << (longer ? "more" : "less");
    }
  }
  copy_with_length(path, copy, kind, "none", true);
  EXPECT_NO_THROW(load(copy)) << "nothing else is wrong with these files";
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_SECTION_LENGTHS_HPP
