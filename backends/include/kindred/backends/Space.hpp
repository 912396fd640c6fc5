// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SPACE_HPP
#define KINDRED_BACKENDS_SPACE_HPP

#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief Where work runs: on one host thread, on all host threads, or on the GPU.
enum class Space : std::uint8_t { serial, openmp, cuda };

inline constexpr std::size_t space_count = 3;
inline constexpr std::array<Space, space_count> all_spaces{Space::serial, Space::openmp,
                                                           Space::cuda};
/// The position of \p space in `all_spaces` and in arrays with one element per space.
constexpr std::size_t space_index(Space space) noexcept { return static_cast<std::size_t>(space); }

template <>
inline constexpr auto enum_names<Space> = std::to_array<std::string_view>({"serial", "openmp",
                                                                           "cuda"});

/// A set of spaces.
class SpaceSet {
 public:
  constexpr SpaceSet() = default;
  static constexpr SpaceSet all() noexcept { return SpaceSet(0x7); }
  static constexpr SpaceSet host() noexcept { return SpaceSet(0x3); }
  constexpr bool contains(Space space) const noexcept {
    return space_index(space) < space_count && (m_bits >> space_index(space) & 1U) != 0;
  }
  constexpr SpaceSet with(Space space) const noexcept {
    return SpaceSet(m_bits | 1U << static_cast<unsigned>(space));
  }
  constexpr SpaceSet without(Space space) const noexcept {
    return SpaceSet(m_bits & ~(1U << static_cast<unsigned>(space)));
  }
  constexpr SpaceSet operator&(SpaceSet other) const noexcept {
    return SpaceSet(m_bits & other.m_bits);
  }
  constexpr bool empty() const noexcept { return m_bits == 0; }

 private:
  explicit constexpr SpaceSet(unsigned bits) : m_bits(bits) {}
  unsigned m_bits = 0;
};

/// \brief Properties of a space on this machine.
struct SpaceInfo {
  Space space = Space::serial;
  bool compiled = false;
  bool usable = false;
  std::string why_not;            ///< reason if not usable, otherwise empty
  std::string device;             ///< name of the processor or the GPU
  int device_index = 0;           ///< index of the GPU in use among the GPUs visible to the process
  int device_count = 0;           ///< number of GPUs visible to the process
  int concurrency = 0;            ///< number of host threads, or of SMs
  std::string concurrency_why;    ///< of `openmp`: the reason for the number of threads
  double compute_capability = 0;  ///< of a CUDA device, such as 9.0
  double kernels_for = 0;  ///< compute capability that the kernels were compiled for, such as 8.0
  /// The driver compiles the kernels for the device at their first use.
  bool kernels_from_ptx = false;
  std::uint64_t memory_total = 0;   ///< bytes
  std::uint64_t memory_free = 0;    ///< bytes free when the context started
  std::uint64_t memory_budget = 0;  ///< bytes that Kindred may use
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_SPACE_HPP
