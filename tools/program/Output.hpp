// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_OUTPUT_HPP
#define KINDRED_TOOLS_PROGRAM_OUTPUT_HPP

#include <string>

namespace Kindred::Tools {

/// \brief Buffered standard output. Text that is not flushed before destruction is discarded.
class Output {
 public:
  /// The buffer that commands append their lines to.
  std::string& text() noexcept { return m_text; }
  /// Writes the buffer if it is large. \throws Error if writing to standard output fails
  void flush_if_large();
  /// Writes the buffer. \throws Error if writing to standard output fails
  void flush();

 private:
  std::string m_text;
};

/// Writes \p text. \throws Error if writing to standard output fails
void print(std::string text);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_OUTPUT_HPP
