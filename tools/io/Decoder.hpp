// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_DECODER_HPP
#define KINDRED_TOOLS_IO_DECODER_HPP

#include <cstddef>
#include <memory>
#include <string_view>

namespace Kindred::Tools {

/// \brief Decompresses a stream of bytes, piece by piece.
class Decoder {
 public:
  Decoder() = default;
  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// \brief Decodes from \p in, which is shortened by what was used, and returns the number of
  /// bytes written to \p out. 0 if \p in must be continued first.
  /// \throws RecordError if the data is damaged; OutOfMemory
  virtual std::size_t decode(std::string_view& in, char* out, std::size_t size) = 0;
  /// Whether the data may end here.
  virtual bool complete() const noexcept = 0;
  /// Name of the format, for messages.
  virtual const char* format() const noexcept = 0;
};

/// The decoder for data that begins with \p bytes; null if the data is not compressed.
std::unique_ptr<Decoder> decoder_of(std::string_view bytes);
/// Whether \p bytes are too few to say that the data is not compressed.
bool begins_like_compressed(std::string_view bytes) noexcept;

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_DECODER_HPP
