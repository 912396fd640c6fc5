// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_PATTERN_TIERS_HPP
#define KINDRED_MATCHER_PATTERNS_PATTERN_TIERS_HPP

#include "IndexSet.hpp"
#include "StoredPatterns.hpp"
#include "sequence/PatternSegment.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/matcher/PatternMemory.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace Kindred::Impl {

/// Symbols of patterns, and their indices, ascending.
struct TierRows {
  std::vector<std::uint64_t> indices;
  Ragged<Symbol> symbols;
};

/// \brief A segment of a tier, and the indices of its patterns.
struct TierPart {
  std::shared_ptr<const PatternSegment> segment;
  std::vector<std::uint64_t> indices;  ///< ascending: local order is global order

  std::uint64_t size() const noexcept { return indices.size(); }
};

/// A part in a view.
struct PlacedPart {
  std::shared_ptr<const TierPart> part;
  std::uint64_t forgotten = 0;  ///< of its patterns

  std::uint64_t live() const noexcept { return part->size() - forgotten; }
};

/// How many patterns lie in parts, and how many of these were forgotten.
struct TierFill {
  std::uint64_t patterns = 0;
  std::uint64_t forgotten = 0;
};

/// \brief The patterns visible to a query. Immutable; a query keeps the view that it started with.
struct TierView {
  std::vector<PlacedPart> bulk;    ///< by index
  std::vector<PlacedPart> recent;  ///< by index, all above the bulk tier's
  std::uint64_t bulk_end = 0;      ///< patterns below are in the bulk tier
  std::uint64_t end = 0;           ///< patterns below are in a part, unless forgotten before
  IndexSet forgotten;              ///< in no answer; still in a part, or in one that is being made

  /// The part that holds a pattern, or null.
  PlacedPart* holder(std::uint64_t index) noexcept;
  TierFill fill() const noexcept;
  /// Patterns of the bulk tier that are not forgotten.
  std::uint64_t bulk_live() const noexcept;
  /// Of all parts, where \p space computes.
  std::uint64_t bytes(Space space) const noexcept;
};

/// \brief Where the tiers read patterns from. Called from any thread.
class PatternRows {
 public:
  virtual ~PatternRows() = default;
  /// Those of the patterns \p indices (ascending, known) that are not forgotten.
  virtual TierRows load(std::vector<std::uint64_t> indices) const = 0;
  /// The indices in [\p begin, \p end) of patterns that are not forgotten, ascending.
  virtual std::vector<std::uint64_t> live_in(std::uint64_t begin, std::uint64_t end) const = 0;
};

/// \brief The two tiers: immutable parts, published through one pointer that a change replaces.
///
/// Thread-safe. A reader gets its view immediately, or first builds the part of the patterns
/// learned last.
class PatternTiers {
 public:
  /// \param settings,rows must outlive this object
  PatternTiers(Context& context, const PatternSettings& settings, const PatternRows& rows);

  std::shared_ptr<const TierView> view() const;
  /// A view that has every pattern below \p end.
  std::shared_ptr<const TierView> view_to(std::uint64_t end);
  /// \brief The pattern is in no answer of a later view. O(log patterns)
  ///
  /// Whoever calls this sees to it that no `PatternRows::load` which begins later loads it.
  void forget(std::uint64_t index);

  /// \brief Takes the bulk tier from a file, in place of what is there: nothing.
  ///
  /// Parts that the device has no room for stay on the host.
  void restore(const std::vector<StoredPart>& stored, std::uint64_t bulk_end,
               const std::vector<std::uint64_t>& forgotten);
  /// The bulk tier of \p view for a file; each part owns what it shows.
  static std::vector<StoredPart> stored(const TierView& view);

  /// Moves what is recent below \p end.
  SyncRecord sync(SyncTrigger trigger, std::uint64_t end);
  /// Makes every bulk part anew that holds something forgotten; those for which there is no memory
  /// stay.
  void reclaim();

  /// The merged results of all parts of \p view.
  MatchResults match(const TierView& view, RaggedSpan<Symbol> queries,
                     const MatchOptions& options) const;

 private:
  using Parts = std::vector<PlacedPart>;
  struct Found;
  struct Change;

  /// \brief Appends what \p parts answer to every query. \param resident spaces that can scan them
  DispatchRecord match_parts(const TierView& view, const Parts& parts, SpaceSet resident,
                             RaggedSpan<Symbol> queries, const MatchOptions& options,
                             std::vector<std::vector<Found>>& answers) const;
  /// \brief Appends what \p placed answers to every query: its best \p top that are not forgotten.
  /// \param requested with the `top` to begin with
  static void match_part(const TierView& view, const PlacedPart& placed, Space space,
                         RaggedSpan<Symbol> queries, MatchOptions requested, std::size_t top,
                         std::vector<std::vector<Found>>& found);
  bool wants_device() const noexcept;
  std::shared_ptr<const TierPart> make_part(const TierRows& rows, Residency residency) const;
  /// Adds what \p rows become to \p bulk, the longer ones than the device takes on the host.
  void add_bulk(TierRows rows, Parts& bulk) const;
  /// Joins small neighbours of \p bulk and rebuilds what holds much that was forgotten.
  void compact(Parts& bulk) const;
  /// \p group, of neighbours from the last to the first, as one part; none where all was forgotten;
  /// as it is where memory is short.
  Parts joined(const Parts& group) const;
  void check_budget(const Parts& bulk) const;
  /// Publishes a modified copy of the view.
  template <class Edit>
  void publish(const Edit& edit);

  Context* m_context;
  mutable CallHistory m_history;
  const PatternSettings* m_settings;
  const PatternRows* m_rows;
  mutable std::mutex m_view_mutex;  ///< of the pointer
  std::shared_ptr<const TierView> m_view;
  std::mutex m_tail_mutex;         ///< of making the last recent part
  std::uint64_t m_frozen_end = 0;  ///< recent parts that begin below are a sync's, not to be grown
  std::mutex m_sync_mutex;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_PATTERN_TIERS_HPP
