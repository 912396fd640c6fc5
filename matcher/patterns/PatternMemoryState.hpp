// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_PATTERN_MEMORY_STATE_HPP
#define KINDRED_MATCHER_PATTERNS_PATTERN_MEMORY_STATE_HPP

#include "BulkLearn.hpp"
#include "ChangesSinceSave.hpp"
#include "PatternCatalogue.hpp"
#include "PatternTiers.hpp"
#include "PatternWriter.hpp"
#include "StoredPatterns.hpp"
#include "SyncWorker.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \throws InvalidArgument if \p text is not valid UTF-8
inline void check_characters(std::string_view text) {
  std::vector<Symbol> points;
  append_code_points(text, points);
}

/// \throws InvalidArgument for an invalid setting; SpaceUnavailable if a device is required and not
/// usable
inline const PatternSettings& checked(const Context& context, const PatternSettings& settings) {
  settings.validate();
  if (!settings.enabled || settings.fallback_to_host) return settings;
  const SpaceInfo& device = context.info(Space::cuda);
  const bool capable = device.compute_capability >= settings.min_compute_capability;
  if (device.usable && capable) return settings;
  throw SpaceUnavailable("cuda: " +
                         (device.usable
                              ? "compute capability " + std::to_string(device.compute_capability) +
                                    " is below " + std::to_string(settings.min_compute_capability) +
                                    ", min_compute_capability"
                              : device.why_not) +
                         "; set fallback_to_host, or clear enabled");
}

}  // namespace Kindred::Impl

namespace Kindred {

struct KINDRED_HIDDEN PatternMemory::State {
  /// The patterns as they are compared at one level, in tiers.
  struct LevelTiers final : Impl::PatternRows {
    LevelTiers(const State& owner, Level at)
        : state(&owner), level(at), tiers(owner.context, owner.settings, *this) {}

    // Reads the rows in batches, so that learning never waits long for the lock.
    Impl::TierRows load(std::vector<std::uint64_t> indices) const override {
      constexpr std::size_t run = 4096;
      Impl::TierRows rows;
      rows.indices.reserve(indices.size());
      for (std::size_t begin = 0; begin < indices.size(); begin += run) {
        const std::shared_lock lock(state->mutex);
        for (std::size_t i = begin; i < std::min(indices.size(), begin + run); ++i) {
          if (!state->catalogue.is_live(indices[i])) continue;
          rows.indices.push_back(indices[i]);
          append_compared(indices[i], rows.symbols.values);
          rows.symbols.close_row();
        }
      }
      return rows;
    }
    std::vector<std::uint64_t> live_in(std::uint64_t begin, std::uint64_t end) const override {
      const std::shared_lock lock(state->mutex);
      return state->catalogue.live_in(begin, end);
    }
    /// Appends the symbols of a pattern at this level. The caller holds the lock.
    void append_compared(std::uint64_t index, std::vector<Symbol>& out) const {
      if (level == Level::token) {
        state->catalogue.append_symbols(index, out);
        return;
      }
      std::vector<Symbol> tokens;
      state->catalogue.append_symbols(index, tokens);
      const std::vector<Symbol> points = joined_code_points(state->vocabulary.decode(tokens));
      out.insert(out.end(), points.begin(), points.end());
    }

    const State* state;
    const Level level;
    Impl::PatternTiers tiers;
  };

  State(Context& made_from, const PatternSettings& given, Level compared)
      : context(made_from),
        settings(Impl::checked(made_from, given)),
        level(compared),
        own(*this, compared),
        tiers(own.tiers),
        worker(
            settings, [this](SyncTrigger trigger) { return synchronise(trigger); },
            [this] { return recent(); }, [this] { return tiers.view()->fill(); }) {}

  /// The tiers of the other level, or null if no call has needed them.
  Impl::PatternTiers* other_tiers() const noexcept {
    LevelTiers* const made = other.load();
    return made != nullptr ? &made->tiers : nullptr;
  }
  /// The tiers of \p at, which are made if necessary.
  Impl::PatternTiers& tiers_at(Level at) {
    if (at == level) return tiers;
    if (Impl::PatternTiers* const made = other_tiers()) return *made;
    const auto one_writer = Impl::cancellable_lock(writing_mutex);
    if (!owned_other) owned_other = std::make_unique<LevelTiers>(*this, at);
    other = owned_other.get();
    return owned_other->tiers;
  }

  std::uint64_t learned() const {
    const std::shared_lock lock(mutex);
    return catalogue.size();
  }
  /// Counts a call that compared \p rows queries.
  void count(std::uint64_t rows, const DispatchRecord& record) const {
    queries += rows;
    if (settings.log_kernel_timing) context.log(LogLevel::info, to_json(record));
  }
  /// Forgets the pattern that `find()` returns under the lock, if there is one. Returns whether
  /// there was.
  template <class Find>
  bool forget_found(const Find& find) {
    const bool was_there = Impl::translating_out_of_memory("Kindred::PatternMemory::forget", [&] {
      const auto one_writer = Impl::cancellable_lock(writing_mutex);
      const std::unique_lock lock(mutex);
      const std::optional<std::uint64_t> index = find();
      if (!index || !catalogue.is_live(*index)) return false;
      catalogue.prepare_to_forget(*index);
      mark(*index);
      tiers.forget(*index, [&] {
        if (Impl::PatternTiers* const others = other_tiers()) others->forget(*index);
      });
      catalogue.forget(*index);
      return true;
    });
    if (was_there) worker.forgot();
    return was_there;
  }
  /// Number of patterns that a synchronisation would move. A forgotten pattern is removed from both
  /// tiers and the catalogue under one lock.
  std::uint64_t recent() const {
    const std::shared_lock lock(mutex);
    return catalogue.live() - tiers.view()->bulk_live();
  }

  SyncRecord synchronise(SyncTrigger trigger) {
    SyncRecord record = tiers.sync(trigger, learned());
    warn_of_left(record);
    if (Impl::PatternTiers* const others = other_tiers())
      warn_of_left(others->sync(trigger, learned()));
    if (settings.log_memory_usage) log_memory();
    return record;
  }

  void warn_of_left(const SyncRecord& record) const {
    if (record.left == 0) return;
    context.log(LogLevel::warning, std::to_string(record.left) +
                                       " patterns stay in the recent tier: " + record.why_left);
  }

  /// Bytes of the tiers of both levels in the memory of \p space.
  std::uint64_t bytes(Space space) const {
    const Impl::PatternTiers* const others = other_tiers();
    return tiers.view()->bytes(space) + (others != nullptr ? others->view()->bytes(space) : 0);
  }
  void log_memory() const {
    context.log(LogLevel::info, "patterns hold " + std::to_string(bytes(Space::serial)) +
                                    " bytes on the host, " + std::to_string(bytes(Space::cuda)) +
                                    " on the device");
  }

  void restore(Impl::StoredPatterns stored) {
    if (level == Level::character) {
      for (std::size_t s = 0; s < stored.vocabulary.size(); ++s) {
        Impl::check_characters(stored.vocabulary.text(static_cast<Symbol>(s)));
      }
      stored.parts.clear();  // they are segments of tokens
      stored.bulk_end = 0;
      stored.forgotten.clear();
    }
    tiers.restore(stored.parts, stored.bulk_end, stored.forgotten);
    const std::unique_lock lock(mutex);
    file = std::move(stored.file);
    vocabulary = std::move(stored.vocabulary);
    catalogue = std::move(stored.catalogue);
    saved.emplace(catalogue.size());
    saved->revision = file->revision();
    saved->symbols = vocabulary.size();
  }

  /// Records that a stored row is about to change. The caller holds the lock of the catalogue.
  /// \param is_lower whether its frequency becomes lower, but not 0
  void mark(std::uint64_t row, bool is_lower = false) {
    for (auto* changes : {&saved, &saving}) {
      if (*changes && is_lower) (*changes)->mark_lower(row);
      if (*changes && !is_lower) (*changes)->mark(row);
    }
  }
  /// Starts to record the changes after this moment. The caller holds the lock.
  Impl::PatternCut begin_saving(std::uint64_t first_row) {
    Impl::PatternCut cut;
    cut.rows = catalogue.cut(first_row);
    saving.emplace(cut.rows.end);
    return cut;
  }
  /// Adds what only a first commit contains to the cut of all rows. The caller holds the lock.
  void complete(Impl::PatternCut& cut) const {
    cut.by_name = catalogue.name_table();
    cut.by_events = catalogue.event_table();
    const auto patterns_with = catalogue.patterns_with();
    cut.patterns_with.assign(patterns_with.begin(), patterns_with.end());
    const auto symbol_frequency = catalogue.symbol_frequency();
    cut.symbol_frequency.assign(symbol_frequency.begin(), symbol_frequency.end());
    if (level != Level::token) return;
    const auto view = tiers.view();
    cut.parts = Impl::PatternTiers::stored(*view);
    cut.bulk_end = view->bulk_end;
  }
  /// \see RowReader
  void read_rows(const std::function<void()>& read) const {
    const std::shared_lock lock(mutex);
    read();
  }
  /// Takes a snapshot with `take_cut()` under the lock and writes it with `write(cut, reader)`. The
  /// snapshot shares tables with the catalogue, so it is also destroyed under the lock.
  template <class Cut, class Write>
  void write_file(const Cut& take_cut, const Write& write) {
    const std::lock_guard one_at_a_time(saving_mutex);
    Impl::PatternCut cut;
    {
      const std::unique_lock lock(mutex);
      cut = take_cut();
    }
    try {
      const Impl::WrittenPatterns written =
          write(cut, [this](const std::function<void()>& read) { read_rows(read); });
      const std::unique_lock lock(mutex);
      cut = {};
      saving->revision = written.revision;
      saving->symbols = written.symbols;
      saved = std::exchange(saving, std::nullopt);
    } catch (...) {
      const std::unique_lock lock(mutex);
      cut = {};
      saving.reset();
      throw;
    }
  }

  /// Learns what `plan()` returns, a `BulkLearn`.
  template <class Plan>
  std::vector<LearnedPattern> learn_all(const Plan& make_plan) {
    auto learned = Impl::translating_out_of_memory("Kindred::PatternMemory::learn_all", [&] {
      const auto one_writer = Impl::cancellable_lock(writing_mutex);
      Impl::BulkLearn plan = make_plan();
      const std::vector<std::uint64_t> raised = plan.raised();
      const std::unique_lock lock(mutex);
      for (const std::uint64_t index : raised) mark(index);
      plan.prepare(catalogue, vocabulary);
      return plan.learn(catalogue);
    });
    worker.learned();
    return learned;
  }
  Impl::HostWorkers workers() const { return Impl::host_workers(context, Space::openmp); }
  /// Checks a text that is to be a symbol. \throws InvalidArgument
  Impl::BulkLearn::CheckText text_check() const {
    if (level == Level::character) return Impl::check_characters;
    return [](std::string_view) {};
  }

  /// Forgets all patterns in the catalogue and, by \p drop, in the tiers. The caller holds
  /// `writing_mutex`.
  void forget_all(const Impl::PatternTiers::Drop& drop) {
    const std::unique_lock lock(mutex);
    const std::vector<std::uint64_t> live = catalogue.live_in(0, catalogue.size());
    std::vector<std::uint64_t> since_saved;
    std::vector<std::uint64_t> since_saving;
    if (saved) since_saved = saved->cleared_with(live);
    if (saving) since_saving = saving->cleared_with(live);
    if (saved) saved->clear(std::move(since_saved));
    if (saving) saving->clear(std::move(since_saving));
    catalogue.clear();
    drop(catalogue.size());
  }

  [[noreturn]] void refuse_unknown(std::uint64_t index) const {
    throw NotFound("pattern " + std::to_string(index) +
                   (index < catalogue.size() ? " was forgotten" : " was never learned"));
  }

  Context& context;
  const PatternSettings settings;
  const Level level;
  /// The mapped file of the catalogue and the stored segments.
  std::shared_ptr<const Impl::SectionFile> file;
  /// Held by every call that changes the catalogue or adds to the vocabulary, before `mutex`.
  Impl::TimedMutex writing_mutex;
  mutable Impl::SharedMutex mutex;  ///< protects the catalogue from being read during a change
  Vocabulary vocabulary;
  Impl::PatternCatalogue catalogue;
  LevelTiers own;
  Impl::PatternTiers& tiers;                ///< of `own`
  std::unique_ptr<LevelTiers> owned_other;  ///< made while `writing_mutex` is held
  std::atomic<LevelTiers*> other{nullptr};
  mutable std::atomic<std::uint64_t> queries{0};
  Impl::Mutex saving_mutex;                     ///< held during a save or append
  std::optional<Impl::ChangesSinceSave> saved;  ///< state of the last file; protected by `mutex`
  std::optional<Impl::ChangesSinceSave>
      saving;  ///< state of the file that is being written; likewise
  /// Last, so that its thread ends before the other members are destroyed.
  Impl::SyncWorker worker;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PATTERNS_PATTERN_MEMORY_STATE_HPP
