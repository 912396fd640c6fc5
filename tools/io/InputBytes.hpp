// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_INPUT_BYTES_HPP
#define KINDRED_TOOLS_IO_INPUT_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

class Decoder;

/// \brief The bytes of a file or of standard input. Data compressed by gzip or zstd is recognised
/// by its first bytes and decompressed.
class InputBytes {
 public:
  /// \param path `-` is standard input \throws InputError if \p path cannot be opened
  explicit InputBytes(const std::string& path);
  ~InputBytes();
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;

  /// \brief Reads at most \p size bytes into \p out and returns their number; 0 at the end.
  ///
  /// Returns what is available and waits only while nothing is.
  /// \param size at least 4, or more than the size of a smaller file
  /// \throws RecordError with the reason if reading fails or compressed data is damaged
  std::size_t read(char* out, std::size_t size);

  /// Bytes of the file, as it is stored; 0 if unknown.
  std::uint64_t file_size() const noexcept { return m_size; }
  /// Bytes read from the file, as it is stored.
  std::uint64_t file_bytes() const noexcept { return m_read; }
  /// Whether the data is decompressed; known after the first `read`.
  bool compressed() const noexcept { return m_decoder != nullptr; }

 private:
  std::size_t read_stored(char* out, std::size_t size);
  std::size_t read_decoded(char* out, std::size_t size);

  int m_file = -1;
  std::uint64_t m_size = 0;
  std::uint64_t m_read = 0;
  bool m_recognised = false;
  std::unique_ptr<Decoder> m_decoder;
  std::vector<char> m_stored;  // of compressed data
  std::string_view m_waiting;  // part of m_stored that is not decoded yet
};

/// \p path without the end `.gz` or `.zst`.
inline std::string_view without_compression(std::string_view path) noexcept {
  for (const std::string_view end : {".gz", ".zst"})
    if (path.ends_with(end)) return path.substr(0, path.size() - end.size());
  return path;
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_INPUT_BYTES_HPP
