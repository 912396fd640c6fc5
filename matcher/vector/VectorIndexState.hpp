// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_VECTOR_INDEX_STATE_HPP
#define KINDRED_MATCHER_VECTOR_VECTOR_INDEX_STATE_HPP

#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>
#include <kindred/memory/WorkspaceCache.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "ArraySearch.hpp"
#include "ExactSearch.hpp"
#include "SearchPaths.hpp"
#include "VectorCall.hpp"
#include "VectorStore.hpp"

namespace Kindred {

struct KINDRED_HIDDEN VectorIndex::State {
  template <class... Rows>
  explicit State(Context& owner, const Rows&... rows) : context(owner), store(owner, rows...) {
    context.dispatcher().register_operations({Operations::search, Operations::search_quantized,
                                              Operations::search_gemm, Operations::score});
    publish();
  }

  /// Copies the numbers that must be readable at any time, also in callbacks and under locks that
  /// those take.
  void publish() noexcept {
    size = store.size();
    end_id = store.end_id();
    ++changes;
  }

  /// \brief The workload of \p call: \p items scored rows. \throws InvalidArgument and
  /// SpaceUnavailable for arrays on a device if the rows are not there
  Workload workload(const Impl::VectorCall& call, Operation operation, std::size_t items,
                    std::size_t transfer_bytes) const;
  /// The workload of a search with \p path.
  Workload search_workload(const Impl::VectorCall& call, SearchPath path,
                           std::size_t transfer_bytes = 0) const;
  /// \brief The path that is predicted to be fastest, or the requested one.
  /// \param kept results per query \throws InvalidArgument if the requested path is not available
  SearchPath path_of(const Impl::VectorCall& call, const SearchOptions& options,
                     std::size_t kept) const;
  /// \brief The seconds that building the quantized copy on \p space takes, minus those spent in
  /// searches without it: the copy is built once such searches have cost as much.
  double quantization_debt(Space space) const;
  void observe(const DispatchRecord& record);

  double elements() const { return static_cast<double>(store.size() * store.dimension()); }
  /// Whether a device streams rows from the host.
  bool streams() const { return store.residency() == Residency::automatic && !store.on_device(); }

  /// On the space that the dispatcher chooses or the caller requests, calls `start()`, then
  /// `body(exec_space, search, begin, length)` for blocks of the queries, each of at most
  /// `block(search)`. If memory runs out, it uses smaller blocks and fewer rows. \param path of a
  /// search; none for candidates \param report counts of `body`; those of an attempt that ran out
  /// of memory are discarded
  template <class Block, class Start, class Body>
  DispatchRecord run(const Impl::VectorCall& call, const Workload& workload,
                     std::optional<SearchPath> path, const Block& block, const Start& start,
                     SearchReport& report, const Body& body);
  /// Calls `body(exec_space, search)` for a call on arrays that lie on the device.
  template <class Body>
  DispatchRecord queue(const Impl::VectorCall& call, const Workload& workload, const Body& body);
  /// Calls `body(search)` with the workspace of calls on arrays on a device. \throws as
  /// `WorkspaceCache::lend`
  template <class ExecutionSpace, class Body>
  void lend_arrays([[maybe_unused]] const ExecutionSpace& exec_space,
                   [[maybe_unused]] const Body& body) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      using search_type = Impl::ArraySearch<ExecutionSpace>;
      array_searches.of<ExecutionSpace>(1).lend(
          [&] { return std::make_unique<search_type>(context.memory(Space::cuda)); }, exec_space,
          "Kindred::VectorIndex::arrays", 0,
          [&](search_type& search) {
            search.begin(changes);
            body(search);
          });
    }
  }

  Context& context;
  mutable CallHistory history;
  Impl::VectorStore store;
  mutable Impl::SharedMutex mutex;  ///< protects the store
  std::atomic<std::size_t> size{0};
  std::atomic<std::uint64_t> end_id{0};
  std::atomic<std::uint64_t> changes{0};
  std::atomic<double> seconds_without_copy{0.0};  ///< of searches without quantized copies
  std::array<Impl::PathTries, space_count> quantized_tries;
  Impl::WorkspaceCaches<Impl::ExactSearch> searches;
  /// Of calls on arrays on a device. Destroyed first: waits for its calls.
  Impl::WorkspaceCaches<Impl::ArraySearch> array_searches;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_VECTOR_INDEX_STATE_HPP
