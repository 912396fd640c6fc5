// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as compressed data: rejected, or decompressed to the same bytes in pieces of any
// size.
#include "MemoryFile.hpp"
#include "io/InputBytes.hpp"
#include "program/Errors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

using namespace Kindred;
using namespace Kindred::Tools;

namespace {

constexpr std::size_t most = 1U << 22U;

/// At most `most` bytes, and the error message if there is one.
std::string read(const std::string& path, std::size_t piece) {
  std::string out;
  std::vector<char> buffer(piece);
  try {
    InputBytes bytes(path);
    while (out.size() < most) {
      const std::size_t count = bytes.read(buffer.data(), buffer.size());
      if (count > piece) std::abort();
      if (count == 0) break;
      out.append(buffer.data(), count);
    }
  } catch (const RecordError& error) {
    if (out.size() < most) return out + "|" + error.what();
  }
  out.resize(std::min(out.size(), most));
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  static const Testing::MemoryFile memory;
  memory.set({reinterpret_cast<const char*>(data), size});
  // zlib may report damage before or after the bytes that precede it.
  const std::string whole = read(memory.path(), 1U << 16U);
  const std::string pieces = read(memory.path(), 61);
  const bool is_refused = whole.find('|') != whole.npos || pieces.find('|') != pieces.npos;
  if (!is_refused && whole != pieces) std::abort();
  return 0;
}
