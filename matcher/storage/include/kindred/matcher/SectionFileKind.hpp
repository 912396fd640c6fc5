// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SECTION_FILE_KIND_HPP
#define KINDRED_MATCHER_SECTION_FILE_KIND_HPP

#include <kindred/core/common/Public.hpp>

#include <optional>
#include <string>

namespace KINDRED_PUBLIC Kindred {

/// The kind of content that the header of a file of this project states, such as `vectors` or
/// `graph`; empty if the file ends in its header, which is not validated. No value for a file that
/// does not start with the signature of this project's files, or that cannot be read.
std::optional<std::string> section_file_kind(const std::string& path);

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SECTION_FILE_KIND_HPP
