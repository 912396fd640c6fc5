// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_OUTPUT_HPP
#define KINDRED_TOOLS_IO_OUTPUT_HPP

#include <string>

namespace Kindred::Tools {

/// \brief Standard output, in large pieces. What is not flushed when it goes is not written.
class Output {
 public:
  /// Where a command appends its lines.
  std::string& text() noexcept { return m_text; }
  /// Writes what there is if it has become large. \throws Error when standard output refuses it
  void flush_if_large();
  /// Writes what there is. \throws Error when standard output refuses it
  void flush();

 private:
  std::string m_text;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_OUTPUT_HPP
