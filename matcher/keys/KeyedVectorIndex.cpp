// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/matcher/KeyedVectorIndex.hpp>

#include "KeyParts.hpp"
#include "storage/SectionChecks.hpp"
#include "vector/VectorIndexState.hpp"
#include "vector/VectorSections.hpp"

#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/SharedSnapshot.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <unordered_map>
#include <utility>

namespace Kindred {

namespace {

template <class Ids, class Id>
KeyList keys_of(const Impl::KeyParts& of, const Ids& ids, const Id& id_of) {
  KeyList keys;
  keys.kind = of.kind();
  for (const auto& one : ids) {
    const std::int64_t id = id_of(one);
    if (id >= 0) {
      of.append_key(static_cast<std::uint64_t>(id), keys);
    } else if (keys.kind == KeyKind::integer) {
      keys.integers.push_back(0);
    } else {
      keys.bytes.close_row();
    }
  }
  return keys;
}

KeyedScoreResults with_keys(const Impl::KeyParts& of, ScoreResults results) {
  KeyedScoreResults out{std::move(results), {}};
  out.keys = keys_of(of, out.results.values, [](const ScoredId& scored) { return scored.id; });
  return out;
}

}  // namespace

struct KINDRED_HIDDEN KeyedVectorIndex::State {
  /// What a call works on while others change the index.
  struct Content {
    VectorIndex::State::Rows rows;
    std::shared_ptr<const Impl::KeyParts> keys;
  };

  State(VectorIndex given, Impl::KeyStore first)
      : State(std::move(given), std::make_shared<const Impl::KeyParts>(std::move(first))) {}
  State(VectorIndex given, const std::shared_ptr<const Impl::KeyParts>& keys)
      : index(std::move(given)),
        kind(keys->kind()),
        rows(*index.m_state),
        content(std::make_shared<const Content>(Content{rows.rows.get(), keys})),
        size(keys->size()),
        key_bytes(keys->bytes()) {}

  /// Replaces the content. Called by one change at a time. \throws std::bad_alloc; nothing is then
  /// changed
  void publish(Content next) {
    auto now = std::make_shared<const Content>(std::move(next));
    if (rows.rows.get() != now->rows) rows.publish(now->rows);
    size = now->keys->size();
    key_bytes = now->keys->bytes();
    content.set(std::move(now));
  }

  /// Writes rows and keys of one change.
  void save(Impl::FileTarget target) const {
    const auto now = content.get();
    Impl::save_vectors(
        std::move(target), now->rows->stored(), now->rows->end_id(),
        [&](Impl::SectionWriter& writer) { Impl::write_keys(writer, now->keys->all()); });
  }

  VectorIndex index;
  const KeyKind kind;
  VectorIndex::State& rows;
  Impl::SharedSnapshot<Content> content;
  Impl::TimedMutex changing;  ///< held by a change
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
KeyKind KeyedVectorIndex::key_kind() const noexcept { return m_state->kind; }
std::size_t KeyedVectorIndex::size() const noexcept { return m_state->size; }
std::size_t KeyedVectorIndex::dimension() const noexcept { return m_state->index.dimension(); }
DataType KeyedVectorIndex::element() const noexcept { return m_state->index.element(); }
std::uint64_t KeyedVectorIndex::key_bytes() const noexcept { return m_state->key_bytes; }
const VectorIndex& KeyedVectorIndex::vectors() const noexcept { return m_state->index; }

UpsertCounts KeyedVectorIndex::upsert(const KeySpan& keys, const VectorSpan& rows) try {
  const auto lock = Impl::engine_lock(m_state->changing);
  const auto before = m_state->content.get();
  Impl::require_kind(keys, m_state->kind);
  KINDRED_THROW_IF(rows.count() != keys.size(),
                   std::to_string(rows.count()) + " rows are given for " +
                       std::to_string(keys.size()) + " keys; there must be one per key");
  Impl::KeyStore added(m_state->kind);
  // Positions in the call of the rows that count.
  std::vector<std::size_t> new_rows;
  std::vector<std::size_t> other_rows;
  std::vector<std::uint64_t> replaced;                         // ids of `other_rows`
  std::unordered_map<std::uint64_t, std::size_t> place_of_id;  // in `other_rows`
  place_of_id.reserve(std::min(keys.size(), before->keys->size()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Impl::look_at(i);
    if (const auto id = before->keys->id_of(keys, i)) {
      const auto [place, is_new] = place_of_id.try_emplace(*id, other_rows.size());
      if (is_new) {
        other_rows.push_back(i);
        replaced.push_back(*id);
      } else {
        other_rows[place->second] = i;
      }
    } else if (const auto slot = added.find(keys, i)) {
      new_rows[*slot] = i;
    } else {
      added.add(keys, i, before->rows->end_id() + new_rows.size());
      new_rows.push_back(i);
    }
  }
  m_state->publish({std::make_shared<const Impl::VectorStore>(
                        before->rows->with(rows, replaced, other_rows, new_rows)),
                    new_rows.empty() ? before->keys
                                     : std::make_shared<const Impl::KeyParts>(
                                           before->keys->with(std::move(added)))});
  return {new_rows.size(), replaced.size()};
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::upsert");
}

void KeyedVectorIndex::remove(const KeySpan& keys) try {
  const auto lock = Impl::engine_lock(m_state->changing);
  const auto before = m_state->content.get();
  const auto ids = Impl::ids_to_remove(keys, Impl::ids_of(*before->keys, keys));
  m_state->publish({std::make_shared<const Impl::VectorStore>(before->rows->without(ids)),
                    std::make_shared<const Impl::KeyParts>(before->keys->without(ids))});
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::remove");
}

std::vector<std::int64_t> KeyedVectorIndex::find(const KeySpan& keys) const try {
  return Impl::ids_of(*m_state->content.get()->keys, keys);
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::find");
}

KeyedSearchResults KeyedVectorIndex::search(const ConstArray& queries, const SearchOptions& options,
                                            const SearchOutput& out) const try {
  Impl::require_host({"queries", queries});
  const std::span<const std::int64_t> given =
      out.ids.size() == 0 ? std::span<const std::int64_t>() : out.ids.host_values<std::int64_t>();
  const auto content = m_state->content.get();
  KeyedSearchResults results{m_state->rows.search(content->rows, queries, options, out), {}};
  const auto ids = given.empty() ? std::span<const std::int64_t>(results.ids) : given;
  results.keys = keys_of(*content->keys, ids, [](std::int64_t id) { return id; });
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::search");
}

KeyedScoreResults KeyedVectorIndex::search_at_least(const ConstArray& queries, float score,
                                                    const SearchOptions& options) const try {
  const auto content = m_state->content.get();
  return with_keys(*content->keys,
                   m_state->rows.search_at_least(content->rows, queries, score, options));
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::search_at_least");
}

KeyedScoreResults KeyedVectorIndex::score(const ConstArray& queries,
                                          std::span<const KeySpan> candidates,
                                          const SearchOptions& options) const try {
  KINDRED_THROW_IF(options.top == 0, "top is 0; it must be at least 1");
  const auto content = m_state->content.get();
  Ragged<std::uint64_t> ids;
  for (std::size_t query = 0; query < candidates.size(); ++query) {
    const std::vector<std::int64_t> found = Impl::ids_of(*content->keys, candidates[query]);
    for (std::size_t i = 0; i < found.size(); ++i) {
      KINDRED_THROW_IF(found[i] < 0, Impl::key_message(candidates[query], i) + ", candidate " +
                                         std::to_string(i) + " of query " + std::to_string(query) +
                                         ", is not there");
      ids.values.push_back(static_cast<std::uint64_t>(found[i]));
    }
    ids.close_row();
  }
  return with_keys(*content->keys, m_state->rows.score(content->rows, queries, ids, options, {}));
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
      std::make_unique<State>(VectorIndex(context, stored, options), std::move(keys)));
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyedVectorIndex::load");
}

}  // namespace Kindred
