// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_PATTERN_TIERS_HPP
#define KINDRED_MATCHER_PATTERNS_PATTERN_TIERS_HPP

#include "IndexSet.hpp"
#include "StoredPatterns.hpp"
#include "kit/Turn.hpp"
#include "sequence/PatternSegment.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/core/common/SharedSnapshot.hpp>
#include <kindred/matcher/PatternMemory.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// Symbols of patterns, and the indices of the patterns, ascending.
struct TierRows {
  std::vector<std::uint64_t> indices;
  Ragged<Symbol> symbols;
};

/// \brief A segment of a tier, and the indices of its patterns.
struct TierPart {
  std::shared_ptr<const PatternSegment> segment;
  std::vector<std::uint64_t> indices;  ///< ascending, so that local order is global order

  std::uint64_t size() const noexcept { return indices.size(); }
};

/// A part of a view.
struct PlacedPart {
  std::shared_ptr<const TierPart> part;
  std::uint64_t forgotten = 0;  ///< number of its patterns that are forgotten

  std::uint64_t live() const noexcept { return part->size() - forgotten; }
};

/// The number of patterns in parts, how many of them are forgotten, and how many are outside of the
/// bulk tier.
struct TierFill {
  std::uint64_t patterns = 0;
  std::uint64_t forgotten = 0;
  std::uint64_t recent = 0;
};

/// \brief The patterns visible to a query. Immutable; a query keeps the view with which it started.
struct TierView {
  std::vector<PlacedPart> bulk;  ///< in the order of the indices
  /// In the order of the indices, all above those of the bulk tier.
  std::vector<PlacedPart> recent;
  std::uint64_t bulk_end = 0;  ///< patterns below this are in the bulk tier
  /// Patterns below this are in a part, unless they were forgotten before it was built.
  std::uint64_t end = 0;
  /// Recent parts that begin below this belong to a synchronisation and must not grow.
  std::uint64_t frozen_end = 0;
  std::uint64_t clears = 0;  ///< number of times that all patterns were forgotten
  IndexSet forgotten;        ///< never returned, but still in a part or in one that is being built

  /// The part that contains a pattern, or null.
  PlacedPart* holder(std::uint64_t index) noexcept;
  /// \param live number of patterns that exist
  TierFill fill(std::uint64_t live) const noexcept;
  /// Removes the pattern from results. A `PatternRows::load` that starts after this is published
  /// must not return it. O(log patterns)
  void forget(std::uint64_t index);
  /// Removes the patterns below \p index_end, which are all. The same holds for
  /// `PatternRows::load`.
  void clear(std::uint64_t index_end) noexcept;
  /// Patterns of the bulk tier that are not forgotten.
  std::uint64_t bulk_live() const noexcept;
  /// Bytes of all parts in the memory of \p space.
  std::uint64_t bytes(Space space) const;
};

/// \brief Source of the patterns of the tiers. Called from any thread.
class PatternRows {
 public:
  virtual ~PatternRows() = default;
  /// The rows of \p indices (ascending, valid) that are not forgotten.
  virtual TierRows load(std::vector<std::uint64_t> indices) const = 0;
  /// The indices in [\p begin, \p end) of patterns that are not forgotten, ascending.
  virtual std::vector<std::uint64_t> live_in(std::uint64_t begin, std::uint64_t end) const = 0;
};

/// \brief The two tiers: immutable parts, published through one pointer that each change replaces.
///
/// Thread-safe. A reader gets its view immediately, or first builds the part of the most recently
/// learned patterns. Parts are built without a lock; their publication holds the lock of the memory
/// shared, so that none comes in between while patterns are forgotten.
class PatternTiers {
 public:
  /// \brief A copy of the view, which replaces it when it is published. Its maker has the lock of
  /// the memory alone.
  class Update {
   public:
    explicit Update(PatternTiers& tiers)
        : m_tiers(&tiers), m_next(std::make_shared<TierView>(*tiers.view())) {}
    TierView* operator->() const noexcept { return m_next.get(); }
    void publish() noexcept { m_tiers->m_view.set(std::move(m_next)); }

   private:
    PatternTiers* m_tiers;
    std::shared_ptr<TierView> m_next;
  };

  /// \param settings,rows must outlive this object \param mutex the lock of the memory; likewise
  PatternTiers(Context& context, const PatternSettings& settings, const PatternRows& rows,
               SharedMutex& mutex);

  std::shared_ptr<const TierView> view() const { return m_view.get(); }
  /// A view that contains every pattern below \p end.
  std::shared_ptr<const TierView> view_to(std::uint64_t end);

  /// \brief Takes the bulk tier from a file. The tiers must be empty.
  ///
  /// Parts that do not fit into the memory of the device stay on the host.
  void restore(const std::vector<StoredPart>& stored, std::uint64_t bulk_end,
               const std::vector<std::uint64_t>& forgotten);
  /// The bulk tier of \p view, to be written to a file; each part owns its data.
  static std::vector<StoredPart> stored(const TierView& view);

  // One thread at a time calls the following two.
  /// Moves the recent patterns below \p end to the bulk tier.
  SyncRecord sync(SyncTrigger trigger, std::uint64_t end);
  /// Rebuilds every bulk part that contains a forgotten pattern; parts for which there is not
  /// enough memory are kept.
  void reclaim();

  /// The merged results of all parts of \p view. \throws InvalidArgument for an index in `filter`
  /// that is not below the end of the view
  MatchResults match(const TierView& view, RaggedSpan<Symbol> queries,
                     const MatchOptions& options) const;

 private:
  using Parts = std::vector<PlacedPart>;
  struct Found;
  struct Change;
  struct Search;

  /// \brief Appends what `matches_of(space, part)` returns for each of \p parts to the results of
  /// every query.
  template <class Matches>
  DispatchRecord answer(Workload workload, std::optional<Space> space,
                        const std::vector<Search>& parts, std::vector<std::vector<Found>>& answers,
                        const Matches& matches_of) const;
  /// Scans \p parts. \param resident spaces that can do so
  DispatchRecord scan(const TierView& view, const std::vector<Search>& parts, SpaceSet resident,
                      RaggedSpan<Symbol> queries, const MatchOptions& options,
                      std::vector<std::vector<Found>>& answers) const;
  /// Compares the candidates of parts of which few patterns are candidates.
  DispatchRecord compare(const std::vector<Search>& parts, RaggedSpan<Symbol> queries,
                         const MatchOptions& options,
                         std::vector<std::vector<Found>>& answers) const;
  /// \brief Replaces the view by a copy that `change(copy)` has changed, unless that returns false,
  /// which it may after changes of others: it is called again if one comes in between. Returns what
  /// was published, or null.
  template <class Changes>
  std::shared_ptr<const TierView> publish(const Changes& change);
  bool wants_device() const noexcept;
  std::shared_ptr<const TierPart> make_part(const TierRows& rows, Residency residency) const;
  /// Appends parts made of \p rows to \p bulk; patterns that are too long for the device stay on
  /// the host.
  void add_bulk(TierRows rows, Parts& bulk) const;
  /// Merges small adjacent parts of \p bulk and rebuilds parts with many forgotten patterns.
  void compact(Parts& bulk) const;
  /// Merges the adjacent parts \p group, given from last to first, into one part. The result is
  /// empty if all patterns were forgotten, and \p group itself if there is not enough memory.
  Parts joined(const Parts& group) const;
  void check_budget(const Parts& bulk) const;

  Context* m_context;
  mutable CallHistory m_history;
  const PatternSettings* m_settings;
  const PatternRows* m_rows;
  SharedMutex* m_mutex;
  SharedSnapshot<TierView> m_view;
  Turns<> m_tail_turns;  ///< of calls that build the last recent part
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_PATTERN_TIERS_HPP
