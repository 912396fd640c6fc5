// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/KeyedVectorIndex.hpp>

#include "StoredKeys.hpp"
#include "storage/SectionFile.hpp"
#include "vector/VectorIndexParts.hpp"
#include "vector/VectorSections.hpp"

#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <atomic>
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

namespace Kindred {

namespace {

/// Copies of rows.
class RowCopies {
 public:
  RowCopies(VectorElement element, std::size_t dimension)
      : m_element(element), m_dimension(dimension) {}

  void add(std::span<const std::byte> values, std::span<const float> scale) {
    m_values.insert(m_values.end(), values.begin(), values.end());
    m_scales.insert(m_scales.end(), scale.begin(), scale.end());
  }
  void add(const VectorSpan& row) { add(row.values, row.scales); }
  VectorSpan span() const { return {m_element, m_values, m_dimension, m_scales}; }

 private:
  VectorElement m_element;
  std::size_t m_dimension;
  std::vector<std::byte> m_values;
  std::vector<float> m_scales;
};

/// Calls \p step, whose failure cannot be handled.
template <class Step>
void try_to(const Step& step) noexcept {
  try {
    step();
  } catch (const std::exception&) {
    // The exception that is handled already says more.
  }
}

}  // namespace

struct KINDRED_HIDDEN KeyedVectorIndex::State {
  State(VectorIndex given, Impl::KeyStore keys)
      : index(std::move(given)), store(std::move(keys)), size(store.size()) {}

  /// At the end of a change, the number of keys becomes readable without the lock.
  struct Publish {
    State& state;
    ~Publish() { state.size = state.store.size(); }
  };

  /// Writes the keys after the rows.
  auto key_sections() const {
    return [this](Impl::SectionWriter& writer) {
      Impl::write_keys(writer, store, Impl::slots_by_id(store));
    };
  }

  template <class Ids, class Id>
  KeyList keys_of(const Ids& ids, const Id& id_of) const {
    KeyList keys;
    keys.kind = store.kind();
    for (const auto& one : ids) {
      const std::int64_t id = id_of(one);
      if (id >= 0) {
        store.append_key(*store.find_id(static_cast<std::uint64_t>(id)), keys);
      } else if (keys.kind == KeyKind::integer) {
        keys.integers.push_back(0);
      } else {
        keys.bytes.close_row();
      }
    }
    return keys;
  }
  KeyedScoreResults with_keys(ScoreResults results) const {
    KeyedScoreResults out{std::move(results), {}};
    out.keys = keys_of(out.results.values, [](const ScoredId& scored) { return scored.id; });
    return out;
  }
  /// A copy of the row of \p id, for which \p find returns the segment and the row.
  template <class Find>
  static void copy_row(const Find& find, std::uint64_t id, RowCopies& to) {
    const auto [segment, row] = find(id);
    const auto& host = segment->host();
    const std::size_t bytes = host.dimension * size_of(host.element);
    std::span<const float> scale;
    if (host.element == VectorElement::int8) scale = {host.scales.data() + row, 1};
    to.add({host.values.data() + row * bytes, bytes}, scale);
  }

  VectorIndex index;
  Impl::KeyStore store;
  mutable Impl::SharedMutex mutex;  ///< protects both
  std::atomic<std::size_t> size;
};

KeyedVectorIndex::KeyedVectorIndex(Context& context, const KeySpan& keys, const VectorSpan& rows,
                                   const VectorIndexOptions& options)
    : m_state(std::make_unique<State>(
          VectorIndex(context, VectorSpan(rows.element, {}, rows.dimension), options),
          Impl::KeyStore(keys.kind()))) {
  upsert(keys, rows);
}

KeyedVectorIndex::KeyedVectorIndex(std::unique_ptr<State> state) : m_state(std::move(state)) {}
KeyedVectorIndex::~KeyedVectorIndex() = default;
KeyedVectorIndex::KeyedVectorIndex(KeyedVectorIndex&&) noexcept = default;
KeyedVectorIndex& KeyedVectorIndex::operator=(KeyedVectorIndex&&) noexcept = default;

KeyKind KeyedVectorIndex::key_kind() const noexcept { return m_state->store.kind(); }
std::size_t KeyedVectorIndex::size() const noexcept { return m_state->size; }
std::size_t KeyedVectorIndex::dimension() const noexcept { return m_state->index.dimension(); }
VectorElement KeyedVectorIndex::element() const noexcept { return m_state->index.element(); }
std::uint64_t KeyedVectorIndex::key_bytes() const noexcept {
  const std::shared_lock lock(m_state->mutex);
  return m_state->store.bytes();
}
const VectorIndex& KeyedVectorIndex::vectors() const noexcept { return m_state->index; }

UpsertCounts KeyedVectorIndex::upsert(const KeySpan& keys, const VectorSpan& rows) {
  const auto lock = Impl::cancellable_lock(m_state->mutex);
  const State::Publish publish{*m_state};
  Impl::KeyStore& store = m_state->store;
  VectorIndex& index = m_state->index;
  Impl::require_kind(keys, store.kind());
  KINDRED_THROW_IF(rows.count() != keys.size(),
                   std::to_string(rows.count()) + " rows are given for " +
                       std::to_string(keys.size()) + " keys; there must be one per key");
  const std::size_t known = store.size();
  const std::uint64_t first_id = index.end_id();
  std::vector<std::uint64_t> replaced;  // ids
  std::size_t done = 0;                 // of `replaced`
  bool is_added = false;
  const auto find = [parts = index.parts()](std::uint64_t id) { return parts.store.find(id); };
  RowCopies before(index.element(), index.dimension());
  return Impl::translating_out_of_memory("Kindred::KeyedVectorIndex::upsert", [&] {
    try {
      // Positions in the call of the rows that count.
      std::vector<std::size_t> new_rows;
      std::vector<std::size_t> other_rows;
      std::unordered_map<std::size_t, std::size_t> place_of_slot;  // in `other_rows`
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto slot = store.find(keys, i);
        if (!slot) {
          store.add(keys, i, first_id + new_rows.size());
          new_rows.push_back(i);
        } else if (*slot >= known) {
          new_rows[*slot - known] = i;
        } else if (const auto [place, is_new] = place_of_slot.try_emplace(*slot, other_rows.size());
                   is_new) {
          other_rows.push_back(i);
          replaced.push_back(store.id(*slot));
        } else {
          other_rows[place->second] = i;
        }
      }
      for (const std::uint64_t id : replaced) State::copy_row(find, id, before);
      if (new_rows.size() == rows.count()) {
        index.add(rows);  // also checks the type and the dimension of no rows
      } else {
        RowCopies added(rows.element, rows.dimension);
        for (const std::size_t i : new_rows) added.add(rows.rows(i, 1));
        index.add(added.span());
      }
      is_added = !new_rows.empty();
      for (; done < replaced.size(); ++done)
        index.replace(replaced[done], rows.rows(other_rows[done], 1));
      return UpsertCounts{new_rows.size(), replaced.size()};
    } catch (...) {
      const Impl::CancelPoint::Suspended suspended;
      for (std::size_t i = 0; i < done; ++i)
        try_to([&] { index.replace(replaced[i], before.span().rows(i, 1)); });
      if (is_added) {
        try_to([&] {
          std::vector<std::uint64_t> ids;
          for (std::uint64_t id = first_id; id < index.end_id(); ++id) ids.push_back(id);
          index.remove(ids);
        });
      }
      store.shrink(known);
      throw;
    }
  });
}

void KeyedVectorIndex::remove(const KeySpan& keys) {
  const auto lock = Impl::cancellable_lock(m_state->mutex);
  const State::Publish publish{*m_state};
  Impl::KeyStore& store = m_state->store;
  const std::vector<std::uint64_t> ids = Impl::translating_out_of_memory(
      "Kindred::KeyedVectorIndex::remove", [&] { return Impl::ids_to_remove(store, keys); });
  m_state->index.remove(ids);
  for (const std::uint64_t id : ids) store.remove(*store.find_id(id));
}

std::vector<std::int64_t> KeyedVectorIndex::find(const KeySpan& keys) const {
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  return Impl::ids_of(m_state->store, keys);
}

KeyedSearchResults KeyedVectorIndex::search(std::span<const float> queries,
                                            const SearchOptions& options) const {
  const auto lock = Impl::engine_shared_lock(m_state->mutex);
  KeyedSearchResults out{m_state->index.search(queries, options), {}};
  out.keys = m_state->keys_of(out.ids, [](std::int64_t id) { return id; });
  return out;
}

KeyedScoreResults KeyedVectorIndex::search_at_least(std::span<const float> queries, float score,
                                                    const SearchOptions& options) const {
  const auto lock = Impl::engine_shared_lock(m_state->mutex);
  return m_state->with_keys(m_state->index.search_at_least(queries, score, options));
}

KeyedScoreResults KeyedVectorIndex::score(std::span<const float> queries,
                                          std::span<const KeySpan> candidates,
                                          const SearchOptions& options) const {
  const auto lock = Impl::engine_shared_lock(m_state->mutex);
  Ragged<std::uint64_t> ids;
  for (std::size_t query = 0; query < candidates.size(); ++query) {
    const std::vector<std::int64_t> found = Impl::ids_of(m_state->store, candidates[query]);
    for (std::size_t i = 0; i < found.size(); ++i) {
      KINDRED_THROW_IF(found[i] < 0, Impl::key_message(candidates[query], i) + ", candidate " +
                                         std::to_string(i) + " of query " + std::to_string(query) +
                                         ", is not there");
      ids.values.push_back(static_cast<std::uint64_t>(found[i]));
    }
    ids.close_row();
  }
  return m_state->with_keys(m_state->index.score(queries, ids, options));
}

void KeyedVectorIndex::save(const std::string& path) const {
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  const auto parts = m_state->index.parts();
  const auto rows_lock = Impl::cancellable_shared_lock(parts.mutex);
  const std::vector<StoredVectors> rows = parts.store.stored();
  Impl::write_vectors(path, rows, parts.store.end_id(), m_state->key_sections());
}

std::vector<std::byte> KeyedVectorIndex::to_bytes() const {
  return Impl::translating_out_of_memory("Kindred::KeyedVectorIndex::to_bytes", [&] {
    const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
    const auto parts = m_state->index.parts();
    const auto rows_lock = Impl::cancellable_shared_lock(parts.mutex);
    const std::vector<StoredVectors> rows = parts.store.stored();
    return Impl::vectors_to_bytes(rows, parts.store.end_id(), m_state->key_sections());
  });
}

KeyedVectorIndex KeyedVectorIndex::load(Context& context, const std::string& path,
                                        const VectorIndexOptions& options, int threads) {
  return Impl::translating_out_of_memory("Kindred::KeyedVectorIndex::load", [&] {
    return of_file(context, StoredVectors::load(path, threads), options, threads);
  });
}

KeyedVectorIndex KeyedVectorIndex::from_bytes(Context& context, std::span<const std::byte> bytes,
                                              const VectorIndexOptions& options, int threads) {
  return Impl::translating_out_of_memory("Kindred::KeyedVectorIndex::from_bytes", [&] {
    return of_file(context, StoredVectors::from_bytes(bytes, threads), options, threads);
  });
}

KeyedVectorIndex KeyedVectorIndex::of_file(Context& context, const StoredVectors& stored,
                                           const VectorIndexOptions& options, int threads) {
  const auto& file = *static_cast<const Impl::SectionFile*>(stored.owner.get());
  const Impl::SectionChecks checks(file, 0, Impl::threads_or_all(threads));
  KINDRED_THROW_IF(!Impl::has_keys(checks),
                   file.path() + " has vectors without keys; load it as a VectorIndex");
  Impl::KeyStore keys =
      Impl::read_keys(checks, stored.rows.count(), [&](std::size_t row) -> std::uint64_t {
        return stored.ids.empty() ? stored.first_id + row : stored.ids[row];
      });
  return KeyedVectorIndex(
      std::make_unique<State>(VectorIndex::of_file(context, stored, options), std::move(keys)));
}

}  // namespace Kindred
