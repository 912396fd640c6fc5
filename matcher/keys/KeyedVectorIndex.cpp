// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/KeyedVectorIndex.hpp>

#include "KeyStore.hpp"
#include "kit/ChangeGuard.hpp"
#include "storage/SectionChecks.hpp"
#include "vector/VectorIndexState.hpp"
#include "vector/VectorSections.hpp"

#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

namespace Kindred {

struct KINDRED_HIDDEN KeyedVectorIndex::State {
  State(VectorIndex given, Impl::KeyStore keys) : index(std::move(given)), store(std::move(keys)) {
    publish();
  }

  void publish() noexcept {
    size = store.size();
    key_bytes = store.bytes();
  }

  /// Writes rows and keys, while neither change.
  void save(Impl::FileTarget target) const {
    const auto lock = Impl::cancellable_shared_lock(mutex);
    const auto& of = *index.m_state;
    const auto rows_lock = Impl::cancellable_shared_lock(of.mutex);
    Impl::save_vectors(std::move(target), of.store.stored(), of.store.end_id(),
                       [this](Impl::SectionWriter& writer) { store.write(writer); });
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

  VectorIndex index;
  Impl::KeyStore store;
  mutable Impl::SharedMutex mutex;  ///< protects both
  std::atomic<std::size_t> size{0};
  std::atomic<std::uint64_t> key_bytes{0};
};

KeyedVectorIndex::KeyedVectorIndex(Context& context, const KeySpan& keys, const VectorSpan& rows,
                                   const VectorIndexOptions& options) try
    : m_state(std::make_unique<State>(
          VectorIndex(context, VectorSpan(rows.element, {}, rows.dimension), options),
          Impl::KeyStore(keys.kind()))) {
  upsert(keys, rows);
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex");
}

KeyedVectorIndex::KeyedVectorIndex(std::unique_ptr<State> state) : m_state(std::move(state)) {}
KeyKind KeyedVectorIndex::key_kind() const noexcept { return m_state->store.kind(); }
std::size_t KeyedVectorIndex::size() const noexcept { return m_state->size; }
std::size_t KeyedVectorIndex::dimension() const noexcept { return m_state->index.dimension(); }
DataType KeyedVectorIndex::element() const noexcept { return m_state->index.element(); }
std::uint64_t KeyedVectorIndex::key_bytes() const noexcept { return m_state->key_bytes; }
const VectorIndex& KeyedVectorIndex::vectors() const noexcept { return m_state->index; }

UpsertCounts KeyedVectorIndex::upsert(const KeySpan& keys, const VectorSpan& rows) try {
  const Impl::ChangeGuard guard(*m_state);
  Impl::KeyStore& store = m_state->store;
  VectorIndex& index = m_state->index;
  Impl::require_kind(keys, store.kind());
  KINDRED_THROW_IF(rows.count() != keys.size(),
                   std::to_string(rows.count()) + " rows are given for " +
                       std::to_string(keys.size()) + " keys; there must be one per key");
  const std::size_t known = store.size();
  const std::uint64_t first_id = index.end_id();
  try {
    // Positions in the call of the rows that count.
    std::vector<std::size_t> new_rows;
    std::vector<std::size_t> other_rows;
    std::vector<std::uint64_t> replaced;                         // ids of `other_rows`
    std::unordered_map<std::size_t, std::size_t> place_of_slot;  // in `other_rows`
    place_of_slot.reserve(std::min(keys.size(), known));
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
    index.upsert(rows, replaced, other_rows, new_rows);
    return UpsertCounts{new_rows.size(), replaced.size()};
  } catch (...) {
    store.shrink(known);
    throw;
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::upsert");
}

void KeyedVectorIndex::remove(const KeySpan& keys) try {
  const Impl::ChangeGuard guard(*m_state);
  Impl::KeyStore& store = m_state->store;
  const std::vector<std::uint64_t> ids = Impl::ids_to_remove(store, keys);
  m_state->index.remove(ids);
  for (const std::uint64_t id : ids) store.remove(*store.find_id(id));
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::remove");
}

std::vector<std::int64_t> KeyedVectorIndex::find(const KeySpan& keys) const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  return Impl::ids_of(m_state->store, keys);
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::find");
}

KeyedSearchResults KeyedVectorIndex::search(const ConstArray& queries,
                                            const SearchOptions& options) const try {
  Impl::require_host({"queries", queries});
  const auto lock = Impl::engine_shared_lock(m_state->mutex);
  KeyedSearchResults out{m_state->index.search(queries, options), {}};
  out.keys = m_state->keys_of(out.ids, [](std::int64_t id) { return id; });
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::search");
}

KeyedScoreResults KeyedVectorIndex::search_at_least(const ConstArray& queries, float score,
                                                    const SearchOptions& options) const try {
  const auto lock = Impl::engine_shared_lock(m_state->mutex);
  return m_state->with_keys(m_state->index.search_at_least(queries, score, options));
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::search_at_least");
}

KeyedScoreResults KeyedVectorIndex::score(const ConstArray& queries,
                                          std::span<const KeySpan> candidates,
                                          const SearchOptions& options) const try {
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
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::score");
}

void KeyedVectorIndex::save(const std::string& path) const try {
  m_state->save(path);
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::save");
}

std::vector<std::byte> KeyedVectorIndex::to_bytes() const try {
  std::vector<std::byte> bytes;
  m_state->save(bytes);
  return bytes;
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::to_bytes");
}

KeyedVectorIndex KeyedVectorIndex::load(Context& context, const FileSource& source,
                                        const VectorIndexOptions& options, int threads) try {
  const StoredVectors stored = StoredVectors::load(source, threads);
  const auto& file = *static_cast<const Impl::SectionFile*>(stored.owner.get());
  const Impl::SectionChecks checks(file, Impl::threads_or_all(threads));
  KINDRED_THROW_IF(!Impl::KeyStore::is_in(checks),
                   file.path() + " has vectors without keys; load it as a VectorIndex");
  Impl::KeyStore keys(checks, stored);
  return KeyedVectorIndex(
      std::make_unique<State>(VectorIndex::of_file(context, stored, options), std::move(keys)));
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::load");
}

}  // namespace Kindred
