// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KEYED_VECTOR_INDEX_HPP
#define KINDRED_MATCHER_KEYED_VECTOR_INDEX_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/KeySpan.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// The results of `VectorIndex::search`, with one key per id; in empty slots, which have the id −1,
/// the key is 0 or the empty string.
struct KeyedSearchResults : SearchResults {
  KeyList keys;
};
/// The results of `VectorIndex::score` and `search_at_least`, with one key per value of `results`.
struct KeyedScoreResults : ScoreResults {
  KeyList keys;
};

/// What an upsert did.
struct UpsertCounts {
  std::uint64_t added = 0;     ///< rows of new keys
  std::uint64_t replaced = 0;  ///< rows of keys that were there
};

/// \brief A `VectorIndex` whose rows have keys of the caller: rows are added, replaced, removed and
/// found by key. Scores and orders are those of `VectorIndex`; equal scores are ranked by id, that
/// is, in the order in which keys were added.
///
/// Thread-safe: a call reads the rows and keys as of one change, and does not wait for changes, nor
/// they for it; changes follow one another.
class KeyedVectorIndex {
 public:
  /// \brief An index of \p rows, as by `upsert` into an empty one.
  /// \param context must outlive this object
  /// \param keys one per row; a list without keys decides the kind of an empty index
  /// \throws as the constructor of `VectorIndex` and `upsert`
  KeyedVectorIndex(Context& context, const KeySpan& keys, const VectorSpan& rows,
                   const VectorIndexOptions& options = {});
  /// \brief Maps a file written by `save`. Complexity and fences as `VectorIndex::load`, and
  /// expected O(1) per key.
  /// \throws as `VectorIndex::load`; InvalidArgument for a file of vectors without keys
  static KeyedVectorIndex load(Context& context, const FileSource& source,
                               const VectorIndexOptions& options = {}, int threads = 0);

  KeyKind key_kind() const noexcept;
  /// Number of keys, each of which has one row.
  std::size_t size() const noexcept;
  std::size_t dimension() const noexcept;
  DataType element() const noexcept;
  /// Bytes of memory of the keys.
  std::uint64_t key_bytes() const noexcept;
  /// The rows by id, to read them. Calls on it do not wait for changes of keys: a row may be found
  /// before its key. They see all rows of a change or none.
  const VectorIndex& vectors() const noexcept;

  /// \brief Adds rows of new keys and replaces those of the others under their ids, all in one
  /// change. If a key occurs several times, its last row counts; new keys get ids in the order of
  /// their first occurrence. Complexity as `VectorIndex::remove` of the others and `add` of all
  /// rows together, and amortised expected O(log keys) per new key. Fences the instances that copy
  /// rows. \throws InvalidArgument for keys of another kind or number, and as `add` and `replace`
  /// of `VectorIndex`; OutOfMemory. The index is then unchanged.
  UpsertCounts upsert(const KeySpan& keys, const VectorSpan& rows);
  /// \brief Removes keys with their rows. \throws InvalidArgument for keys of another kind;
  /// NotFound for a key that is not there or is listed twice; nothing is removed then
  void remove(const KeySpan& keys);

  /// The ids of \p keys; −1 for a key that is not there. For the filters of `SearchOptions`, which
  /// are by id. \throws InvalidArgument for keys of another kind
  std::vector<std::int64_t> find(const KeySpan& keys) const;

  /// As `VectorIndex::search`, of queries on the host. \param out likewise, without gaps
  KeyedSearchResults search(const ConstArray& queries, const SearchOptions& options = {},
                            const SearchOutput& out = {}) const;
  /// As `VectorIndex::search_at_least`.
  KeyedScoreResults search_at_least(const ConstArray& queries, float score,
                                    const SearchOptions& options = {}) const;
  /// As `VectorIndex::score`. \param candidates list i belongs to query i \throws InvalidArgument
  /// also for a key that is not there
  KeyedScoreResults score(const ConstArray& queries, std::span<const KeySpan> candidates,
                          const SearchOptions& options = {}) const;

  /// \brief Atomically writes all rows, ids and keys to one file, which `VectorIndex::load` can
  /// read too, without the keys. \throws as `VectorIndex::save`
  void save(const std::string& path) const;
  /// The bytes of the file that `save` writes. Complexity O(bytes). \throws OutOfMemory
  std::vector<std::byte> to_bytes() const;

 private:
  struct State;
  explicit KeyedVectorIndex(std::unique_ptr<State> state);
  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_KEYED_VECTOR_INDEX_HPP
