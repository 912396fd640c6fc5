// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/arch/launch/SpaceProof.hpp>
#include <kindred/core/common/Error.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace Kindred::Arch {

namespace Impl {

// More elements than a block of a device has threads, and no power of two.
inline constexpr std::uint32_t proof_rows = 37;
inline constexpr std::uint32_t proof_columns = 61;
inline constexpr std::uint32_t proof_teams = 8;
inline constexpr std::uint32_t proof_team_words = 64;
/// The element that a fault concerns.
inline constexpr std::uint32_t proof_fault_at = 1000;

KOKKOS_INLINE_FUNCTION std::uint32_t proof_value(std::uint32_t index) { return 3 * index + 1; }
/// The word \p i of team \p team, which its scratch holds.
KOKKOS_INLINE_FUNCTION std::uint32_t proof_word(std::uint32_t team, std::uint32_t i) {
  return (team + 1) * 1000 + 7 * i;
}

/// Of the types of managed Views: their layout depends on more than that of unmanaged ones.
template <class ExecutionSpace>
class ProofResults {
  // On the host this object owns the elements. Kokkos allocates where it frees those of a View, and
  // ends the process if that fails.
  std::vector<std::vector<std::byte>> m_on_host;

 public:
  Kokkos::View<std::uint32_t**, ExecutionSpace> stored;
  Kokkos::View<std::uint64_t*, ExecutionSpace> sums;
  Kokkos::View<std::uint32_t**, ExecutionSpace> reversed;

  explicit ProofResults(const ExecutionSpace& exec_space) {
    make(exec_space, stored, "Kindred::SpaceProof::stored", proof_rows, proof_columns);
    make(exec_space, sums, "Kindred::SpaceProof::sums", 2);
    make(exec_space, reversed, "Kindred::SpaceProof::reversed", proof_teams, proof_team_words);
  }

 private:
  template <class View>
  void make(const ExecutionSpace& exec_space, View& view, const char* label, auto... extents) {
    if constexpr (is_device<ExecutionSpace>) {
      view = View(Kokkos::view_alloc(exec_space, Kokkos::WithoutInitializing, std::string(label)),
                  extents...);
    } else {
      m_on_host.emplace_back(View::required_allocation_size(extents...));
      view =
          View(reinterpret_cast<typename View::pointer_type>(m_on_host.back().data()), extents...);
    }
  }
};

template <class ExecutionSpace>
struct StoreAndAdd {
  Kokkos::View<std::uint32_t**, ExecutionSpace> stored;
  Kokkos::View<std::uint64_t*, ExecutionSpace> sums;
  ProofFault fault;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t index) const {
    const bool is_faulty = index == proof_fault_at;
    if (is_faulty && fault == ProofFault::illegal_access) {
      KOKKOS_IF_ON_DEVICE((*reinterpret_cast<volatile std::uint32_t*>(std::uintptr_t{8}) = index;))
    }
    if (!(is_faulty && fault == ProofFault::lost_store))
      stored(index / proof_columns, index % proof_columns) = proof_value(index);
    if (!(is_faulty && fault == ProofFault::lost_add)) {
      Kokkos::atomic_add(&sums(0), std::uint64_t{index} << 20U);
      Kokkos::atomic_add(&sums(1), std::uint64_t{1});
    }
  }
};

template <class ExecutionSpace>
struct ReverseInScratch {
  using words_type = Kokkos::View<std::uint32_t*, typename ExecutionSpace::scratch_memory_space,
                                  Kokkos::MemoryTraits<static_cast<unsigned>(Kokkos::Unmanaged)>>;
  Kokkos::View<std::uint32_t**, ExecutionSpace> reversed;
  ProofFault fault;

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const words_type words(member.team_scratch(0), proof_team_words);
    const auto team = static_cast<std::uint32_t>(member.league_rank());
    const auto rank = static_cast<std::uint32_t>(member.team_rank());
    const auto threads = static_cast<std::uint32_t>(member.team_size());
    for (std::uint32_t i = rank; i < proof_team_words; i += threads) words(i) = proof_word(team, i);
    member.team_barrier();
    for (std::uint32_t i = rank; i < proof_team_words; i += threads)
      reversed(team, i) = words(proof_team_words - 1 - i);
    if (rank == 0 && fault == ProofFault::wrong_scratch) reversed(team, 0) = 0;
  }
};

inline std::string proof_text(const char* what, std::uint64_t index, std::uint64_t found,
                              std::uint64_t expected) {
  return std::string(what) + ": element " + std::to_string(index) + " is " + std::to_string(found) +
         " and must be " + std::to_string(expected);
}

/// Room for a copy of a View on the host. Kokkos' own mirrors wait for all devices when they are
/// freed, and would abort if one is lost.
template <class View>
class HostCopy {
 public:
  explicit HostCopy(const View& from)
      : m_values(from.span()), view(m_values.data(), from.layout()) {}

 private:
  std::vector<typename View::non_const_value_type> m_values;

 public:
  const Kokkos::View<typename View::data_type, typename View::array_layout, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<static_cast<unsigned>(Kokkos::Unmanaged)>>
      view;
};

template <class ExecutionSpace>
std::string compare(const ExecutionSpace& exec_space, const ProofResults<ExecutionSpace>& results) {
  const HostCopy stored_copy(results.stored);
  const HostCopy sums_copy(results.sums);
  const HostCopy reversed_copy(results.reversed);
  const auto& stored = stored_copy.view;
  const auto& sums = sums_copy.view;
  const auto& reversed = reversed_copy.view;
  Kokkos::deep_copy(exec_space, stored, results.stored);
  Kokkos::deep_copy(exec_space, sums, results.sums);
  Kokkos::deep_copy(exec_space, reversed, results.reversed);
  fence(exec_space, "Kindred::SpaceProof::compare");
  std::uint64_t sum = 0;
  for (std::uint32_t index = 0; index < proof_rows * proof_columns; ++index) {
    const std::uint32_t found = stored(index / proof_columns, index % proof_columns);
    if (found != proof_value(index))
      return proof_text("a store through a View was lost", index, found, proof_value(index));
    sum += std::uint64_t{index} << 20U;
  }
  const std::array<std::uint64_t, 2> expected{sum, proof_rows * proof_columns};
  for (std::uint32_t i = 0; i < expected.size(); ++i) {
    if (sums(i) != expected[i])
      return proof_text("an atomic addition was lost", i, sums(i), expected[i]);
  }
  for (std::uint32_t team = 0; team < proof_teams; ++team) {
    for (std::uint32_t i = 0; i < proof_team_words; ++i) {
      const std::uint32_t word = proof_word(team, proof_team_words - 1 - i);
      if (reversed(team, i) != word)
        return proof_text("the scratch of a team is wrong", i, reversed(team, i), word);
    }
  }
  return {};
}

}  // namespace Impl

std::optional<ProofFault> proof_fault(std::string_view name) noexcept {
  constexpr std::array<std::pair<std::string_view, ProofFault>, 4> names{
      {{"lost-store", ProofFault::lost_store},
       {"lost-add", ProofFault::lost_add},
       {"wrong-scratch", ProofFault::wrong_scratch},
       {"illegal-access", ProofFault::illegal_access}}};
  for (const auto& [known, fault] : names) {
    if (known == name) return fault;
  }
  return {};
}

template <class ExecutionSpace>
std::string why_results_are_wrong(const ExecutionSpace& exec_space, ProofFault fault) {
  // On the host the access would end the process.
  if (fault == ProofFault::illegal_access && !is_device<ExecutionSpace>)
    throw DeviceLost("made to fail");
  using results_type = Impl::ProofResults<ExecutionSpace>;
  // Kokkos waits for all devices before it frees memory, also of the host, and aborts if one is
  // lost.
  const auto release = [](results_type* results) {
    if (!KINDRED_HAS_DEVICE || !device_is_lost()) delete results;
  };
  const std::unique_ptr<results_type, decltype(release)> results(new results_type(exec_space),
                                                                 release);
  // Everything that runs on a device is followed by a fence that throws: the next call of Kokkos
  // would abort.
  const auto clear = [&](const auto& view) {
    Kokkos::deep_copy(exec_space, view, 0U);
    fence(exec_space, "Kindred::SpaceProof::clear");
  };
  clear(results->stored);
  clear(results->sums);
  clear(results->reversed);
  Kokkos::parallel_for("Kindred::SpaceProof::store_and_add",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>(
                           exec_space, 0, Impl::proof_rows * Impl::proof_columns),
                       Impl::StoreAndAdd<ExecutionSpace>{results->stored, results->sums, fault});
  fence(exec_space, "Kindred::SpaceProof::store_and_add");
  using scratch_type = typename Impl::ReverseInScratch<ExecutionSpace>::words_type;
  Kokkos::TeamPolicy<ExecutionSpace> teams(exec_space, league_size(Impl::proof_teams),
                                           Kokkos::AUTO);
  teams.set_scratch_size(0, Kokkos::PerTeam(scratch_type::shmem_size(Impl::proof_team_words)));
  Kokkos::parallel_for("Kindred::SpaceProof::reverse_in_scratch", teams,
                       Impl::ReverseInScratch<ExecutionSpace>{results->reversed, fault});
  fence(exec_space, "Kindred::SpaceProof::reverse_in_scratch");
  return Impl::compare(exec_space, *results);
}

KINDRED_INSTANTIATE_FOR_SPACES(why_results_are_wrong);

}  // namespace Kindred::Arch
