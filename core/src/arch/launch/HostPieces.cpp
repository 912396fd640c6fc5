// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/HostPieces.hpp>
#include <kindred/core/common/QuotientUp.hpp>

#include <kindred/core/common/Error.hpp>

#include <memory>
#include <new>
#include <string>
#include <utility>

namespace Kindred::Arch {

namespace {

/// What a thread keeps between its kernels.
struct KeptScratch {
  std::unique_ptr<std::byte[]> memory;
  std::size_t bytes = 0;
};
thread_local KeptScratch kept_scratch;

/// Of memory that a thread keeps.
constexpr std::size_t kept_bytes_max = std::size_t{64} << 20U;

}  // namespace

std::string tool_label(const char* label) {
  return Kokkos::Tools::profileLibraryLoaded() ? std::string(label) : std::string();
}

HostScratch::HostScratch(const char* label, std::size_t pieces, std::size_t piece_bytes)
    : m_piece_bytes(quotient_up(piece_bytes, alignment) * alignment) {
  if (m_piece_bytes == 0) return;
  KeptScratch& kept = kept_scratch;
  m_memory = std::move(kept.memory);
  m_bytes = std::exchange(kept.bytes, 0);
  const std::size_t wanted = pieces * m_piece_bytes;
  if (m_bytes < wanted + alignment) {
    m_memory.reset();
    m_bytes = 0;
    try {
      m_memory = std::make_unique_for_overwrite<std::byte[]>(wanted + alignment);
    } catch (const std::bad_alloc&) {
      throw OutOfMemory("host", wanted, label, "each thread needs scratch");
    }
    m_bytes = wanted + alignment;
  }
  void* begin = m_memory.get();
  std::size_t space = m_bytes;
  m_begin = static_cast<std::byte*>(std::align(alignment, wanted, begin, space));
}

HostScratch::~HostScratch() {
  if (m_bytes == 0 || m_bytes > kept_bytes_max) return;
  KeptScratch& kept = kept_scratch;
  if (m_bytes <= kept.bytes) return;
  kept.memory = std::move(m_memory);
  kept.bytes = m_bytes;
}

}  // namespace Kindred::Arch
