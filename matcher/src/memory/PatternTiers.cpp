// SPDX-License-Identifier: Apache-2.0
#include "PatternTiers.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <utility>

namespace Kindred::Impl {

namespace {

/// Recent parts smaller than this are made again with what is learned next.
constexpr std::uint64_t tail_patterns = 1024;
/// A bulk part is joined with the one before it unless that one is this many times larger.
constexpr std::uint64_t growth = 4;

std::vector<std::uint64_t> range(std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint64_t> indices(end - begin);
  std::iota(indices.begin(), indices.end(), begin);
  return indices;
}

std::uint64_t patterns_of(const std::vector<std::shared_ptr<const TierPart>>& parts) {
  std::uint64_t patterns = 0;
  for (const auto& part : parts) patterns += part->size();
  return patterns;
}

/// Symbols of the longest pattern: slots are sorted by length.
std::uint32_t longest_of(const StoredPart& part) { return part.tiles.lengths.back(); }

bool on_device(const TierPart& part) { return part.segment->resident().contains(Space::cuda); }

}  // namespace

/// A match and where its pattern lies.
struct PatternTiers::Found {
  Match match;
  const TierPart* part;
  std::uint64_t local;

  bool operator<(const Found& other) const {
    return match.similarity != other.match.similarity ? match.similarity > other.match.similarity
                                                      : match.index < other.match.index;
  }
};

std::uint64_t TierView::bytes(Space space) const noexcept {
  std::uint64_t bytes = 0;
  for (const auto* parts : {&bulk, &recent})
    for (const auto& part : *parts) bytes += part->segment->bytes(space);
  return bytes;
}

std::uint64_t TierView::forgotten_in(const TierPart& part) const noexcept {
  if (forgotten.empty() || part.indices.empty()) return 0;
  const auto first = std::lower_bound(forgotten.begin(), forgotten.end(), part.indices.front());
  const auto last = std::upper_bound(first, forgotten.end(), part.indices.back());
  return static_cast<std::uint64_t>(std::count_if(first, last, [&](std::uint64_t index) {
    return std::binary_search(part.indices.begin(), part.indices.end(), index);
  }));
}

PatternTiers::PatternTiers(Context& context, const PatternSettings& settings,
                           const PatternRows& rows)
    : m_context(&context),
      m_settings(&settings),
      m_rows(&rows),
      m_view(std::make_shared<const TierView>()) {}

bool PatternTiers::wants_device() const noexcept {
  return m_settings->enabled && m_context->is_usable(Space::cuda) &&
         m_context->info(Space::cuda).compute_capability >= m_settings->min_compute_capability;
}

std::shared_ptr<const TierView> PatternTiers::view() const {
  const std::lock_guard lock(m_view_mutex);
  return m_view;
}

template <class Change>
void PatternTiers::publish(const Change& change) {
  const std::lock_guard lock(m_view_mutex);
  auto next = std::make_shared<TierView>(*m_view);
  change(*next);
  m_view = std::move(next);
}

std::shared_ptr<const TierView> PatternTiers::view_to(std::uint64_t end) {
  std::shared_ptr<const TierView> now = view();
  if (now->end >= end) return now;
  const std::lock_guard lock(m_tail_mutex);
  now = view();
  if (now->end >= end) return now;
  // Small parts at the end are made again, larger ones as often as their size doubles.
  std::uint64_t begin = now->end;
  std::size_t kept = now->recent.size();
  while (kept > 0) {
    const TierPart& last = *now->recent[kept - 1];
    if (last.indices.front() < m_frozen_end) break;
    if (last.size() >= std::max(tail_patterns, end - begin)) break;
    begin = last.indices.front();
    --kept;
  }
  const auto part = make_part(m_rows->load(range(begin, end)), Residency::host);
  publish([&](TierView& next) {
    next.recent.resize(kept);
    if (part->size() > 0) next.recent.push_back(part);
    next.end = end;
  });
  return view();
}

void PatternTiers::forget(std::uint64_t index) {
  publish([&](TierView& next) {
    next.forgotten.insert(std::lower_bound(next.forgotten.begin(), next.forgotten.end(), index),
                          index);
  });
}

void PatternTiers::restore(const std::vector<StoredPart>& stored, std::uint64_t bulk_end,
                           std::vector<std::uint64_t> forgotten) {
  Parts bulk;
  for (const StoredPart& from : stored) {
    const auto add = [&](Residency residency) {
      auto part = std::make_shared<TierPart>();
      part->indices.assign(from.patterns.begin(), from.patterns.end());
      part->segment = std::make_shared<const PatternSegment>(*m_context, from.tiles, residency);
      bulk.push_back(std::move(part));
    };
    const std::uint64_t longest = m_settings->max_pattern_length;
    if (wants_device() && (longest == 0 || longest_of(from) <= longest)) {
      const std::size_t before = bulk.size();
      try {
        add(Residency::both);
        check_room(bulk);
        continue;
      } catch (const OutOfMemory& error) {
        bulk.resize(before);
        m_context->log(LogLevel::warning,
                       std::string("stored patterns stay on the host: ") + error.what());
      }
    }
    add(Residency::host);
  }
  const std::lock_guard tail_lock(m_tail_mutex);
  publish([&](TierView& next) {
    next.bulk = std::move(bulk);
    next.bulk_end = next.end = bulk_end;
    next.forgotten = std::move(forgotten);
  });
  m_frozen_end = bulk_end;
}

std::vector<StoredPart> PatternTiers::stored(const TierView& view) {
  struct Kept {
    std::shared_ptr<const TierPart> part;
    std::vector<Symbol> by_dense;
  };
  std::vector<StoredPart> parts;
  for (const auto& part : view.bulk) {
    const PatternStore& store = part->segment->store();
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
  if (!longer.indices.empty()) bulk.push_back(make_part(longer, Residency::host));
  if (!rows.indices.empty()) bulk.push_back(make_part(rows, residency));
  check_room(bulk);
}

void PatternTiers::check_room(const Parts& bulk) const {
  if (!wants_device()) return;
  std::uint64_t bytes = 0;
  for (const auto& part : bulk) bytes += part->segment->bytes(Space::cuda);
  const auto budget = static_cast<double>(m_context->info(Space::cuda).memory_budget);
  const double room = budget * m_settings->memory_fraction / (1.0 + m_settings->growth_fraction);
  if (static_cast<double>(bytes) <= room) return;
  throw OutOfMemory("cuda", bytes, "Kindred::PatternMemory::bulk",
                    "the bulk tier may take " + std::to_string(static_cast<std::uint64_t>(room)) +
                        " bytes by memory_fraction and growth_fraction");
}

void PatternTiers::compact(Parts& bulk, const TierView& view) const {
  Parts done;  // from the last to the first
  while (!bulk.empty()) {
    Parts group{bulk.back()};
    bulk.pop_back();
    std::uint64_t size = group[0]->size();
    while (!bulk.empty() && on_device(*bulk.back()) == on_device(*group[0]) &&
           bulk.back()->size() <= growth * size) {
      size += bulk.back()->size();
      group.push_back(bulk.back());
      bulk.pop_back();
    }
    std::uint64_t forgotten = 0;
    for (const auto& part : group) forgotten += view.forgotten_in(*part);
    if (group.size() == 1 && forgotten <= tail_patterns && 4 * forgotten <= size) {
      done.push_back(group[0]);
      continue;
    }
    std::vector<std::uint64_t> indices;
    for (auto part = group.rbegin(); part != group.rend(); ++part) {
      indices.insert(indices.end(), (*part)->indices.begin(), (*part)->indices.end());
    }
    try {
      const auto part = make_part(m_rows->load(std::move(indices)),
                                  on_device(*group[0]) ? Residency::both : Residency::host);
      if (part->size() > 0) done.push_back(part);
    } catch (const OutOfMemory& error) {
      // Old and new do not fit side by side: they stay as they are.
      m_context->log(LogLevel::warning, std::string("segments were not joined: ") + error.what());
      done.insert(done.end(), group.begin(), group.end());
    }
  }
  bulk.assign(done.rbegin(), done.rend());
}

SyncRecord PatternTiers::sync(SyncTrigger trigger, std::uint64_t end) {
  const std::lock_guard lock(m_sync_mutex);
  const auto start = std::chrono::steady_clock::now();
  SyncRecord record;
  record.trigger = trigger;
  std::shared_ptr<const TierView> from;
  {
    // What is recent now belongs to this sync; what is learned meanwhile gets parts of its own.
    from = view_to(end);
    const std::lock_guard tail_lock(m_tail_mutex);
    from = view();
    m_frozen_end = from->end;
  }
  Parts bulk = from->bulk;
  Parts left;
  std::uint64_t moved_end = from->end;
  const std::uint64_t recent = patterns_of(from->recent);
  try {
    TierRows rows = m_rows->load(range(from->bulk_end, from->end));
    const std::uint64_t room = m_settings->max_bulk_patterns
                                   ? *m_settings->max_bulk_patterns -
                                         std::min(*m_settings->max_bulk_patterns, patterns_of(bulk))
                                   : rows.indices.size();
    if (rows.indices.size() > room) {
      moved_end = rows.indices[room];
      record.left = rows.indices.size() - room;
      record.why_left = "the bulk tier holds max_bulk_patterns = " +
                        std::to_string(*m_settings->max_bulk_patterns) + " patterns";
      left.push_back(make_part(m_rows->load(range(moved_end, from->end)), Residency::host));
      rows.indices.resize(room);
      rows.symbols.offsets.resize(room + 1);
      rows.symbols.values.resize(rows.symbols.offsets.back());
    }
    record.moved = rows.indices.size();
    if (record.moved > 0) add_bulk(std::move(rows), bulk);
    compact(bulk, *from);
  } catch (const std::exception& error) {
    bulk = from->bulk;
    left = from->recent;
    moved_end = from->bulk_end;
    record.moved = 0;
    record.left = recent;
    record.why_left = error.what();
  }
  {
    const std::lock_guard tail_lock(m_tail_mutex);
    publish([&](TierView& next) {
      Parts later = std::move(left);
      for (const auto& part : next.recent) {
        if (part->indices.front() >= from->end) later.push_back(part);
      }
      next.bulk = std::move(bulk);
      next.recent = std::move(later);
      next.bulk_end = moved_end;
      std::erase_if(next.forgotten, [&](std::uint64_t index) {
        for (const Parts* parts : {&next.bulk, &next.recent}) {
          for (const auto& part : *parts) {
            if (std::binary_search(part->indices.begin(), part->indices.end(), index)) return false;
          }
        }
        return index < next.end;  // beyond it, a part under way may hold it
      });
    });
    m_frozen_end = moved_end;
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return record;
}

DispatchRecord PatternTiers::match_parts(const TierView& view, const Parts& parts,
                                         SpaceSet resident, RaggedSpan<Symbol> queries,
                                         const MatchOptions& options,
                                         std::vector<std::vector<Found>>& answers) const {
  Workload workload;
  workload.operation = options.measure == Measure::lcs ? Operation::lcs : Operation::difflib;
  workload.resident = resident;
  workload.history = &m_history;
  workload.starts = 0;
  std::vector<MatchOptions> asked(parts.size(), options);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    asked[p].top += view.forgotten_in(*parts[p]);
    parts[p]->segment->add_to(workload, queries, asked[p]);
  }
  // A forced device is where the bulk tier is scanned; the recent one is on the host always.
  const bool elsewhere = options.space == Space::cuda && !resident.contains(Space::cuda) &&
                         m_context->is_usable(Space::cuda);
  std::vector<std::vector<Found>> found;
  const DispatchRecord record =
      m_context->run(workload, elsewhere ? std::nullopt : options.space, [&](Space space) {
        found.assign(queries.rows(), {});
        for (std::size_t p = 0; p < parts.size(); ++p) {
          const auto rows = parts[p]->segment->match(space, queries, asked[p]);
          for (std::size_t q = 0; q < rows.size(); ++q) {
            for (const Match& match : rows[q]) {
              const std::uint64_t index = parts[p]->indices[match.index];
              if (std::binary_search(view.forgotten.begin(), view.forgotten.end(), index)) continue;
              found[q].push_back(
                  {{index, match.similarity, match.matched}, parts[p].get(), match.index});
            }
          }
        }
      });
  for (std::size_t q = 0; q < found.size(); ++q)
    answers[q].insert(answers[q].end(), found[q].begin(), found[q].end());
  return record;
}

MatchResults PatternTiers::match(const TierView& view, RaggedSpan<Symbol> queries,
                                 const MatchOptions& options) const {
  Parts everywhere;  // parts that a device can scan too
  Parts host;
  for (const Parts* parts : {&view.bulk, &view.recent})
    for (const auto& part : *parts) (on_device(*part) ? everywhere : host).push_back(part);
  MatchResults results;
  std::vector<std::vector<Found>> answers(queries.rows());
  if (!host.empty() || everywhere.empty())
    results.record = match_parts(view, host, SpaceSet::host(), queries, options, answers);
  if (!everywhere.empty())
    results.record = match_parts(view, everywhere, SpaceSet::all(), queries, options, answers);
  for (std::size_t q = 0; q < answers.size(); ++q) {
    std::sort(answers[q].begin(), answers[q].end());
    if (answers[q].size() > options.top) answers[q].resize(options.top);
    for (const Found& found : answers[q]) {
      results.matches.values.push_back(found.match);
      if (options.blocks)
        results.blocks.push_row(
            found.part->segment->blocks(found.local, queries[q], options.autojunk));
    }
    results.matches.close_row();
  }
  return results;
}

}  // namespace Kindred::Impl
