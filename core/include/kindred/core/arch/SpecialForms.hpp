// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SPECIAL_FORMS_HPP
#define KINDRED_CORE_ARCH_SPECIAL_FORMS_HPP

/// \file
/// The list of special forms: second bodies of kernels, faster on some machines than the portable
/// one, with the same bits. `kindred-perf special` measures them, and tests/layout compares the
/// list with the folders `special/` and with docs/internals/kernels.md. \see Special.hpp

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace Kindred::Special {

/// What a form needs.
enum class Machine : std::uint8_t {
  host,
  narrow_lookups,
  byte_lookups,
  byte_lookups_of_64,
  byte_products,
  bfloat16,
  device,
  clusters,
};

constexpr const char* text_of(Machine machine) {
  switch (machine) {
    case Machine::host:
      return "hosts";
    case Machine::narrow_lookups:
      return "AVX2";
    case Machine::byte_lookups:
      return "AVX-512 VBMI, BITALG, GFNI; NEON";
    case Machine::byte_lookups_of_64:
      return "AVX-512 VBMI, BITALG, GFNI";
    case Machine::byte_products:
      return "AVX-512 VNNI; NEON with dot products";
    case Machine::bfloat16:
      return "AVX-512 BF16";
    case Machine::device:
      return "CUDA";
    case Machine::clusters:
      return "CUDA from Hopper on";
  }
  return "";
}

enum class Form : std::uint8_t {
  byte_columns,
  edit_columns,
  jaro_winkler_columns,
  common_end_columns,
  lane_values,
  short_values,
  run_levels,
  warp_pack,
  byte_products,
  warp_int8_dots,
  candidate_chunks,
  buffer_top_k,
  row_streams,
  warp_row_sums,
  propagation_blocking,
  small_frontier,
  lattice_lines,
  bfloat16_lines,
  staged_norm_rows,
  seed_forward_team,
  seed_backward_team,
  seed_update_team,
  seed_updates_by_one,
};

/// What is known about a form.
struct Record {
  Form form;
  const char* name;  ///< what KINDRED_WITHOUT calls it
  const char* file;  ///< below core/include/kindred/core
  Machine machine;
  const char* row;   ///< of `kindred-perf rows`
  double gain;       ///< time of the portable body over that of the form; 0: not yet measured
  const char* date;  ///< of the measurement, and the processor
  /// Why the portable body is not compiled where this form is; null if it is, so that the form can
  /// be switched off.
  const char* alone = nullptr;
};

inline constexpr const char* thread_per_item =
    "a warp shares what is a thread's work in the other body";

inline constexpr Record records[] = {
    {Form::byte_columns, "ByteColumns", "sequence/special/ByteColumns.hpp",
     Machine::byte_lookups_of_64, "peers/lcs-200", 2.8, "2026-11-30, Zen 4"},
    {Form::edit_columns, "EditColumns", "sequence/special/EditColumns.hpp", Machine::byte_lookups,
     "peers/levenshtein-20-64", 5.5, "2026-11-30, Zen 4"},
    {Form::jaro_winkler_columns, "JaroWinklerColumns", "sequence/special/JaroWinklerColumns.hpp",
     Machine::byte_lookups, "peers/jaro-winkler-20-64", 7.9, "2026-11-30, Zen 4"},
    {Form::common_end_columns, "CommonEndColumns", "sequence/special/CommonEndColumns.hpp",
     Machine::byte_lookups_of_64, "peers/prefix-20", 2.4, "2026-11-30, Zen 4"},
    {Form::lane_values, "LaneValues", "sequence/special/LaneValues.hpp", Machine::host,
     "peers/matrix-levenshtein-8", 2.1, "2026-11-30, Zen 4"},
    {Form::short_values, "ShortValues", "sequence/special/ShortValues.hpp", Machine::narrow_lookups,
     "peers/matrix-levenshtein-8-4", 4.3, "2026-11-30, Zen 4"},
    {Form::run_levels, "RunLevels", "sequence/special/RunLevels.hpp", Machine::host,
     "peers/difflib-none", 7.8, "2026-11-30, Zen 4"},
    {Form::warp_pack, "WarpPack", "sequence/special/WarpPack.hpp", Machine::device, "lcs-4096", 0,
     "", thread_per_item},
    {Form::byte_products, "ByteProducts", "arch/simd/Int8Dot.hpp", Machine::byte_products,
     "peers/search-1", 2.0, "2026-11-30, Zen 4"},
    {Form::warp_int8_dots, "WarpInt8Dots", "vector/special/WarpInt8Dots.hpp", Machine::device,
     "search-1", 0, "", thread_per_item},
    {Form::candidate_chunks, "CandidateChunks", "vector/special/CandidateChunks.hpp", Machine::host,
     "peers/score-1024", 1.4, "2026-11-29, Zen 3"},
    {Form::buffer_top_k, "BufferTopK", "select/special/BufferTopK.hpp", Machine::host,
     "peers/prefix-20", 7.3, "2026-11-30, Zen 4"},
    {Form::row_streams, "RowStreams", "graph/special/RowStreams.hpp", Machine::device, "hop-32q",
     1.4, "2026-11-21, H200", "both would double the time that nvcc takes for the hops"},
    {Form::warp_row_sums, "WarpRowSums", "graph/special/WarpRowSums.hpp", Machine::device,
     "hop-100m", 0, "", thread_per_item},
    {Form::propagation_blocking, "PropagationBlocking", "graph/special/PropagationBlocking.hpp",
     Machine::device, "hop-100m", 1.9, "2026-11-30, H200"},
    {Form::small_frontier, "SmallFrontier", "graph/special/SmallFrontier.hpp", Machine::clusters,
     "spread-1k", 1.4, "2026-11-30, H200"},
    {Form::lattice_lines, "LatticeLines", "lattice/special/LatticeLines.hpp", Machine::host,
     "peers/lattice-build", 6.4, "2026-11-30, Zen 4"},
    {Form::bfloat16_lines, "Bfloat16Lines", "arch/simd/CacheLines.hpp", Machine::bfloat16,
     "norm-4k-bf16", 1.3, "2026-11-30, Zen 4"},
    {Form::staged_norm_rows, "StagedNormRows", "layers/special/StagedNormRows.hpp", Machine::device,
     "norm-4k-bf16", 0, "", thread_per_item},
    {Form::seed_forward_team, "SeedForwardTeam", "seed/special/SeedForwardTeam.hpp",
     Machine::device, "seed-4096", 0, "", thread_per_item},
    {Form::seed_backward_team, "SeedBackwardTeam", "seed/special/SeedBackwardTeam.hpp",
     Machine::device, "seed-backward", 0, "", thread_per_item},
    {Form::seed_update_team, "SeedUpdateTeam", "seed/special/SeedUpdateTeam.hpp", Machine::device,
     "seed-update", 2.3, "2026-11-30, H200"},
    {Form::seed_updates_by_one, "SeedUpdatesByOne", "seed/special/SeedUpdatesByOne.hpp",
     Machine::host, "peers/seed-update", 2.9, "2026-11-30, Zen 4"},
};

constexpr const Record& record_of(Form form) { return records[static_cast<std::size_t>(form)]; }

/// \brief The forms that are switched off in this process, one bit each. At first those that the
/// environment variable KINDRED_WITHOUT names, separated by commas; `all` means all that can be.
extern std::atomic<std::uint32_t> switched_off;

inline bool is_switched_off(Form form) {
  return (switched_off.load(std::memory_order_relaxed) >> static_cast<unsigned>(form) & 1U) != 0;
}

/// Whether this build contains \p form, and the host has its instructions.
bool is_available(Form form);

/// The value of KINDRED_WITHOUT, or null.
const char* without_text() noexcept;

/// \brief Why a process cannot follow KINDRED_WITHOUT; empty if it can. \param text its value, or
/// null
std::string problem_of_without(const char* text);

/// \brief Switches a form off while it exists, for tests and measurements. No other thread may
/// start kernels when it begins or ends.
class Without {
 public:
  explicit Without(Form form)
      : m_before(switched_off.fetch_or(1U << static_cast<unsigned>(form))) {}
  ~Without() { switched_off = m_before; }
  Without(const Without&) = delete;
  Without& operator=(const Without&) = delete;

 private:
  std::uint32_t m_before;
};

}  // namespace Kindred::Special

#endif  // KINDRED_CORE_ARCH_SPECIAL_FORMS_HPP
