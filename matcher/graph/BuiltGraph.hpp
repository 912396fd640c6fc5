// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_BUILT_GRAPH_HPP
#define KINDRED_MATCHER_GRAPH_BUILT_GRAPH_HPP

#include "OwnedRows.hpp"
#include "RebuiltRows.hpp"
#include "SpreadCost.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/matcher/GraphOptions.hpp>
#include <kindred/matcher/GraphSpan.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace Kindred::Impl {

/// The rows of both directions of one memory space.
template <class MemorySpace>
struct BothRows {
  OwnedRows<MemorySpace> in;
  OwnedRows<MemorySpace> out;

  std::uint64_t bytes() const { return in.bytes() + out.bytes(); }
};

/// The rows of a list of edges, which is valid, without plans. \throws OutOfMemory
BothRows<Kokkos::HostSpace> built_rows(Context& context, const GraphSpan& graph, EdgeForm form);

/// \brief A graph as it was built or merged, in all memory spaces. Immutable.
class BuiltGraph {
 public:
  /// \param host rows; those without plans get one \param owner of their memory, if they are
  /// borrowed
  /// \throws SpaceUnavailable, OutOfMemory
  BuiltGraph(Context& context, BothRows<Kokkos::HostSpace> host, EdgeForm form, Residency residency,
             std::shared_ptr<const void> owner);

  std::size_t nodes() const noexcept { return m_host.in.offsets.size() - 1; }
  std::size_t edges() const noexcept { return m_host.in.sources.size(); }
  EdgeForm form() const noexcept { return m_form; }
  /// The spaces on which calls may run.
  SpaceSet resident() const noexcept { return m_resident; }
  const BothRows<Kokkos::HostSpace>& host() const noexcept { return m_host; }
  /// Statistics for predicting the cost of calls.
  const GraphSample& sample() const noexcept { return m_sample; }
  std::uint64_t device_bytes() const noexcept { return m_device_bytes; }

  /// The rows in the memory of \p ExecutionSpace, which must be in `resident()`.
  template <class ExecutionSpace>
  const BothRows<typename ExecutionSpace::memory_space>& rows() const {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      return *m_devices.get<ExecutionSpace>().rows;
    } else {
      return m_host;
    }
  }

 private:
  template <class ExecutionSpace>
  struct Side {
    std::optional<BothRows<typename ExecutionSpace::memory_space>> rows;
  };

  void place(Residency residency);

  Context* m_context;
  EdgeForm m_form;
  std::shared_ptr<const void> m_owner;
  BothRows<Kokkos::HostSpace> m_host;
  Arch::PerSpace<Side> m_devices;  // the slot of the host stays empty
  GraphSample m_sample;
  std::uint64_t m_device_bytes = 0;
  SpaceSet m_resident = SpaceSet::host();
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_BUILT_GRAPH_HPP
