// SPDX-License-Identifier: Apache-2.0
#include "io/InputBytes.hpp"

#include "io/Decoder.hpp"
#include "program/Errors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace Kindred::Tools {

InputBytes::InputBytes(const std::string& path) {
  if (path == "-") {
    m_file = STDIN_FILENO;
    return;
  }
  m_file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (m_file < 0) throw InputError(fmt::format("{}: {}", path, std::strerror(errno)));
  struct stat status {};
  if (::fstat(m_file, &status) == 0 && S_ISREG(status.st_mode))
    m_size = static_cast<std::uint64_t>(status.st_size);
}

InputBytes::~InputBytes() {
  if (m_file > STDIN_FILENO) ::close(m_file);
}

std::size_t InputBytes::read_stored(char* out, std::size_t size) {
  ssize_t count = 0;
  do {
    count = ::read(m_file, out, size);
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw RecordError(std::strerror(errno));
  m_read += static_cast<std::uint64_t>(count);
  return static_cast<std::size_t>(count);
}

std::size_t InputBytes::read_decoded(char* out, std::size_t size) {
  while (true) {
    const std::size_t count = m_decoder->decode(m_waiting, out, size);
    if (count > 0) return count;
    if (!m_waiting.empty()) continue;
    const std::size_t stored = read_stored(m_stored.data(), m_stored.size());
    if (stored == 0) {
      if (!m_decoder->complete())
        throw RecordError(fmt::format("the {} data ends too early", m_decoder->format()));
      return 0;
    }
    m_waiting = {m_stored.data(), stored};
  }
}

std::size_t InputBytes::read(char* out, std::size_t size) {
  if (m_decoder) return read_decoded(out, size);
  std::size_t count = read_stored(out, size);
  if (m_recognised) return count;
  while (count > 0 && count < size && begins_like_compressed({out, count})) {
    const std::size_t more = read_stored(out + count, size - count);
    if (more == 0) break;
    count += more;
  }
  m_recognised = true;
  m_decoder = decoder_of({out, count});
  if (!m_decoder) return count;
  constexpr std::size_t stored_bytes = 1U << 16U;
  m_stored.resize(std::max(stored_bytes, count));
  std::copy_n(out, count, m_stored.data());
  m_waiting = {m_stored.data(), count};
  return read_decoded(out, size);
}

}  // namespace Kindred::Tools
