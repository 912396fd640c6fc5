// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_IS_SECTION_FILE_HPP
#define KINDRED_MATCHER_IS_SECTION_FILE_HPP

#include <kindred/core/common/Public.hpp>

#include <string>

namespace KINDRED_PUBLIC Kindred {

/// Whether the file at \p path starts with the signature of this project's files. False if it
/// cannot be read.
bool is_section_file(const std::string& path);

/// The kind of content that the header of such a file states, such as `vectors` or `graph`. Empty
/// for any other file, and if the file cannot be read. The header is not validated.
std::string section_file_kind(const std::string& path);

}  // namespace Kindred

#endif  // KINDRED_MATCHER_IS_SECTION_FILE_HPP
