// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_RECORD_HPP
#define KINDRED_PERF_COMMON_RECORD_HPP

#include "common/JsonOutput.hpp"

#include <string>

namespace Kindred::Perf {

/// Of the records; another number is another meaning of what they contain.
inline constexpr int record_format = 1;

/// \brief A record that has rows: what `--out` of the commands `rows` and `sweep` writes.
/// \throws CorruptFile if the file is none, or one of another version
/// \throws NotFound if there is no such file
Json read_record(const std::string& path);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_RECORD_HPP
