// SPDX-License-Identifier: Apache-2.0
#include "PatternTiers.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>

#include "kit/Placement.hpp"
#include "sequence/CandidatePatterns.hpp"
#include "sequence/MeasureOperations.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <utility>

namespace Kindred::Impl {

namespace {

/// Recent parts smaller than this are rebuilt together with the patterns learned next.
constexpr std::uint64_t tail_patterns = 1024;
/// A bulk part is merged with its predecessor unless that is more than this many times larger.
constexpr std::uint64_t growth = 4;

/// A synchronisation rebuilds a bulk part if more than one pattern in this many was forgotten.
constexpr std::uint64_t rebuild_share = 8;

/// Symbols of the longest pattern: slots are sorted by length.
std::uint32_t longest_of(const StoredPart& part) { return part.tiles.lengths.back(); }

bool on_device(const TierPart& part) { return part.segment->resident().contains(Space::cuda); }

bool holds(const TierPart& part, std::uint64_t index) {
  return !part.indices.empty() && index >= part.indices.front() && index <= part.indices.back() &&
         std::binary_search(part.indices.begin(), part.indices.end(), index);
}

/// The number of forgotten patterns that \p part contains.
std::uint64_t forgotten_in(const TierPart& part, const std::vector<std::uint64_t>& forgotten) {
  const auto first = std::lower_bound(forgotten.begin(), forgotten.end(), part.indices.front());
  const auto last = std::upper_bound(first, forgotten.end(), part.indices.back());
  return static_cast<std::uint64_t>(
      std::count_if(first, last, [&](std::uint64_t index) { return holds(part, index); }));
}

/// The places in \p part of those of \p indices (ascending) that it contains.
std::vector<std::uint64_t> places_in(const TierPart& part,
                                     const std::vector<std::uint64_t>& indices) {
  std::vector<std::uint64_t> places;
  if (part.indices.empty()) return places;
  const std::uint64_t first = part.indices.front();
  auto at = part.indices.begin();
  const auto begin = std::lower_bound(indices.begin(), indices.end(), first);
  const auto end = std::upper_bound(begin, indices.end(), part.indices.back());
  for (auto index = begin; index != end; ++index) {
    // Correct if no index of the part is missing.
    const std::uint64_t guess = *index - first;
    if (guess < part.size() && part.indices[guess] == *index) {
      places.push_back(guess);
      continue;
    }
    at = std::lower_bound(at, part.indices.end(), *index);
    if (*at == *index) places.push_back(static_cast<std::uint64_t>(at - part.indices.begin()));
  }
  return places;
}

}  // namespace

/// A match and the location of its pattern.
struct PatternTiers::Found {
  Match match;
  const TierPart* part;
  std::uint64_t local;

  bool operator<(const Found& other) const {
    return match.similarity != other.match.similarity ? match.similarity > other.match.similarity
                                                      : match.index < other.match.index;
  }
};

PlacedPart* TierView::holder(std::uint64_t index) noexcept {
  for (auto* parts : {&bulk, &recent}) {
    for (PlacedPart& placed : *parts) {
      if (holds(*placed.part, index)) return &placed;
    }
  }
  return nullptr;
}

void TierView::forget(std::uint64_t index) {
  forgotten.insert(index);
  if (PlacedPart* const part = holder(index)) ++part->forgotten;
}

void TierView::clear(std::uint64_t index_end) noexcept {
  bulk.clear();
  recent.clear();
  forgotten = {};
  bulk_end = end = index_end;
  ++clears;
}

TierFill TierView::fill(std::uint64_t live) const noexcept {
  TierFill fill;
  fill.recent = live - bulk_live();
  for (const auto* parts : {&bulk, &recent}) {
    for (const PlacedPart& placed : *parts) {
      fill.patterns += placed.part->size();
      fill.forgotten += placed.forgotten;
    }
  }
  return fill;
}

std::uint64_t TierView::bulk_live() const noexcept {
  std::uint64_t live = 0;
  for (const PlacedPart& placed : bulk) live += placed.live();
  return live;
}

std::uint64_t TierView::bytes(Space space) const {
  std::uint64_t bytes = 0;
  for (const auto* parts : {&bulk, &recent})
    for (const PlacedPart& placed : *parts) bytes += placed.part->segment->bytes(space);
  return bytes;
}

/// \brief The replacement for the parts of a view below an end, and the patterns that are still
/// forgotten afterwards.
///
/// It takes into account what is forgotten while the parts are built: most of it concurrently with
/// other threads, and the rest when the change is published.
struct PatternTiers::Change {
  /// \param parts_bulk,parts_left replace the parts of \p from below \p parts_end. New parts
  /// contain no pattern that was forgotten before
  Change(const TierView& from, std::uint64_t parts_end, Parts parts_bulk, Parts parts_left)
      : end(parts_end), clears(from.clears) {
    next.bulk = std::move(parts_bulk);
    next.recent = std::move(parts_left);
    seen = from.forgotten;
    std::vector<std::uint64_t> removed;
    from.forgotten.for_each(from.bulk_end, ~std::uint64_t{0}, [&](std::uint64_t index) {
      if (index >= end || next.holder(index) == nullptr) removed.push_back(index);
    });
    for (const PlacedPart& placed : from.bulk) {
      const TierPart& part = *placed.part;
      const bool is_kept = std::any_of(next.bulk.begin(), next.bulk.end(), [&](const auto& other) {
        return other.part == placed.part;
      });
      if (is_kept || placed.forgotten == 0) continue;
      from.forgotten.for_each(part.indices.front(), part.indices.back() + 1,
                              [&](std::uint64_t index) {
                                if (holds(part, index)) removed.push_back(index);
                              });
    }
    next.forgotten = from.forgotten;
    for (const std::uint64_t index : removed) next.forgotten.erase(index);
  }

  void follow(const TierView& now) {
    now.forgotten.for_each_beyond(seen, [&](std::uint64_t index) {
      PlacedPart* holder = index < end ? next.holder(index) : nullptr;
      if (holder == nullptr) return;
      next.forgotten.insert(index);
      ++holder->forgotten;
    });
    seen = now.forgotten;
  }

  /// Applies the change to \p now; `follow(now)` was called before.
  void apply(TierView& now) const {
    TierView changed = next;
    for (const PlacedPart& placed : now.recent) {
      if (placed.part->indices.front() >= end) changed.recent.push_back(placed);
    }
    now.forgotten.for_each(end, ~std::uint64_t{0},
                           [&](std::uint64_t index) { changed.forgotten.insert(index); });
    now.bulk = std::move(changed.bulk);
    now.recent = std::move(changed.recent);
    now.forgotten = std::move(changed.forgotten);
  }

  /// Publishes the change, with another end of the bulk tier. Returns false, and changes nothing,
  /// if all patterns were forgotten meanwhile.
  bool publish(PatternTiers& tiers, std::uint64_t bulk_end) {
    follow(*tiers.view());
    return tiers.publish([&](TierView& now) {
      if (now.clears != clears) return false;
      follow(now);
      apply(now);
      now.bulk_end = now.frozen_end = bulk_end;
      return true;
    }) != nullptr;
  }

  std::uint64_t end;
  std::uint64_t clears;
  TierView next;  ///< the part of the view below `end`
  IndexSet seen;
};

PatternTiers::PatternTiers(Context& context, const PatternSettings& settings,
                           const PatternRows& rows, SharedMutex& mutex)
    : m_context(&context),
      m_settings(&settings),
      m_rows(&rows),
      m_mutex(&mutex),
      m_view(std::make_shared<const TierView>()) {
  context.dispatcher().register_operations(measure_operations);
}

bool PatternTiers::wants_device() const noexcept {
  return m_settings->enabled && m_context->is_usable(Space::cuda) &&
         m_context->info(Space::cuda).compute_capability >= m_settings->min_compute_capability;
}

template <class Changes>
std::shared_ptr<const TierView> PatternTiers::publish(const Changes& change) {
  const std::shared_lock lock(*m_mutex);
  while (true) {
    const auto now = view();
    auto next = std::make_shared<TierView>(*now);
    if (!change(*next)) return nullptr;
    if (m_view.replace(now.get(), next)) return next;
  }
}

std::shared_ptr<const TierView> PatternTiers::view_to(std::uint64_t end) {
  std::shared_ptr<const TierView> now = view();
  if (now->end >= end) return now;
  const Turn turn(m_tail_turns);
  while ((now = view())->end < end) {
    // Small parts at the end are rebuilt, and larger ones each time their size doubles.
    std::uint64_t begin = now->end;
    std::size_t rebuilt = 0;
    for (; rebuilt < now->recent.size(); ++rebuilt) {
      const TierPart& last = *now->recent.rbegin()[rebuilt].part;
      if (last.indices.front() < now->frozen_end) break;
      if (last.size() >= std::max(tail_patterns, end - begin)) break;
      begin = last.indices.front();
    }
    const auto part = make_part(m_rows->load(m_rows->live_in(begin, end)), Residency::host);
    publish([&](TierView& next) {
      // A synchronisation may meanwhile have taken or replaced the parts that are rebuilt.
      const bool are_there =
          next.recent.size() >= rebuilt &&
          std::equal(now->recent.end() - rebuilt, now->recent.end(), next.recent.end() - rebuilt,
                     [](const auto& a, const auto& b) { return a.part == b.part; });
      if (next.clears != now->clears || next.frozen_end > begin || !are_there) return false;
      PlacedPart placed{part};
      std::vector<std::uint64_t> removed;
      next.forgotten.for_each(begin, end, [&](std::uint64_t index) {
        if (holds(*part, index)) {
          ++placed.forgotten;
        } else {
          removed.push_back(index);
        }
      });
      for (const std::uint64_t index : removed) next.forgotten.erase(index);
      next.recent.resize(next.recent.size() - rebuilt);
      if (part->size() > 0) next.recent.push_back(std::move(placed));
      next.end = end;
      return true;
    });
  }
  return now;
}

void PatternTiers::restore(const std::vector<StoredPart>& stored, std::uint64_t bulk_end,
                           const std::vector<std::uint64_t>& forgotten) {
  Parts bulk;
  for (const StoredPart& from : stored) {
    const auto add = [&](Residency residency) {
      auto part = std::make_shared<TierPart>();
      part->indices.assign(from.patterns.begin(), from.patterns.end());
      part->segment = std::make_shared<const PatternSegment>(*m_context, from.tiles, residency);
      bulk.push_back({std::move(part)});
    };
    const std::uint64_t longest = m_settings->max_pattern_length;
    const bool fits = wants_device() && (longest == 0 || longest_of(from) <= longest);
    const std::size_t before = bulk.size();
    const auto place = [&] {
      add(Residency::both);
      check_budget(bulk);
    };
    if (!place_on_device(*m_context, fits ? Residency::automatic : Residency::host,
                         "stored patterns", place)) {
      bulk.resize(before);
      add(Residency::host);
    }
  }
  Update next(*this);
  next->bulk = std::move(bulk);
  next->bulk_end = next->end = next->frozen_end = bulk_end;
  for (const std::uint64_t index : forgotten) next->forgotten.insert(index);
  for (PlacedPart& placed : next->bulk) placed.forgotten = forgotten_in(*placed.part, forgotten);
  next.publish();
}

std::vector<StoredPart> PatternTiers::stored(const TierView& view) {
  struct Kept {
    std::shared_ptr<const TierPart> part;
    std::vector<Symbol> by_dense;
  };
  std::vector<StoredPart> parts;
  for (const auto& [part, forgotten] : view.bulk) {
    const HostPatterns& store = part->segment->store();
    const auto kept = std::make_shared<const Kept>(Kept{part, store.symbols.by_dense()});
    parts.push_back({store.stored(kept->by_dense), part->indices});
    parts.back().tiles.owner = kept;
  }
  return parts;
}

std::shared_ptr<const TierPart> PatternTiers::make_part(const TierRows& rows,
                                                        Residency residency) const {
  auto part = std::make_shared<TierPart>();
  part->segment = std::make_shared<const PatternSegment>(*m_context, rows.symbols, residency);
  part->indices = rows.indices;
  return part;
}

void PatternTiers::add_bulk(TierRows rows, Parts& bulk) const {
  const std::uint64_t longest = m_settings->max_pattern_length;
  const Residency residency = wants_device() ? Residency::both : Residency::host;
  TierRows longer;
  if (residency == Residency::both && longest > 0) {
    TierRows shorter;
    const RaggedSpan<Symbol> all = rows.symbols;
    for (std::size_t i = 0; i < rows.indices.size(); ++i) {
      TierRows& to = all.length(i) > longest ? longer : shorter;
      to.indices.push_back(rows.indices[i]);
      to.symbols.push_row(all[i]);
    }
    rows = std::move(shorter);
  }
  if (!longer.indices.empty()) bulk.push_back({make_part(longer, Residency::host)});
  if (!rows.indices.empty()) bulk.push_back({make_part(rows, residency)});
  check_budget(bulk);
}

void PatternTiers::check_budget(const Parts& bulk) const {
  if (!wants_device()) return;
  std::uint64_t bytes = 0;
  for (const PlacedPart& placed : bulk) bytes += placed.part->segment->bytes(Space::cuda);
  const auto budget = static_cast<double>(m_context->info(Space::cuda).memory_budget);
  const double bytes_allowed =
      budget * m_settings->memory_fraction / (1.0 + m_settings->growth_fraction);
  if (static_cast<double>(bytes) <= bytes_allowed) return;
  throw OutOfMemory("cuda", bytes, "Kindred::PatternMemory::bulk",
                    "the bulk tier is limited to " +
                        std::to_string(static_cast<std::uint64_t>(bytes_allowed)) +
                        " bytes by memory_fraction and growth_fraction");
}

PatternTiers::Parts PatternTiers::joined(const Parts& group) const {
  std::vector<std::uint64_t> indices;
  for (auto placed = group.rbegin(); placed != group.rend(); ++placed) {
    const auto& more = placed->part->indices;
    indices.insert(indices.end(), more.begin(), more.end());
  }
  try {
    auto part = make_part(m_rows->load(std::move(indices)),
                          on_device(*group[0].part) ? Residency::both : Residency::host);
    return part->size() > 0 ? Parts{{std::move(part)}} : Parts{};
  } catch (const OutOfMemory& error) {
    // There is no memory for the old and the new parts at the same time, so the old ones are kept.
    m_context->log(LogLevel::warning, std::string("segments were not merged: ") + error.what());
    return group;
  }
}

void PatternTiers::compact(Parts& bulk) const {
  Parts done;  // from the last to the first
  while (!bulk.empty()) {
    Parts group{bulk.back()};
    bulk.pop_back();
    std::uint64_t size = group[0].part->size();
    while (!bulk.empty() && on_device(*bulk.back().part) == on_device(*group[0].part) &&
           bulk.back().part->size() <= growth * size) {
      size += bulk.back().part->size();
      group.push_back(bulk.back());
      bulk.pop_back();
    }
    if (group.size() > 1 || rebuild_share * group[0].forgotten > size) group = joined(group);
    done.insert(done.end(), group.begin(), group.end());
  }
  bulk.assign(done.rbegin(), done.rend());
}

void PatternTiers::reclaim() {
  const auto from = view();
  const bool is_whole = std::all_of(from->bulk.begin(), from->bulk.end(),
                                    [](const PlacedPart& placed) { return placed.forgotten == 0; });
  if (is_whole) return;
  Parts bulk;
  for (const PlacedPart& placed : from->bulk) {
    if (placed.forgotten == 0) {
      bulk.push_back(placed);
      continue;
    }
    for (PlacedPart& part : joined({placed})) bulk.push_back(std::move(part));
  }
  Change(*from, from->bulk_end, std::move(bulk), {}).publish(*this, from->bulk_end);
}

SyncRecord PatternTiers::sync(SyncTrigger trigger, std::uint64_t end) {
  const auto start = std::chrono::steady_clock::now();
  SyncRecord record;
  record.trigger = trigger;
  view_to(end);
  // The current recent parts belong to this synchronisation; patterns learned meanwhile get
  // separate parts.
  const std::shared_ptr<const TierView> from = publish([](TierView& next) {
    next.frozen_end = next.end;
    return true;
  });
  std::uint64_t moved_end = from->end;
  try {
    Parts bulk = from->bulk;
    Parts left;
    TierRows rows = m_rows->load(m_rows->live_in(from->bulk_end, from->end));
    const std::uint64_t all = rows.indices.size();
    const std::uint64_t most = m_settings->max_bulk_patterns.value_or(all + from->bulk_live());
    const std::uint64_t bytes_allowed = most - std::min(most, from->bulk_live());
    if (all > bytes_allowed) {
      moved_end = rows.indices[bytes_allowed];
      TierRows rest;
      rest.indices.assign(rows.indices.begin() + static_cast<std::ptrdiff_t>(bytes_allowed),
                          rows.indices.end());
      for (std::size_t row = bytes_allowed; row < all; ++row)
        rest.symbols.push_row(RaggedSpan<Symbol>(rows.symbols)[row]);
      left.push_back({make_part(rest, Residency::host)});
      rows.indices.resize(bytes_allowed);
      rows.symbols.offsets.resize(bytes_allowed + 1);
      rows.symbols.values.resize(rows.symbols.offsets.back());
      record.why_left =
          "the bulk tier holds max_bulk_patterns = " + std::to_string(most) + " patterns";
    }
    record.moved = rows.indices.size();
    if (record.moved > 0) add_bulk(std::move(rows), bulk);
    compact(bulk);
    Change change(*from, from->end, std::move(bulk), std::move(left));
    if (change.publish(*this, moved_end)) {
      for (const PlacedPart& placed : change.next.recent) record.left += placed.live();
    } else {
      record.moved = 0;  // all patterns were forgotten meanwhile
    }
    if (record.left == 0) record.why_left.clear();
  } catch (const std::exception& error) {
    publish([&](TierView& next) {
      next.frozen_end = from->bulk_end;
      return true;
    });
    if (dynamic_cast<const Cancelled*>(&error) != nullptr) throw;
    record.moved = 0;
    for (const PlacedPart& placed : from->recent) record.left += placed.live();
    record.why_left = error.what();
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return record;
}

/// A part to be searched.
struct PatternTiers::Search {
  PlacedPart placed;
  std::optional<CandidatePatterns> candidates;  ///< if the results are restricted to some

  const PatternSegment& segment() const noexcept { return *placed.part->segment; }
};

template <class Matches>
DispatchRecord PatternTiers::answer(Workload workload, std::optional<Space> space,
                                    const std::vector<Search>& parts,
                                    std::vector<std::vector<Found>>& answers,
                                    const Matches& matches_of) const {
  workload.history = &m_history;
  workload.starts = 0;
  std::vector<std::vector<Found>> found;
  const DispatchRecord record = m_context->run(workload, space, [&](Space at) {
    found.assign(answers.size(), {});
    for (const Search& part : parts) {
      const TierPart& of = *part.placed.part;
      const std::vector<std::vector<Match>> rows = matches_of(at, part);
      for (std::size_t q = 0; q < rows.size(); ++q) {
        for (const Match& match : rows[q]) {
          found[q].push_back(
              {{of.indices[match.index], match.similarity, match.matched, match.distance},
               &of,
               match.index});
        }
      }
    }
  });
  for (std::size_t q = 0; q < found.size(); ++q)
    answers[q].insert(answers[q].end(), found[q].begin(), found[q].end());
  return record;
}

DispatchRecord PatternTiers::scan(const TierView& view, const std::vector<Search>& parts,
                                  SpaceSet resident, RaggedSpan<Symbol> queries,
                                  const MatchOptions& options,
                                  std::vector<std::vector<Found>>& answers) const {
  Workload workload;
  workload.operation = Impl::info_of(options.measure).operation;
  workload.resident = resident;
  for (const Search& part : parts) {
    MatchOptions requested = options;
    requested.top = part.candidates
                        ? part.candidates->scanned_top(options)
                        : first_top(part.placed.part->size(), part.placed.live(), options.top);
    part.segment().add_to(workload, queries, requested);
  }
  // A requested device applies to the bulk tier; the recent tier is always scanned on the host.
  const bool elsewhere = options.space == Space::cuda && !resident.contains(Space::cuda) &&
                         m_context->is_usable(Space::cuda);
  return answer(workload, elsewhere ? std::nullopt : options.space, parts, answers,
                [&](Space space, const Search& part) {
                  if (part.candidates) return part.candidates->scan(space, queries, options);
                  return match_kept(
                      part.segment(), space, queries, options, part.placed.live(),
                      [&](std::uint64_t place) {
                        return !view.forgotten.contains(part.placed.part->indices[place]);
                      });
                });
}

DispatchRecord PatternTiers::compare(const std::vector<Search>& parts, RaggedSpan<Symbol> queries,
                                     const MatchOptions& options,
                                     std::vector<std::vector<Found>>& answers) const {
  Workload workload;
  workload.operation = Operations::pattern_candidates;
  workload.resident = SpaceSet::host();
  for (const Search& part : parts) part.candidates->add_to(workload, queries, options);
  return answer(workload, options.space, parts, answers, [&](Space space, const Search& part) {
    return part.candidates->compare(*m_context, space, queries, options);
  });
}

MatchResults PatternTiers::match(const TierView& view, RaggedSpan<Symbol> queries,
                                 const MatchOptions& options) const {
  std::optional<std::vector<std::uint64_t>> allowed;
  if (options.filter) {
    allowed = checked_candidates(*options.filter, view.end);
    std::erase_if(*allowed, [&](std::uint64_t index) { return view.forgotten.contains(index); });
  }
  std::vector<Search> few;         // parts of which some patterns are compared
  std::vector<Search> everywhere;  // parts that a device can scan as well
  std::vector<Search> host;
  for (const Parts* parts : {&view.bulk, &view.recent}) {
    for (const PlacedPart& placed : *parts) {
      if (placed.live() == 0) continue;
      Search search{placed, {}};
      if (allowed) {
        auto places = places_in(*placed.part, *allowed);
        if (places.empty()) continue;
        search.candidates.emplace(search.segment(), std::move(places));
      }
      const bool compares = allowed && search.candidates->are_few(options.space);
      auto& group = compares ? few : on_device(*placed.part) ? everywhere : host;
      group.push_back(std::move(search));
    }
  }
  MatchResults results;
  std::vector<std::vector<Found>> answers(queries.rows());
  if (!few.empty()) results.record = compare(few, queries, options, answers);
  if (!host.empty() || (few.empty() && everywhere.empty()))
    results.record = scan(view, host, SpaceSet::host(), queries, options, answers);
  if (!everywhere.empty())
    results.record = scan(view, everywhere, SpaceSet::all(), queries, options, answers);
  for (std::size_t q = 0; q < answers.size(); ++q) {
    std::sort(answers[q].begin(), answers[q].end());
    if (answers[q].size() > options.top) answers[q].resize(options.top);
    for (const Found& found : answers[q]) {
      results.matches.values.push_back(found.match);
      if (options.blocks)
        results.blocks.push_row(found.part->segment->blocks(found.local, queries[q], options));
    }
    results.matches.close_row();
  }
  return results;
}

}  // namespace Kindred::Impl
