// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include "PatternMemoryState.hpp"

#include <kindred/backends/impl/ThreadCount.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace Kindred {

PatternMemory PatternMemory::load(Context& context, const std::string& path,
                                  PatternSettings settings, Level level) try {
  auto state = std::make_unique<State>(context, settings, level);
  state->restore(Impl::read_patterns(path, context.threads()));
  return PatternMemory(std::move(state));
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::load");
}

PatternFileInfo PatternMemory::inspect(const std::string& path, int threads) try {
  const Impl::StoredPatterns stored = Impl::read_patterns(path, Impl::threads_or_all(threads));
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
  if (state.level == Level::token) state.tiers.reclaim();
  state.write_file(
      [&] {
        Impl::PatternCut cut = state.begin_saving(0);
        state.complete(cut);
        return cut;
      },
      [&](const Impl::PatternCut& cut, const Impl::RowReader& reader) {
        Impl::SectionWriter writer(path, Impl::patterns_kind);
        return Impl::write_patterns(writer, cut, state.vocabulary, reader);
      });
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::save");
}

std::vector<std::byte> PatternMemory::to_bytes() const try {
  State& state = *m_state;
  if (state.level == Level::token) state.tiers.reclaim();
  const std::lock_guard one_at_a_time(state.saving_mutex);
  Impl::PatternCut cut;
  const auto drop_cut = [&] {
    const std::unique_lock lock(state.mutex);
    cut = {};
  };
  std::vector<std::byte> bytes;
  try {
    {
      const std::unique_lock lock(state.mutex);
      cut.rows = state.catalogue.cut(0);
      state.complete(cut);
    }
    Impl::SectionWriter writer(bytes, Impl::patterns_kind);
    Impl::write_patterns(writer, cut, state.vocabulary,
                         [&](const std::function<void()>& read) { state.read_rows(read); });
  } catch (...) {
    drop_cut();
    throw;
  }
  drop_cut();
  return bytes;
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::to_bytes");
}

PatternMemory PatternMemory::from_bytes(Context& context, std::span<const std::byte> bytes,
                                        PatternSettings settings, Level level) try {
  auto state = std::make_unique<State>(context, settings, level);
  state->restore(Impl::read_patterns(
      std::make_shared<const Impl::SectionFile>(bytes, Impl::patterns_kind, context.threads()),
      context.threads()));
  return PatternMemory(std::move(state));
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::from_bytes");
}

void PatternMemory::append(const std::string& path) try {
  State& state = *m_state;
  Impl::FileRevision revision;
  state.write_file(
      [&] {
        KINDRED_THROW_IF(!state.saved, "this memory was neither saved nor loaded; save it first");
        Impl::PatternCut cut = state.begin_saving(state.saved->rows);
        cut.symbols = state.saved->symbols;
        cut.changed = state.saved->changed();
        for (const std::uint64_t row : cut.changed)
          cut.changed_frequency.push_back(state.catalogue.frequency(row));
        cut.has_lower = state.saved->has_lower;
        revision = state.saved->revision;
        return cut;
      },
      [&](const Impl::PatternCut& cut, const Impl::RowReader& reader) {
        return Impl::append_patterns(path, revision, cut, state.vocabulary, reader);
      });
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::append");
}

}  // namespace Kindred
