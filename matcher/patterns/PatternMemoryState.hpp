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
#include "kit/Turn.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
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

}  // namespace Kindred::Impl

namespace Kindred {

struct KINDRED_HIDDEN PatternMemory::State {
  /// The patterns as they are compared at one level, in tiers.
  struct LevelTiers final : Impl::PatternRows {
    LevelTiers(const State& owner, Level at)
        : state(&owner), level(at), tiers(owner.context, owner.settings, *this, owner.mutex) {}

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
        settings(checked(made_from, given)),
        level(compared),
        own(*this, compared),
        other(*this, compared == Level::token ? Level::character : Level::token),
        worker(
            settings, [this](SyncTrigger trigger) { return synchronise(trigger); },
            [this] {
              const std::shared_lock lock(mutex);
              return tiers().view()->fill(catalogue.live());
            }) {}

  /// \throws InvalidArgument for an invalid setting; SpaceUnavailable if a device is required and
  /// not usable
  static const PatternSettings& checked(const Context& context, const PatternSettings& settings);
  /// The tiers of the level of the memory.
  Impl::PatternTiers& tiers() noexcept { return own.tiers; }
  const Impl::PatternTiers& tiers() const noexcept { return own.tiers; }
  /// The tiers of \p at, which from now on follow every change.
  Impl::PatternTiers& tiers_at(Level at) {
    if (at == level) return own.tiers;
    if (!other_is_used) other_is_used = true;  // callers share the line that holds it
    return other.tiers;
  }
  /// Calls `visit(tiers)` for the tiers that follow every change.
  template <class Visit>
  void for_each_tiers(const Visit& visit) {
    visit(own.tiers);
    if (other_is_used) visit(other.tiers);
  }
  /// Copies of the views of these tiers. The caller has the lock alone.
  std::vector<Impl::PatternTiers::Update> updates() {
    std::vector<Impl::PatternTiers::Update> out;
    out.reserve(2);
    for_each_tiers([&](Impl::PatternTiers& tiers) { out.emplace_back(tiers); });
    return out;
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
  /// Records that a stored row is about to change. The caller has the lock alone.
  /// \param is_lower whether its frequency becomes lower, but not 0
  void mark(std::uint64_t row, bool is_lower = false) {
    for (auto* changes : {&saved, &saving}) {
      if (*changes && is_lower) (*changes)->mark_lower(row);
      if (*changes && !is_lower) (*changes)->mark(row);
    }
  }
  /// Learns patterns of texts or of numbers.
  template <class T>
  std::vector<LearnedPattern> learn_all(const EventLists<T>& patterns, const LearnOptions& options);
  /// Forgets the pattern that `find()` returns under the lock, if there is one. Returns whether
  /// there was.
  template <class Find>
  bool forget_found(const Find& find);

  SyncRecord synchronise(SyncTrigger trigger);
  void warn_of_left(const SyncRecord& record) const;
  /// Bytes of the tiers of both levels in the memory of \p space.
  std::uint64_t bytes(Space space) const;

  void restore(Impl::StoredPatterns stored);
  /// Before all patterns are written, with their segments if they are tokens.
  void reclaim();
  /// A cut of all rows, with what only a first commit contains. The caller holds the lock.
  Impl::PatternCut whole_cut() const;
  /// Writes such a cut to a new file.
  Impl::WrittenPatterns write_all(Impl::FileTarget target, const Impl::PatternCut& cut) const;
  /// What a write makes: a copy, or the file of this memory, of which later changes are recorded.
  enum class Becomes : bool { a_copy, the_file };
  /// Takes a snapshot with `take_cut()` and writes it with `write(cut)`. The snapshot shares tables
  /// with the catalogue, so it is taken and destroyed under the lock, shared.
  template <class Cut, class Write>
  void write_cut(Becomes becomes, const Cut& take_cut, const Write& write);

  [[noreturn]] void refuse_unknown(std::uint64_t index) const {
    throw NotFound("pattern " + std::to_string(index) +
                   (index < catalogue.size() ? " was forgotten" : " was never learned"));
  }

  Context& context;
  const PatternSettings settings;
  const Level level;
  /// The mapped file of the catalogue and the stored segments.
  std::shared_ptr<const Impl::SectionFile> file;
  /// \brief The one lock of the memory. A change of the catalogue, the views of the tiers or what
  /// was saved has it alone; `learn_all` prepares its change while others read. Readers of the
  /// catalogue, and those that publish parts of tiers or take a snapshot to be saved, share it.
  ///
  /// Nobody holds it while patterns are compared, segments are built or files are written, or while
  /// waiting for a turn; a thread that has it takes no other lock of the memory.
  mutable Impl::SharedMutex mutex;
  Vocabulary vocabulary;
  Impl::PatternCatalogue catalogue;
  LevelTiers own;
  LevelTiers other;
  std::atomic<bool> other_is_used{false};  ///< whether a call has compared at the other level
  mutable std::atomic<std::uint64_t> queries{0};
  mutable Impl::Turns<> saves;
  std::optional<Impl::ChangesSinceSave> saved;   ///< state of the last file
  std::optional<Impl::ChangesSinceSave> saving;  ///< state of the file that is being written
  /// Last, so that its thread ends before the other members are destroyed.
  Impl::SyncWorker worker;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PATTERNS_PATTERN_MEMORY_STATE_HPP
