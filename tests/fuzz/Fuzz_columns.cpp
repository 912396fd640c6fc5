// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a table: rejected with a position, or read identically with and without
// looking ahead.
#include "MemoryFile.hpp"
#include "io/ColumnReader.hpp"
#include "io/Decoder.hpp"
#include "program/Errors.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace Kindred;
using namespace Kindred::Tools;

namespace {

void require(bool held) {
  if (!held) std::abort();
}

/// The fields and messages of bad records, in order.
std::vector<std::string> read(const std::string& path, const Column& column, bool look_ahead) {
  std::vector<std::string> out;
  try {
    ColumnReader reader(path, column);
    while (true) {
      const bool buffered = look_ahead && reader.buffered();
      try {
        const auto field = reader.next();
        require(field || !buffered);
        if (!field) return out;
        out.emplace_back(*field);
      } catch (const BadLine& bad) {
        require(bad.line() > 0 && !bad.why().empty());
        out.emplace_back(bad.what());
      }
    }
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    require(message.starts_with(path + ":") || message.starts_with(path + " is "));
    out.emplace_back(error.what());
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (decoder_of(bytes)) return 0;  // may be large; Fuzz_compressed.cpp reads it
  static const Testing::MemoryFile memory;
  memory.set(bytes);
  const Column column{"a", size % 2 == 0 ? ',' : '\t'};
  require(read(memory.path(), column, false) == read(memory.path(), column, true));
  return 0;
}
