// SPDX-License-Identifier: Apache-2.0
#include "NpyFile.hpp"

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Kindred::Impl {

namespace {
constexpr std::string_view magic = "\x93NUMPY";
}

NpyFile::NpyFile(InputFile input) : file(std::move(input)) {
  std::array<unsigned char, 12> start{};
  if (file.size() < 10) {
    file.corrupt(file.size(), "the file has " + std::to_string(file.size()) +
                                  " bytes, the header of a .npy file has at least 10");
  }
  file.read(0, start.data(), 10);
  if (std::memcmp(start.data(), magic.data(), magic.size()) != 0)
    file.corrupt(0, "not a .npy file: it does not begin with \\x93NUMPY");
  const unsigned major = start[6];
  if (major < 1 || major > 3) {
    file.refuse(6, "format version " + std::to_string(major) + "." + std::to_string(start[7]) +
                       "; only versions 1 to 3 are supported");
  }
  std::uint64_t length = start[8] | start[9] << 8U;
  header_at = 10;
  if (major > 1) {
    if (file.size() < 12) file.corrupt(file.size(), "the file ends in the header");
    file.read(10, start.data() + 10, 2);
    length |= std::uint64_t{start[10]} << 16U | std::uint64_t{start[11]} << 24U;
    header_at = 12;
  }
  if (length > file.size() - header_at) {
    file.corrupt(8, "the header should have " + std::to_string(length) +
                        " bytes, but the file has only " + std::to_string(file.size() - header_at) +
                        " more");
  }
  // NumPy writes headers of 118 bytes; the limit is NumPy's own limit against malicious files.
  constexpr std::uint64_t length_max = 10000;
  if (length > length_max) {
    file.corrupt(8, "a header of " + std::to_string(length) + " bytes; the limit is " +
                        std::to_string(length_max) + " bytes");
  }
  std::string text(length, '\0');
  file.read(header_at, text.data(), length);
  data_at = header_at + length;
  try {
    header = parse_npy_header(text);
  } catch (const InvalidArgument& error) {
    file.corrupt(header_at, error.what());
  }
}

void NpyFile::check_size(DataType type) const {
  std::vector<std::uint64_t> sizes = header.shape;
  sizes.push_back(size_of(type));
  const auto required = checked_product(sizes);
  if (!required)
    file.corrupt(header_at,
                 "shape " + header.shown_shape() + " requires more bytes than a file can have");
  const std::uint64_t found = file.size() - data_at;
  if (found == *required) return;
  const bool is_cut = found < *required;
  file.corrupt(is_cut ? file.size() : data_at + *required,
               std::to_string(found) + " bytes of data follow the header, but shape " +
                   header.shown_shape() + " of " + in_quotes(header.descr) + " needs " +
                   std::to_string(*required) + ": the file is " + (is_cut ? "cut" : "too long"));
}

}  // namespace Kindred::Impl
