// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_HOST_LINEAR_LAYER_HPP
#define KINDRED_MATCHER_LAYERS_HOST_LINEAR_LAYER_HPP

#include <kindred/backends/vendor/HostGemm.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/layers/FusedLinear.hpp>
#include <kindred/memory/Buffer.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief One linear layer by a library of the host. A thread packs a block of w, multiplies it
/// with tiles of rows, and applies the epilogue to the products while they are in its cache.
///
/// Tiles and blocks, and therefore the bits of the result, do not depend on the number of threads.
/// The last tile and the last block overlap the previous ones, so that all have the same shape.
class HostLinearLayer {
 public:
  /// \throws SpaceUnavailable, OutOfMemory
  HostLinearLayer(const HostSpace& exec_space, MemoryResource& memory,
                  const LinearLayerData& layer);

  void run(const HostSpace& exec_space) const;

 private:
  void multiply(std::uint64_t worker, std::uint64_t block, std::uint64_t first_tile,
                std::uint64_t last_tile, const Launch::SharedWork& work) const;

  LinearLayerData m_layer;
  bool m_is_widened;  ///< x and w are passed to the library as float32
  HostGemm m_gemm;
  std::uint64_t m_workers;
  std::size_t m_packed_bytes;
  std::size_t m_products_bytes;
  std::size_t m_scratch_bytes;
  std::size_t m_widened_bytes;
  std::size_t m_local_bytes;
  mutable Buffer<std::byte, Kokkos::HostSpace> m_local;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_HOST_LINEAR_LAYER_HPP
