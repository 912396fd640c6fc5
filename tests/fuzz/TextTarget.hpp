// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_FUZZ_TEXT_TARGET_HPP
#define KINDRED_TESTS_FUZZ_TEXT_TARGET_HPP

#include "MemoryFile.hpp"
#include "io/Decoder.hpp"
#include "program/Errors.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace Kindred::Testing {

/// What a fuzz target of text defines: what reads a file of \p size bytes.
void read_text(const std::string& path, std::size_t size);

inline void require(bool held) {
  if (!held) std::abort();
}
/// The message of an error, which must say where it is.
inline std::string located(const Tools::InputError& error, const std::string& path) {
  const std::string message = error.what();
  require(message.starts_with(path + ":") || message.starts_with(path + " is "));
  return message;
}

}  // namespace Kindred::Testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // Compressed data may be large; Fuzz_compressed.cpp reads it.
  if (Kindred::Tools::decoder_of(bytes)) return 0;
  static const Kindred::Testing::MemoryFile memory;
  memory.set(bytes);
  Kindred::Testing::read_text(memory.path(), size);
  return 0;
}

#endif  // KINDRED_TESTS_FUZZ_TEXT_TARGET_HPP
