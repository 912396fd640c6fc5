// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_ATOMIC_FILE_HPP
#define KINDRED_BACKENDS_SRC_ATOMIC_FILE_HPP

#include <string>
#include <string_view>

namespace Kindred::Impl {

/// \brief Writes \p text to \p path so that a reader and a crash find the old file or the new one:
/// a temporary of its own beside it, fsync, rename, fsync of the folder. Makes missing folders.
/// \throws Error with the reason; the old file and no temporary are then left
void write_atomically(const std::string& path, std::string_view text);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_ATOMIC_FILE_HPP
