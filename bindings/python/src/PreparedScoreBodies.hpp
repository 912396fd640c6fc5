// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_PREPARED_SCORE_BODIES_HPP
#define KINDRED_PYTHON_PREPARED_SCORE_BODIES_HPP

#include <kindred/core/common/Mutex.hpp>
#include <kindred/matcher/PreparedScore.hpp>

#include <mutex>

// What is special of PreparedScore.
namespace Kindred::Python::PreparedScores {

namespace {

/// A prepared call with the index that it needs. Calls of several threads run one after the other.
struct Shared {
  Shared(std::shared_ptr<Vectors::Shared> of, std::size_t longest, const SearchOptions& options)
      : index(std::move(of)),
        dimension(index->index.dimension()),
        top(static_cast<std::int64_t>(options.top)),
        empty_score(padding_score(options.metric)),
        scorer(index->index, longest, options) {}

  std::shared_ptr<Vectors::Shared> index;
  std::size_t dimension;
  std::int64_t top;
  float empty_score;
  Impl::Mutex mutex;
  PreparedScore scorer;
};
using Handle = EngineHandle<Shared>;

Handle create(nb::handle index, nb::handle longest, nb::handle top, nb::handle filter,
              nb::handle metric, nb::handle space) {
  const Vectors::Handle* handle = nullptr;
  if (!nb::try_cast(index, handle) || handle == nullptr)
    refuse_type("index is of type " + type_text(index) + "; it must be a pykindred.VectorIndex");
  const std::shared_ptr<Vectors::Shared> shared = handle->open();
  GivenSearchOptions given(nb::handle(), filter, metric, space, nb::handle());
  SearchOptions& options = given.options;
  const auto count = static_cast<std::size_t>(integer_of(longest, "longest", 1));
  // By default, all candidates.
  options.top = top.is_none() ? count : static_cast<std::size_t>(integer_of(top, "top", 1));
  Handle made("PreparedScore", make_unlocked<Shared>(shared, count, options));
  made.keep(callbacks_of(*shared->context));
  return made;
}

/// The numbers of candidates, of int64 or uint64. \throws InvalidArgument for negative ones
std::span<const std::uint64_t> candidates_of(const Input& given) {
  given.require_type({DataType::int64, DataType::uint64});
  given.require_rank(1, 1);
  const std::span<const std::byte> bytes = given.host_bytes();
  const std::span<const std::uint64_t> ids(reinterpret_cast<const std::uint64_t*>(bytes.data()),
                                           bytes.size() / sizeof(std::uint64_t));
  if (given.type() == DataType::int64) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
    std::uint64_t all = 0;
    for (const std::uint64_t id : ids) all |= id;
    if ((all & sign) != 0)
      refuse("candidates is " + given.text() + " and has a negative number; ids are at least 0");
  }
  return ids;
}

nb::object score(const Handle& self, nb::handle query, nb::handle candidates, nb::handle out) {
  const std::shared_ptr<Shared> shared = self.open();
  const HostQueries given(query, shared->dimension, "query", 1, 1);
  const Input lists(candidates, "candidates", nullptr, Copying::if_needed, Layout::dense);
  const std::span<const std::uint64_t> ids = candidates_of(lists);
  const RankedOutputs to(*shared->index->context, query, given.input(), out, shared->top);
  if (!out.is_none()) to.require_on_host({&shared->top, 1});
  const std::span<float> best_scores = to.scores();
  const std::span<std::int64_t> best_ids = to.ids();
  unlocked([&] {
    const std::lock_guard lock(shared->mutex);
    const std::span<const ScoredId> found = shared->scorer.score(given.values(), ids);
    for (std::size_t i = 0; i < found.size(); ++i) {
      best_scores[i] = found[i].score;
      best_ids[i] = found[i].id;
    }
    std::fill(best_scores.begin() + static_cast<std::ptrdiff_t>(found.size()), best_scores.end(),
              shared->empty_score);
    std::fill(best_ids.begin() + static_cast<std::ptrdiff_t>(found.size()), best_ids.end(), -1);
  });
  return to.made();
}

std::int64_t top(const Handle& self) { return self.open()->top; }

}  // namespace

}  // namespace Kindred::Python::PreparedScores

#endif  // KINDRED_PYTHON_PREPARED_SCORE_BODIES_HPP
