// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_KOKKOS_KERNELS_KOKKOS_KERNELS_PEERS_HPP
#define KINDRED_PERF_KOKKOS_KERNELS_KOKKOS_KERNELS_PEERS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include "problems/Peers.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// The version of Kokkos Kernels, `4.4.0`; empty in a build without it, which has none of its
/// peers.
std::string kokkos_kernels_version();

/// y = Wᵀx by `KokkosSparse::spmv`. \param x `nodes × columns` values, those of one node adjacent
std::vector<std::unique_ptr<NativePeer>> kokkos_kernels_hop(Context& context, Space space,
                                                            std::span<const Edge> edges,
                                                            std::size_t nodes,
                                                            std::span<const float> x,
                                                            std::size_t columns);

/// Products of square matrices, one after another, by `KokkosBlas::gemm`; several of them also side
/// by side, each by `KokkosBatched::SerialGemm`. On the host only. The answers are samples.
std::vector<std::unique_ptr<NativePeer>> kokkos_kernels_products(Context& context, Space space,
                                                                 std::span<const float> a,
                                                                 std::span<const float> b,
                                                                 std::size_t side);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_KOKKOS_KERNELS_KOKKOS_KERNELS_PEERS_HPP
