// SPDX-License-Identifier: Apache-2.0
#include "io/WriteNpyHeader.hpp"

#include <fmt/format.h>

#include <array>

namespace Kindred::Tools {

std::string npy_header(const std::string& descr, std::size_t rows, std::size_t columns) {
  const std::array<std::uint64_t, 2> shape{rows, columns};
  return npy_header(descr, shape);
}

std::string npy_header(const std::string& descr, std::span<const std::uint64_t> shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t prefix = 10;
  constexpr std::size_t alignment = 64;
  text.append(alignment - 1 - (prefix + text.size()) % alignment, ' ').append(1, '\n');
  std::string out = "\x93NUMPY\x01";
  out += '\0';
  out += static_cast<char>(text.size() & 0xFFU);
  out += static_cast<char>(text.size() >> 8U);
  return out + text;
}

}  // namespace Kindred::Tools
