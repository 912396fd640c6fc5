// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_VECTOR_INDEX_STATE_HPP
#define KINDRED_MATCHER_VECTOR_VECTOR_INDEX_STATE_HPP

#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/SharedSnapshot.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>
#include <kindred/memory/WorkspaceCache.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "ArraySearch.hpp"
#include "ExactSearch.hpp"
#include "SearchPaths.hpp"
#include "VectorCall.hpp"
#include "VectorStore.hpp"

namespace Kindred {

struct KINDRED_HIDDEN VectorIndex::State {
  /// What a call works on, from its checks to its results, while others change the rows.
  using Rows = std::shared_ptr<const Impl::VectorStore>;

  template <class... Given>
  explicit State(Context& owner, const Given&... given)
      : State(owner, std::make_shared<const Impl::VectorStore>(owner, given...)) {}
  State(Context& owner, const Rows& first)
      : context(owner),
        dimension(first->dimension()),
        element(first->element()),
        rows(first),
        size(first->size()),
        end_id(first->end_id()) {
    context.dispatcher().register_operations({Operations::search, Operations::search_quantized,
                                              Operations::search_gemm, Operations::score});
  }

  /// Replaces the rows. Called by one change at a time.
  void publish(Rows next) noexcept {
    ++changes;  // odd until the numbers are those of the rows
    size = next->size();
    end_id = next->end_id();
    rows.set(std::move(next));
    ++changes;
  }
  /// \brief Publishes `change(rows)`, while nobody else changes them, and returns the first id that
  /// was not assigned before. \throws Cancelled, and what \p change throws
  template <class Change>
  std::uint64_t change(const Change& change) {
    const auto lock = Impl::engine_lock(changing);
    const Rows before = rows.get();
    publish(std::make_shared<const Impl::VectorStore>(change(*before)));
    return before->end_id();
  }

  SearchResults search(const Rows& of, const ConstArray& queries, const SearchOptions& options,
                       const SearchOutput& out);
  ScoreResults search_at_least(const Rows& of, const ConstArray& queries, float score,
                               const SearchOptions& options);
  ScoreResults score(const Rows& of, const ConstArray& queries, const CandidateLists& candidates,
                     const SearchOptions& options, const SearchOutput& out);
  DispatchRecord score_all(const Rows& of, const ConstArray& queries, const Array& out,
                           const ScoreOptions& options);

  Context& context;
  const std::size_t dimension;
  const DataType element;
  Impl::SharedSnapshot<Impl::VectorStore> rows;
  Impl::TimedMutex changing;  ///< held by a change
  std::atomic<std::size_t> size{0};
  std::atomic<std::uint64_t> end_id{0};
  std::atomic<std::uint64_t> changes{0};

 private:
  /// \brief The workload of \p call: \p items scored rows. \throws InvalidArgument and
  /// SpaceUnavailable for arrays on a device if the rows are not there
  Workload workload(const Impl::VectorStore& store, const Impl::VectorCall& call,
                    Operation operation, std::size_t items, std::size_t transfer_bytes) const;
  /// The workload of a search with \p path.
  Workload search_workload(const Impl::VectorStore& store, const Impl::VectorCall& call,
                           SearchPath path, std::size_t transfer_bytes = 0) const;
  /// \brief The path that is predicted to be fastest, or the requested one.
  /// \param kept results per query \throws InvalidArgument if the requested path is not available
  SearchPath path_of(const Impl::VectorStore& store, const Impl::VectorCall& call,
                     const SearchOptions& options, std::size_t kept) const;
  /// \brief The seconds that building the missing quantized copies on \p space takes, minus those
  /// spent in searches without them: they are built once such searches have cost as much.
  double quantization_debt(const Impl::VectorStore& store, Space space) const;
  void observe(const Impl::VectorStore& store, const DispatchRecord& record);

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

  mutable CallHistory history;
  std::atomic<double> seconds_without_copy{0.0};  ///< of searches without quantized copies
  std::array<Impl::PathTries, space_count> quantized_tries;
  Impl::WorkspaceCaches<Impl::ExactSearch> searches;
  /// Of calls on arrays on a device. Destroyed first: waits for its calls.
  Impl::WorkspaceCaches<Impl::ArraySearch> array_searches;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_INDEX_STATE_HPP
