// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_HNSW_INDEX_BODIES_HPP
#define KINDRED_PYTHON_HNSW_INDEX_BODIES_HPP

#include <kindred/core/common/SharedMutex.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <utility>

// What is special of HnswIndex.
namespace Kindred::Python::Graphs {

namespace {

/// An index with the context that it needs. Calls that change it must not run concurrently with
/// others.
struct Shared {
  Shared(SharedContext owner, HnswIndex made) : context(std::move(owner)), hnsw(std::move(made)) {
    publish();
  }
  /// Copies the numbers that `len` and `repr` read, also in callbacks.
  void publish() noexcept {
    size = hnsw.size();
    end_id = hnsw.end_id();
  }

  SharedContext context;
  HnswIndex hnsw;
  mutable Impl::SharedMutex mutex;
  std::atomic<std::size_t> size{0};
  std::atomic<std::uint64_t> end_id{0};
};
using Handle = EngineHandle<Shared>;

/// Runs a call that reads the index, without the GIL.
template <class Call>
auto reading(const Shared& shared, const Call& call) {
  return unlocked([&] {
    const auto lock = Impl::cancellable_shared_lock(shared.mutex);
    return call();
  });
}
template <class Call>
auto changing(Shared& shared, const Call& call) {
  return unlocked([&] {
    const auto lock = Impl::cancellable_lock(shared.mutex);
    struct Publish {
      Shared& shared;
      ~Publish() { shared.publish(); }
    } const publish{shared};
    return call();
  });
}

Handle create(nb::handle rows, nb::handle m, nb::handle ef_construction, nb::handle seed,
              nb::handle metric, nb::handle traversal, nb::handle progress,
              nb::handle context_given) {
  const HnswSettings settings =
      GivenHnswSettings(m, ef_construction, seed, metric, traversal).options;
  const SharedContext context = context_of(context_given);
  const Input given(rows, "rows", nullptr, Copying::if_needed, Layout::dense);
  given.require_rank(2, 2);
  const std::span<const float> values = given.host_values<float>();
  std::function<void(std::uint64_t)> report;
  if (!progress.is_none() && PyCallable_Check(progress.ptr()) == 0)
    refuse_type("progress is of type " + type_text(progress) + "; it must be callable");
  std::uint64_t reported = 0;
  if (!progress.is_none())
    report = [&](std::uint64_t count) {  // called by this thread
      if (const Locked locked; locked) progress(count - std::exchange(reported, count));
    };
  const auto dimension = static_cast<std::size_t>(given.extent(1));
  return {"index", shared_of<Shared>(context, [&] {
            return HnswIndex::build(*context, values, dimension, settings, report);
          })};
}

std::size_t size(const Handle& self) { return self.open()->size.load(); }
std::uint64_t end_id(const Handle& self) { return self.open()->end_id.load(); }
std::string metric(const Handle& self) {
  return std::string(to_string(self.open()->hnsw.settings().metric));
}

nb::dict statistics(const Handle& self) {
  const std::shared_ptr<Shared> shared = self.open();
  const HnswStatistics found = reading(*shared, [&] { return shared->hnsw.statistics(); });
  nb::dict out;
  out["rows"] = found.rows;
  out["dimension"] = found.dimension;
  out["metric"] = std::string(to_string(found.settings.metric));
  out["m"] = found.settings.m;
  out["ef_construction"] = found.settings.ef_construction;
  out["seed"] = found.settings.seed;
  out["traversal"] = std::string(to_string(found.settings.traversal));
  out["end_id"] = found.end_id;
  out["removed"] = found.removed;
  out["levels"] = found.levels;
  out["links"] = found.links;
  out["unreachable"] = found.unreachable;
  out["bytes"] = found.bytes;
  return out;
}

nb::object search(const Handle& self, nb::handle queries, nb::handle top, nb::handle ef,
                  nb::handle filter, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  GivenHnswSearchOptions options_given(top, ef, filter, space);
  const HnswSearchOptions& options = options_given.options;
  const auto count = static_cast<std::int64_t>(options.top);
  const HostQueries given(queries, shared->hnsw.dimension());
  check_free_memory(*shared->context,
                    static_cast<double>(given.count()) * static_cast<double>(count) * 12);
  const HnswResults found =
      reading(*shared, [&] { return shared->hnsw.search(given.values(), options); });
  keep_record(found.record);
  const auto output = [&](DataType type) {
    return given.is_one() ? empty_array(type, {count}) : empty_array(type, {given.count(), count});
  };
  nb::object scores = output(DataType::float32);
  nb::object ids = output(DataType::int64);
  const Output scores_out(scores, "scores");
  const Output ids_out(ids, "ids");
  auto* const score = static_cast<float*>(scores_out.array().data());
  auto* const id = static_cast<std::int64_t*>(ids_out.array().data());
  for (std::size_t query = 0; query < static_cast<std::size_t>(given.count()); ++query) {
    std::copy_n(found.scores.data() + query * found.top, found.top, score + query * options.top);
    std::copy_n(found.ids.data() + query * found.top, found.top, id + query * options.top);
    std::fill_n(score + query * options.top + found.top, options.top - found.top,
                padding_score(shared->hnsw.settings().metric));
    std::fill_n(id + query * options.top + found.top, options.top - found.top, std::int64_t{-1});
  }
  return nb::make_tuple(scores, ids);
}

}  // namespace

}  // namespace Kindred::Python::Graphs

#endif  // KINDRED_PYTHON_HNSW_INDEX_BODIES_HPP
