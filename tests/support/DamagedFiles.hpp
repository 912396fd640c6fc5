// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_DAMAGED_FILES_HPP
#define KINDRED_TESTS_SUPPORT_DAMAGED_FILES_HPP

#include "MemoryFile.hpp"
#include "MessageOf.hpp"
#include "SectionBytes.hpp"

#include <kindred/core/common/Error.hpp>

#include <gmock/gmock.h>

namespace Kindred::Testing {

/// \brief Calls `check(changed, at, value)` for files that equal \p whole except for one byte,
/// which takes several values at every position. Returns the number of files.
template <class Check>
std::size_t for_each_changed_byte(const std::string& whole, const Check& check) {
  std::size_t tried = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const auto byte = static_cast<unsigned char>(whole[at]);
    for (const int value : {0, 255, byte ^ 1, byte ^ 0x80, byte + 1}) {
      if (static_cast<unsigned char>(value) == byte) continue;
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      check(changed, at, value);
      ++tried;
    }
  }
  return tried;
}

/// Calls `check(part)` for beginnings of \p whole that are not all of it, but not for none.
template <class Check>
void for_each_beginning(const std::vector<std::byte>& whole, const Check& check) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{127}, whole.size() - 1})
    check({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
}

/// Calls `check(damaged)` for bytes that equal \p whole except for one bit, at every \p step-th
/// byte.
template <class Check>
void for_each_flipped_bit(const std::vector<std::byte>& whole, std::size_t step,
                          const Check& check) {
  for (std::size_t at = 0; at < whole.size(); at += step) {
    std::vector<std::byte> damaged = whole;
    damaged[at] ^= std::byte{0x10};
    check(damaged);
  }
}

/// `load(path)` must refuse every beginning of the file \p good that is not all of it.
template <class Load>
void expect_beginnings_refused(const std::string& good, const Load& load) {
  const MemoryFile file;
  for (std::size_t length = 0; length < good.size(); ++length) {
    file.set(std::string_view(good).substr(0, length));
    EXPECT_THROW(load(file.path()), CorruptFile) << length;
  }
}

/// The bytes of \p good with another \p number at element \p at of a section, sealed again.
template <class T>
std::string with_forged(std::string good, std::string_view section, std::size_t at, T number) {
  forge(good, section, at, number);
  return good;
}
/// The refusal of \p bytes by `load(path)`.
template <class Load>
std::string refusal_of(const std::string& bytes, const Load& load) {
  const MemoryFile file;
  file.set(bytes);
  return message_of<CorruptFile>([&] { load(file.path()); });
}

/// What became of files of which one byte was changed.
struct ChangedFiles {
  std::size_t used = 0;
  std::size_t refused = 0;
};

/// \brief Changes every byte of \p good, in \p variants of five ways that rotate from byte to byte;
/// `use(path)` succeeds or throws CorruptFile. \param resealed whether the checksums are updated
template <class Use>
ChangedFiles use_changed_bytes(const std::string& good, bool resealed, std::size_t variants,
                               const Use& use) {
  constexpr std::array changes{0x01, 0x80, 0xFF, 0x10, 0x7F};
  const MemoryFile file;
  ChangedFiles out;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (std::size_t variant = 0; variant < variants; ++variant) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ changes[(at + variant) % changes.size()]);
      if (resealed) reseal(bytes);
      file.set(bytes);
      try {
        use(file.path());
        ++out.used;
      } catch (const CorruptFile&) {
        ++out.refused;
      }
    }
  }
  EXPECT_GT(out.refused, 0U);
  return out;
}

/// The bytes of an object are those of its file, and `load(bytes)` refuses damaged ones as those of
/// a buffer. \param step of every so many bytes, a bit is changed
template <class Load>
void expect_bytes_checked(const std::vector<std::byte>& bytes, const std::string& file,
                          std::size_t step, const Load& load) {
  ASSERT_EQ(bytes.size(), file.size());
  EXPECT_EQ(std::memcmp(bytes.data(), file.data(), file.size()), 0);
  const auto refuse = [&](const std::vector<std::byte>& damaged) {
    EXPECT_THAT(message_of<CorruptFile>([&] { load(damaged); }),
                ::testing::HasSubstr("the buffer"));
  };
  refuse({});
  for_each_beginning(bytes, refuse);
  for_each_flipped_bit(bytes, step, refuse);
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_DAMAGED_FILES_HPP
