// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_LIBRARY_FILE_HPP
#define KINDRED_CORE_COMMON_LIBRARY_FILE_HPP

#include <kindred/core/common/Public.hpp>

#include <string>

namespace KINDRED_PUBLIC Kindred {

/// \brief The path of the file that this process runs Kindred's code from: the shared library, of
/// which an installation has one copy per level of x86-64, or a program that is linked statically.
///
/// Symbolic links are resolved. Empty if the system does not report it. Thread-safe.
std::string library_file();

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_LIBRARY_FILE_HPP
