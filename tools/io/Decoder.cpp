// SPDX-License-Identifier: Apache-2.0
#include "io/Decoder.hpp"

#include "program/Errors.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

namespace Kindred::Tools {

namespace {

/// One or more members, RFC 1952.
class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() {
    constexpr int gzip_only = 16;
    if (::inflateInit2(&m_stream, gzip_only + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { ::inflateEnd(&m_stream); }

  std::size_t decode(std::string_view& in, char* out, std::size_t size) override {
    if (m_complete) {
      // Zeros after the last member are padding, as for gzip(1).
      in.remove_prefix(std::min(in.find_first_not_of('\0'), in.size()));
      if (in.empty()) return 0;
      ::inflateReset(&m_stream);
      m_complete = false;
    }
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const std::size_t given = std::min(in.size(), most);
    const std::size_t room = std::min(size, most);
    // zlib does not change the input; its interface is older than const.
    m_stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    m_stream.avail_in = static_cast<uInt>(given);
    m_stream.next_out = reinterpret_cast<Bytef*>(out);
    m_stream.avail_out = static_cast<uInt>(room);
    const int status = ::inflate(&m_stream, Z_NO_FLUSH);
    in.remove_prefix(given - m_stream.avail_in);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    m_complete = status == Z_STREAM_END;
    const std::size_t written = room - m_stream.avail_out;
    // Z_BUF_ERROR: nothing could be done without more input. Damage is reported again by the call
    // after the one that returns what precedes it.
    if (!m_complete && status != Z_OK && status != Z_BUF_ERROR && written == 0) {
      throw RecordError(fmt::format("the gzip data is damaged: {}",
                                    m_stream.msg != nullptr ? m_stream.msg : "invalid data"));
    }
    return written;
  }
  bool complete() const noexcept override { return m_complete; }
  const char* format() const noexcept override { return "gzip"; }

 private:
  z_stream m_stream{};
  bool m_complete = false;
};

/// One or more frames, RFC 8878.
class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : m_stream(ZSTD_createDStream()) {
    if (m_stream == nullptr) throw std::bad_alloc();
  }
  ~ZstdDecoder() override { ZSTD_freeDStream(m_stream); }

  std::size_t decode(std::string_view& in, char* out, std::size_t size) override {
    if (m_complete && in.empty()) return 0;
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out, size, 0};
    const std::size_t hint = ZSTD_decompressStream(m_stream, &output, &input);
    in.remove_prefix(input.pos);
    if (ZSTD_isError(hint) != 0) {
      throw RecordError(
          fmt::format("the zstd data cannot be decompressed: {}", ZSTD_getErrorName(hint)));
    }
    m_complete = hint == 0;
    return output.pos;
  }
  bool complete() const noexcept override { return m_complete; }
  const char* format() const noexcept override { return "zstd"; }

 private:
  ZSTD_DStream* m_stream;
  bool m_complete = false;
};

/// The first bytes of a format; bits outside of the mask of the first byte vary.
struct Magic {
  std::string_view bytes;
  unsigned char first_mask;
  bool gzip;
};

// A frame of zstd may follow one that is skipped, which begins with 0x50 … 0x5F.
constexpr std::array<Magic, 3> magics{{{"\x1F\x8B", 0xFF, true},
                                       {"\x28\xB5\x2F\xFD", 0xFF, false},
                                       {"\x50\x2A\x4D\x18", 0xF0, false}}};

/// Whether \p bytes and the beginning of a format agree as far as both go.
bool agrees(const Magic& magic, std::string_view bytes) noexcept {
  const std::size_t common = std::min(bytes.size(), magic.bytes.size());
  for (std::size_t i = 0; i < common; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const unsigned char mask = i == 0 ? magic.first_mask : 0xFF;
    if ((byte & mask) != static_cast<unsigned char>(magic.bytes[i])) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Decoder> decoder_of(std::string_view bytes) {
  for (const Magic& magic : magics) {
    if (bytes.size() < magic.bytes.size() || !agrees(magic, bytes)) continue;
    if (magic.gzip) return std::make_unique<GzipDecoder>();
    return std::make_unique<ZstdDecoder>();
  }
  return nullptr;
}

bool begins_like_compressed(std::string_view bytes) noexcept {
  return std::any_of(magics.begin(), magics.end(), [bytes](const Magic& magic) {
    return bytes.size() < magic.bytes.size() && agrees(magic, bytes);
  });
}

}  // namespace Kindred::Tools
