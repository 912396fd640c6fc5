// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/vendor/ThresholdGemm.hpp>

#include <kindred/core/common/Error.hpp>

#if KINDRED_HAS_DEVICE && defined(KINDRED_COMPILED_FOR_SM90A)
#include <kindred/core/arch/Warpgroup.hpp>
#include <kindred/core/arch/launch/KernelCode.hpp>
#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/arch/launch/TeamCluster.hpp>
#include <kindred/core/vector/impl/TileSelectKernels.hpp>

#include <algorithm>

#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error \
    "KINDRED_COMPILED_FOR_SM90A is defined where this source is compiled for another architecture"
#endif
#endif

namespace Kindred::Impl {

#if KINDRED_HAS_DEVICE && defined(KINDRED_COMPILED_FOR_SM90A)

namespace {

namespace Group = Arch::Warpgroup;

constexpr std::uint32_t row_block = TileLayout::block_vectors;
constexpr std::uint32_t block_bytes = TileLayout::block_size * sizeof(Arch::Float16);
/// Thread blocks; each has its own rows and loads one half of the queries for both.
constexpr std::uint32_t cluster_blocks = 2;
constexpr std::uint32_t query_multiple = ThresholdGemm::query_multiple;
static_assert(query_multiple == Group::columns && query_multiple == cluster_blocks * row_block);

/// Threads of the two warpgroups that multiply; the third one loads and appends.
constexpr std::uint32_t multiplying = 2 * Group::threads;
constexpr std::uint32_t block_threads = multiplying + Group::threads;

constexpr std::uint32_t stages = 4;
constexpr int group_barrier = 1;  ///< first of two barriers, one per multiplying warpgroup

constexpr int products_per_round = 8;      ///< products per thread
constexpr std::uint32_t found_most = 384;  ///< capacity of a warp's list of hits

/// Shared memory of a thread block.
struct alignas(1024) Shared {
  struct Stage {
    std::byte rows[block_bytes];
    std::byte queries[cluster_blocks * block_bytes];
  };
  Stage stage[stages];
  float thresholds[2][2][query_multiple];  ///< per warpgroup, for this tile and the next
  float weights[2][2][query_multiple];
  std::uint64_t found[multiplying / 32][found_most];  ///< per warp: the product and its position
  std::uint64_t full[stages];
  std::uint64_t free[stages];
};
constexpr std::size_t shared_bytes = sizeof(Shared) + alignof(Shared);

struct Arguments {
  ThresholdTile<DeviceSpace> tile;
  std::uint32_t chunks = 0;       ///< blocks per vector, stored one after the other
  std::uint32_t first_block = 0;  ///< of the rows
  std::uint32_t last_block = 0;
  std::uint32_t units = 0;  ///< groups of queries
  std::uint32_t tiles = 0;  ///< each a pair of row blocks and one group of queries
  std::uint32_t queries = 0;

  /// What a cluster works on: consecutive places share their rows, which are then read from memory
  /// once, however many there are.
  struct Place {
    std::uint32_t row_block;
    std::uint32_t unit;
  };
  __device__ Place place(std::uint32_t index, std::uint32_t rank) const {
    return {first_block + index / units * cluster_blocks + rank, index % units};
  }
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// The index of the next stage and the parity of its phase.
struct Turn {
  std::uint32_t stage = 0;
  std::uint32_t parity = 0;

  __device__ void advance() {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1U;
  }
};

/// Position of a cluster in the launch.
struct Walk {
  std::uint32_t rank;  ///< of this thread block in its cluster
  std::uint32_t cluster;
  std::uint32_t clusters;
};

/// Run by one thread, which loads the blocks of every tile.
__device__ void bring(const Arguments& arguments, const Walk& walk, Shared& shared) {
  constexpr std::uint16_t both = 3;
  const auto* rows = reinterpret_cast<const std::byte*>(arguments.tile.rows);
  const auto* queries = reinterpret_cast<const std::byte*>(arguments.tile.queries);
  Turn turn;
  for (std::uint32_t index = walk.cluster; index < arguments.tiles; index += walk.clusters) {
    const Arguments::Place place = arguments.place(index, walk.rank);
    // If the number of row blocks is odd, the last pair has only one; its second thread block
    // reloads these rows and compares nothing.
    const std::uint32_t own = min(place.row_block, arguments.last_block - 1);
    const std::byte* row = rows + std::uint64_t{own} * arguments.chunks * block_bytes;
    const std::byte* query = queries + (std::uint64_t{place.unit} * cluster_blocks + walk.rank) *
                                           arguments.chunks * block_bytes;
    for (std::uint32_t chunk = 0; chunk < arguments.chunks; ++chunk, turn.advance()) {
      Shared::Stage& stage = shared.stage[turn.stage];
      std::uint64_t* full = &shared.full[turn.stage];
      Group::wait_for(&shared.free[turn.stage], turn.parity ^ 1U);
      Group::expect_bytes(full, sizeof(Shared::Stage));
      Group::copy(stage.rows, row + std::uint64_t{chunk} * block_bytes, block_bytes, full);
      Group::copy_to_all(stage.queries + walk.rank * block_bytes,
                         query + std::uint64_t{chunk} * block_bytes, block_bytes, full, both);
    }
  }
}

/// Both blocks of the cluster may overwrite a stage once all warps of both have read it.
__device__ void release(Shared& shared, std::uint32_t stage) {
  if (threadIdx.x % 32 < cluster_blocks) Group::arrive_at(&shared.free[stage], threadIdx.x % 32);
}

/// \brief Appends the hits of a warp, one entry per thread.
/// \param found the product and, from bit 32 on, the row, query and round within the tile
template <bool Weighted>
__device__ void append(const Arguments& arguments, const Walk& walk, const std::uint64_t* found,
                       std::uint32_t count) {
  const ThresholdTile<DeviceSpace>& tile = arguments.tile;
  __syncwarp();
  for (std::uint32_t at = threadIdx.x % 32; at < count; at += 32) {
    const float product = __uint_as_float(static_cast<std::uint32_t>(found[at]));
    const auto where = static_cast<std::uint32_t>(found[at] >> 32U);
    const Arguments::Place place = arguments.place(
        walk.cluster + where / (row_block * query_multiple) * walk.clusters, walk.rank);
    const std::uint64_t line = std::uint64_t{place.row_block} * row_block + where % row_block;
    const std::uint64_t query =
        std::uint64_t{place.unit} * query_multiple + where / row_block % query_multiple;
    const TileRow row = tile.bounds[line];
    const std::uint32_t index = tile.bounds.rows[line];
    const float weight = Weighted ? tile.weights[query] : 0.0F;
    if (row.error == -__builtin_inff() || !tile.filter.passes(query, index)) continue;
    append_survivor(tile.lists, query, index, tile_upper_of_sum<Weighted>(product, row, weight),
                    tile_width(product, row, 0.0F, weight));
  }
  __syncwarp();
}

/// Multiplies one warpgroup's half of the rows of every tile, and compares the products in
/// registers.
template <bool Weighted>
__device__ void multiply(const Arguments& arguments, const Walk& walk, Shared& shared) {
  constexpr float infinity = __builtin_inff();
  constexpr std::uint32_t all_lanes = 0xFFFFFFFFU;
  const std::uint32_t thread = threadIdx.x;
  const std::uint32_t group = thread / Group::threads;
  const std::uint32_t lane = thread % 32;
  const std::uint32_t line =
      group * Group::rows + thread % Group::threads / 32 * 16 + lane / 4;  // and the row 8 below
  const std::uint32_t column = lane % 4 * 2;
  const std::uint32_t before_lane = (1U << lane) - 1;
  std::uint64_t* found = shared.found[thread / 32];
  std::uint32_t count = 0;
  float sums[Group::products];
  Turn turn;
  std::uint32_t round = 0;
  for (std::uint32_t index = walk.cluster; index < arguments.tiles;
       index += walk.clusters, ++round) {
    const Arguments::Place place = arguments.place(index, walk.rank);
    const bool has_rows = place.row_block < arguments.last_block;
    float* thresholds = shared.thresholds[group][round % 2];
    float* weights = shared.weights[group][round % 2];
#pragma unroll
    for (std::uint32_t at = thread % Group::threads; at < query_multiple; at += Group::threads) {
      const std::uint32_t query = place.unit * query_multiple + at;
      const bool exists = query < arguments.queries;
      const float threshold = exists ? arguments.tile.lists.thresholds(query) : infinity;
      // No product is ≥ NaN.
      thresholds[at] = threshold < infinity ? threshold : __builtin_nanf("");
      if constexpr (Weighted) weights[at] = exists ? arguments.tile.weights[query] : 0.0F;
    }
    TileRow row[2];
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      if (has_rows)
        row[half] =
            arguments.tile.bounds[std::uint64_t{place.row_block} * row_block + line + 8 * half];
    }

    int add = 0;
    std::uint32_t before = 0;
    for (std::uint32_t chunk = 0; chunk < arguments.chunks; ++chunk) {
      const Shared::Stage& stage = shared.stage[turn.stage];
      Group::wait_for(&shared.full[turn.stage], turn.parity);
      const std::uint64_t a = Group::describe(stage.rows + group * (block_bytes / 2));
      const std::uint64_t b = Group::describe(stage.queries);
      Group::fence_products();
#pragma unroll
      for (std::uint32_t step = 0; step < TileLayout::block_length / Group::depth; ++step) {
        Group::multiply(sums, a + 2 * step, b + 2 * step, add);  // 32 bytes, in units of 16
        add = 1;
      }
      Group::commit_products();
      Group::wait_for_products<1>();
      if (chunk > 0) release(shared, before);
      before = turn.stage;
      turn.advance();
    }
    Group::wait_for_products<0>();
    Group::keep_behind(sums);
    release(shared, before);
    Group::sync_threads(group_barrier + static_cast<int>(group),
                        Group::threads);  // wait for the thresholds
    if (!has_rows) continue;

    int begin = 0;
    while (begin < Group::products) {
      // Stops early when the list of the warp is full.
      int end = Group::products;
#pragma unroll
      for (int first = 0; first < Group::products; first += products_per_round) {
        if (first < begin || first >= end) continue;
        // Two rows × four queries, processed in pairs.
        float upper[products_per_round];
        float2 least[products_per_round / 4];
        bool any[2] = {false, false};
#pragma unroll
        for (int i = 0; i < products_per_round; i += 4) {
          const std::uint32_t at = (first + i) / 4 * 8 + column;
          least[i / 4] = *reinterpret_cast<const float2*>(thresholds + at);
          const float2 weight =
              Weighted ? *reinterpret_cast<const float2*>(weights + at) : float2{};
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            upper[i + j] = tile_upper_of_sum<Weighted>(sums[first + i + j], row[j / 2],
                                                       j % 2 == 0 ? weight.x : weight.y);
          }
          any[0] |= fmaxf(upper[i], upper[i + 2]) >= least[i / 4].x;
          any[1] |= fmaxf(upper[i + 1], upper[i + 3]) >= least[i / 4].y;
        }
        if (!__any_sync(all_lanes, any[0] || any[1])) continue;
#pragma unroll
        for (int i = 0; i < products_per_round; ++i) {
          const bool survives = upper[i] >= (i % 2 == 0 ? least[i / 4].x : least[i / 4].y);
          const std::uint32_t those = __ballot_sync(all_lanes, survives);
          const std::uint32_t at = (first + i) / 4 * 8 + column + i % 2;
          if (survives) {
            const std::uint32_t where =
                line + i / 2 % 2 * 8 + row_block * (at + query_multiple * round);
            found[count + __popc(those & before_lane)] =
                std::uint64_t{where} << 32U | __float_as_uint(sums[first + i]);
          }
          count += __popc(those);
        }
        if (count > found_most - 32 * products_per_round) end = first + products_per_round;
      }
      begin = end;
      if (count > found_most - 32 * products_per_round) {
        append<Weighted>(arguments, walk, found, count);
        count = 0;
      }
    }
  }
  append<Weighted>(arguments, walk, found, count);
}

#endif

/// Two teams per cluster, which share their queries.
template <bool Weighted>
struct ThresholdProducts {
  using view_type = Arch::TeamCluster<DeviceSpace>;
  static constexpr int threads_max = block_threads;
  static constexpr int teams_at_once = 1;
  static constexpr int architecture_min = 90;
  static constexpr unsigned cluster_teams = cluster_blocks;

  Arguments arguments;
  std::uint32_t clusters;

  __device__ void operator()([[maybe_unused]] const view_type& cluster,
                             [[maybe_unused]] std::byte* scratch) const {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    auto& shared = *reinterpret_cast<Shared*>(
        scratch +
        (alignof(Shared) - Group::shared_address(scratch) % alignof(Shared)) % alignof(Shared));
    const std::uint32_t thread = cluster.thread();
    const Walk walk{cluster.team(), static_cast<std::uint32_t>(cluster.index()), clusters};
    if (thread == 0) {
      for (std::uint32_t stage = 0; stage < stages; ++stage) {
        Group::init_barrier(&shared.full[stage], 1);
        Group::init_barrier(&shared.free[stage], cluster_blocks * multiplying / 32);
      }
      Group::fence_barriers();
    }
    cluster.team_barrier();
    cluster.barrier();
    if (thread < multiplying) {
      Group::take_registers<232>();
      multiply<Weighted>(arguments, walk, shared);
    } else {
      Group::give_registers<40>();
      if (thread == multiplying) bring(arguments, walk, shared);
    }
    // The other block may still write to this block's shared memory, or arrive at its barriers.
    cluster.barrier();
#endif
  }
};

template <bool Weighted>
void multiply_tiles(const DeviceSpace& exec_space, const Arguments& arguments) {
  const auto processors = static_cast<std::uint32_t>(Arch::multiprocessors(exec_space));
  const std::uint32_t clusters =
      std::clamp(arguments.tiles, 1U, std::max(1U, processors / cluster_blocks));
  Arch::launch(exec_space,
               {.label = "Kindred::Vector::threshold_products::multiply",
                .groups = clusters,
                .kind = Arch::GroupKind::cluster,
                .scratch_bytes = shared_bytes},
               ThresholdProducts<Weighted>{arguments, clusters});
}

}  // namespace

bool ThresholdGemm::is_usable() {
  // This source is compiled for sm_90a only.
  static Arch::OnEachDevice<bool> is_there;
  return is_there.here([](bool& here) {
    here = Arch::code_of_launch<ThresholdProducts<false>>(true).has_warpgroup_products();
  });
}

void ThresholdGemm::run(const DeviceSpace& exec_space,
                        const ThresholdTile<DeviceSpace>& tile) const {
  if (!is_usable())
    throw SpaceUnavailable("GEMM with a threshold epilogue: the device is not a Hopper GPU");
  const std::uint64_t queries = tile.lists.counts.size();
  if (queries == 0 || tile.first >= tile.last) return;
  Arguments arguments;
  arguments.tile = tile;
  arguments.chunks = static_cast<std::uint32_t>(tile.stride / TileLayout::block_length);
  arguments.first_block = static_cast<std::uint32_t>(tile.first / row_block);
  arguments.last_block = static_cast<std::uint32_t>(quotient_up(tile.last, row_block));
  arguments.units = static_cast<std::uint32_t>(quotient_up(queries, query_multiple));
  const std::uint32_t row_pairs =
      quotient_up(arguments.last_block - arguments.first_block, cluster_blocks);
  arguments.tiles = row_pairs * arguments.units;
  arguments.queries = static_cast<std::uint32_t>(queries);
  if (tile.weights != nullptr) return multiply_tiles<true>(exec_space, arguments);
  multiply_tiles<false>(exec_space, arguments);
}

#else

bool ThresholdGemm::is_usable() { return false; }

#if KINDRED_HAS_DEVICE
void ThresholdGemm::run(const DeviceSpace&, const ThresholdTile<DeviceSpace>&) const {
  throw SpaceUnavailable(
      "GEMM with a threshold epilogue: not compiled in, because this build is not for Hopper");
}
#endif

#endif

}  // namespace Kindred::Impl
