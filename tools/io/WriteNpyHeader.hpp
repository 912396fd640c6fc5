// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_WRITE_NPY_HEADER_HPP
#define KINDRED_TOOLS_IO_WRITE_NPY_HEADER_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace Kindred::Tools {

/// The header of a two-dimensional .npy file, version 1.0, padded to a multiple of 64 bytes.
std::string npy_header(const std::string& descr, std::size_t rows, std::size_t columns);
/// The header for any number of dimensions.
std::string npy_header(const std::string& descr, std::span<const std::uint64_t> shape);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_WRITE_NPY_HEADER_HPP
