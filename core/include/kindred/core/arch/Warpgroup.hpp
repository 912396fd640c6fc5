// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_WARPGROUP_HPP
#define KINDRED_CORE_ARCH_WARPGROUP_HPP

#include <cstdint>

#if defined(__CUDACC__)

/// \brief Access to Hopper's matrix units for device code compiled for sm_90a: barriers that count
/// bytes, bulk copies to shared memory, warpgroup products.
///
/// Each function is one or a few PTX instructions, named as in the PTX manual: mbarrier,
/// cp.async.bulk, wgmma. There is no bit-identical portable form of the products; their error bound
/// is `gemm_error`, and host tests check the algorithm with products that are off by the full
/// bound.
namespace Kindred::Arch::Warpgroup {

inline constexpr int threads = 128;
/// Size of one product: 64 × 256, 128 floats per thread.
inline constexpr int rows = 64;
inline constexpr int columns = 256;
inline constexpr int products = rows * columns / threads;
/// Number of float16 elements that one product sums over.
inline constexpr int depth = 16;

__device__ inline std::uint32_t shared_address(const void* data) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(data));
}

/// A phase ends after \p arrivals arrivals and all expected bytes.
__device__ inline void init_barrier(std::uint64_t* barrier, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}
/// Makes the writes of `init_barrier` visible to the cluster and to copies.
__device__ inline void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// Arrives, and expects \p bytes of copies in this phase.
__device__ inline void expect_bytes(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}
/// Waits until the phase of this \p parity has ended.
__device__ inline void wait_for(std::uint64_t* barrier, std::uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra ready;\n"
      "bra again;\n"
      "ready:\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
/// \brief Arrives at the same barrier of another block of the cluster. Orders no stores: for memory
/// that was only read, by products that have been waited for.
__device__ inline void arrive_at(std::uint64_t* barrier, std::uint32_t block) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [there];\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(block)
      : "memory");
}

/// Copies to this block's shared memory; \p barrier counts the bytes.
__device__ inline void copy(void* to, const void* from, std::uint32_t bytes,
                            std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}
/// Copies to the same location in each block of the cluster selected by \p blocks, whose own
/// barriers count.
__device__ inline void copy_to_all(void* to, const void* from, std::uint32_t bytes,
                                   std::uint64_t* barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier)), "h"(blocks)
      : "memory");
}

/// Synchronises the first \p count threads that call it, in whole warps. \param barrier from 1 on
__device__ inline void sync_threads(int barrier, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}

template <int Registers>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// \brief The descriptor of a matrix in `TileLayout` in shared memory: rows of 128 bytes, swizzled
/// in groups of eight. \param data aligned to 1024 bytes, plus 32 bytes per step of `depth`
__device__ inline std::uint64_t describe(const void* data) {
  constexpr std::uint64_t eight_rows = 1024U >> 4U;
  constexpr std::uint64_t swizzle_128 = 1;
  return (shared_address(data) & 0x3FFFFU) >> 4U | std::uint64_t{1} << 16U | eight_rows << 32U |
         swizzle_128 << 62U;
}

/// Required before the first product, and after registers used by products were accessed.
__device__ inline void fence_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most \p Left groups of products are in flight.
template <int Left>
__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}
/// Keeps the compiler from moving reads of \p sums before the preceding wait.
__device__ inline void keep_behind(float (&sums)[products]) {
#pragma unroll
  for (float& sum : sums) asm volatile("" : "+f"(sum)::"memory");
}

#define KINDRED_SUMS_8(I)                                                                    \
  "+f"(sums[I]), "+f"(sums[I + 1]), "+f"(sums[I + 2]), "+f"(sums[I + 3]), "+f"(sums[I + 4]), \
      "+f"(sums[I + 5]), "+f"(sums[I + 6]), "+f"(sums[I + 7])
#define KINDRED_SUMS_32(I) \
  KINDRED_SUMS_8(I), KINDRED_SUMS_8(I + 8), KINDRED_SUMS_8(I + 16), KINDRED_SUMS_8(I + 24)

/// \brief Products of 64 rows and 256 columns over 16 float16 elements, summed in float32.
///
/// Thread t holds, for row 16 · (t / 32) + t % 32 / 4 and the row 8 below, the columns 8 · j + 2 ·
/// (t % 4) and the next one: sums[4j], [4j + 1], and for the row below [4j + 2], [4j + 3].
/// \param a, b from `describe` \param add 0: starts new sums
__device__ inline void multiply(float (&sums)[products], std::uint64_t a, std::uint64_t b,
                                int add) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
      "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
      "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
      "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
      "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, "
      "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, "
      "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "
      "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, p, 1, 1, 0, 0;\n"
      "}"
      : KINDRED_SUMS_32(0), KINDRED_SUMS_32(32), KINDRED_SUMS_32(64), KINDRED_SUMS_32(96)
      : "l"(a), "l"(b), "r"(add));
}

#undef KINDRED_SUMS_32
#undef KINDRED_SUMS_8

}  // namespace Kindred::Arch::Warpgroup

#endif

#endif  // KINDRED_CORE_ARCH_WARPGROUP_HPP
