// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include "PatternMemoryState.hpp"

#include <kindred/backends/impl/ThreadCount.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace Kindred {

void PatternMemory::State::restore(Impl::StoredPatterns stored) {
  if (level == Level::character) {
    for (std::size_t s = 0; s < stored.vocabulary.size(); ++s) {
      Impl::check_characters(stored.vocabulary.text(static_cast<Symbol>(s)));
    }
    stored.parts.clear();  // they are segments of tokens
    stored.bulk_end = 0;
    stored.forgotten.clear();
  }
  tiers().restore(stored.parts, stored.bulk_end, stored.forgotten);
  file = std::move(stored.file);
  vocabulary = std::move(stored.vocabulary);
  catalogue = std::move(stored.catalogue);
  saved.emplace(catalogue.size());
  saved->revision = file->revision();
  saved->symbols = vocabulary.size();
}

void PatternMemory::State::reclaim() {
  if (level != Level::token) return;
  const Impl::Turn<> alone = worker.turn();
  tiers().reclaim();
}

Impl::PatternCut PatternMemory::State::whole_cut() const {
  Impl::PatternCut cut;
  cut.rows = catalogue.cut(0);
  cut.by_name = catalogue.name_table();
  cut.by_events = catalogue.event_table();
  const auto patterns_with = catalogue.patterns_with();
  cut.patterns_with.assign(patterns_with.begin(), patterns_with.end());
  const auto symbol_frequency = catalogue.symbol_frequency();
  cut.symbol_frequency.assign(symbol_frequency.begin(), symbol_frequency.end());
  if (level != Level::token) return cut;
  const auto view = tiers().view();
  cut.parts = Impl::PatternTiers::stored(*view);
  cut.bulk_end = view->bulk_end;
  return cut;
}

Impl::WrittenPatterns PatternMemory::State::write_all(Impl::FileTarget target,
                                                      const Impl::PatternCut& cut) const {
  Impl::SectionWriter writer(std::move(target), Impl::patterns_kind);
  return Impl::write_patterns(writer, cut, vocabulary, mutex);
}

template <class Cut, class Write>
void PatternMemory::State::write_cut(Becomes becomes, const Cut& take_cut, const Write& write) {
  const Impl::Turn turn(saves);
  Impl::PatternCut cut;
  std::optional<Impl::WrittenPatterns> written;
  const auto finish = [&] {
    const std::shared_lock lock(mutex);
    cut = {};
    if (becomes == Becomes::a_copy) return;
    if (written) {
      saving->revision = written->revision;
      saving->symbols = written->symbols;
      saved = std::move(saving);
    }
    saving.reset();
  };
  try {
    {
      const std::shared_lock lock(mutex);
      cut = take_cut();
      if (becomes == Becomes::the_file) saving.emplace(cut.rows.end);
    }
    written = write(cut);
  } catch (...) {
    finish();
    throw;
  }
  finish();
}

PatternMemory PatternMemory::load(Context& context, const FileSource& source,
                                  PatternSettings settings, Level level) try {
  Impl::OwnedState<State> state(std::make_unique<State>(context, settings, level));
  state->restore(Impl::read_patterns(source, context.threads()));
  return PatternMemory(std::unique_ptr<State>(state.release()));
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::load");
}

PatternFileInfo PatternMemory::inspect(const FileSource& source, int threads) try {
  const Impl::StoredPatterns stored = Impl::read_patterns(source, Impl::threads_or_all(threads));
  const Impl::PatternCatalogue& catalogue = stored.catalogue;
  PatternFileInfo info;
  info.patterns = catalogue.live();
  info.learned = catalogue.size();
  info.total_frequency = catalogue.total_frequency();
  info.symbols = catalogue.symbols();
  info.vocabulary = stored.vocabulary.size();
  info.segments = stored.parts.size();
  for (const Impl::StoredPart& part : stored.parts) {
    for (const std::uint64_t pattern : part.patterns) {
      info.bulk += catalogue.is_live(pattern) ? 1 : 0;
    }
  }
  info.commits = stored.file->commits();
  info.bytes = stored.file->revision().bytes;
  info.uncommitted_bytes = stored.file->uncommitted_bytes();
  return info;
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::inspect");
}

void PatternMemory::save(const std::string& path) try {
  State& state = *m_state;
  state.reclaim();
  state.write_cut(
      State::Becomes::the_file, [&] { return state.whole_cut(); },
      [&](const Impl::PatternCut& cut) { return state.write_all(path, cut); });
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::save");
}

std::vector<std::byte> PatternMemory::to_bytes() const try {
  State& state = *m_state;
  state.reclaim();
  std::vector<std::byte> bytes;
  state.write_cut(
      State::Becomes::a_copy, [&] { return state.whole_cut(); },
      [&](const Impl::PatternCut& cut) { return state.write_all(bytes, cut); });
  return bytes;
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::to_bytes");
}

void PatternMemory::append(const std::string& path) try {
  State& state = *m_state;
  Impl::FileRevision revision;
  state.write_cut(
      State::Becomes::the_file,
      [&] {
        KINDRED_THROW_IF(!state.saved, "this memory was neither saved nor loaded; save it first");
        Impl::PatternCut cut;
        cut.rows = state.catalogue.cut(state.saved->rows);
        cut.symbols = state.saved->symbols;
        cut.changed = state.saved->changed();
        for (const std::uint64_t row : cut.changed)
          cut.changed_frequency.push_back(state.catalogue.frequency(row));
        cut.has_lower = state.saved->has_lower;
        revision = state.saved->revision;
        return cut;
      },
      [&](const Impl::PatternCut& cut) {
        return Impl::append_patterns(path, revision, cut, state.vocabulary, state.mutex);
      });
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::append");
}

}  // namespace Kindred
