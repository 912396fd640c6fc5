// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>

#include "sequence/SequenceScan.hpp"

#include <array>
#include <cmath>
#include <string>

namespace Kindred {

std::string_view to_string(Measure measure) noexcept {
  return measure == Measure::lcs ? "lcs" : "difflib";
}

struct SequenceMatcher::State {
  State(Context& made_from, RaggedSpan<Symbol> patterns, Residency residency)
      : context(made_from), store(made_from, patterns) {
    const std::shared_ptr<const Impl::TileBuffers<HostSpace>> tiles(
        std::shared_ptr<void>(), &store.tiles);  // the store outlives the scans
    for (const Space space : {Space::serial, Space::openmp}) {
      if (context.is_usable(space)) add_scan(space, tiles);
    }
    const bool wanted = residency == Residency::both ||
                        (residency == Residency::automatic && context.is_usable(Space::cuda));
    if (!wanted) return;
    try {
      Impl::with_instance(context, Space::cuda, [&](const auto& exec_space) {
        using space_type = std::decay_t<decltype(exec_space)>;
        add_scan(Space::cuda,
                 std::make_shared<const Impl::TileBuffers<space_type>>(
                     Impl::copy_tiles(exec_space, context.memory(Space::cuda), store.tiles)));
      });
    } catch (const OutOfMemory& error) {
      if (residency == Residency::both) throw;
      context.log(LogLevel::warning, std::string("patterns stay on the host: ") + error.what());
    }
  }

  template <class ExecutionSpace>
  void add_scan(Space space, std::shared_ptr<const Impl::TileBuffers<ExecutionSpace>> tiles) {
    const int workers = space == Space::serial ? 1 : space == Space::openmp ? context.threads() : 0;
    auto scan = std::make_shared<Impl::SequenceScan<ExecutionSpace>>(context.memory(space),
                                                                     std::move(tiles), workers);
    bytes[static_cast<std::size_t>(space)] = scan->tiles().bytes();
    scans[static_cast<std::size_t>(space)] = std::move(scan);
    resident = resident.with(space);
  }

  /// The scan of \p space, whose type is the one of its instance.
  template <class ExecutionSpace>
  Impl::SequenceScan<ExecutionSpace>& scan(Space space) const {
    return *static_cast<Impl::SequenceScan<ExecutionSpace>*>(
        scans[static_cast<std::size_t>(space)].get());
  }

  Context& context;
  Impl::PatternStore store;
  SpaceSet resident;
  std::array<std::uint64_t, space_count> bytes{};
  std::array<std::shared_ptr<void>, space_count> scans;
};

SequenceMatcher::SequenceMatcher(Context& context, RaggedSpan<Symbol> patterns, Residency residency)
    : m_state(std::make_unique<State>(context, patterns, residency)) {}
SequenceMatcher::~SequenceMatcher() = default;
SequenceMatcher::SequenceMatcher(SequenceMatcher&&) noexcept = default;
SequenceMatcher& SequenceMatcher::operator=(SequenceMatcher&&) noexcept = default;

std::size_t SequenceMatcher::size() const noexcept { return m_state->store.slot_of.size(); }
std::uint64_t SequenceMatcher::bytes(Space space) const noexcept {
  return m_state->bytes[static_cast<std::size_t>(space)];
}

MatchResults SequenceMatcher::match(RaggedSpan<Symbol> queries, const MatchOptions& options) const {
  KINDRED_THROW_IF(!(options.threshold >= 0.0 && options.threshold <= 1.0),
                   "threshold is " + std::to_string(options.threshold) + "; it must be in [0, 1]");
  KINDRED_THROW_IF(options.top == 0, "top is 0; ask for one match at least");
  Impl::check_rows(queries, "query");
  const State& state = *m_state;
  const Ragged<Symbol> dense = state.store.symbols.translate(queries);

  std::vector<std::size_t> rows;
  double words = 0;
  for (std::size_t row = 0; row < dense.rows(); ++row) {
    const std::size_t length = dense[row].size();
    if (length == 0) continue;
    rows.push_back(row);
    words += static_cast<double>((length + word_symbols - 1) / word_symbols);
  }
  if (size() == 0) rows.clear();

  Workload workload;
  workload.operation = options.measure == Measure::lcs ? Operation::lcs : Operation::difflib;
  workload.items = size() * queries.rows();
  // Without a threshold every pattern takes the runs' levels, about 16 passes over the words.
  const double passes = options.measure == Measure::difflib && options.threshold == 0.0 ? 16 : 1;
  workload.work = static_cast<double>(state.store.symbol_count) * words * passes;
  workload.transfer_bytes =
      dense.values.size() * sizeof(Symbol) +
      rows.size() * std::min<std::uint64_t>(options.top, size()) * sizeof(Rank);
  workload.resident = state.resident;

  std::vector<std::vector<Match>> answers(queries.rows());
  MatchResults results;
  results.record = state.context.run(workload, options.space, [&](Space space) {
    if (rows.empty()) return;
    Impl::with_instance(state.context, space, [&](const auto& exec_space) {
      using space_type = std::decay_t<decltype(exec_space)>;
      state.scan<space_type>(space).match(exec_space, state.store, dense, rows, options, answers);
    });
  });
  for (std::size_t row = 0; row < answers.size(); ++row) {
    results.matches.push_row(answers[row]);
    if (!options.blocks) continue;
    for (const Match& match : answers[row]) {
      const auto pattern = state.store.pattern(state.store.slot_of[match.index]);
      results.blocks.push_row(matching_blocks(pattern, dense[row]));
    }
  }
  return results;
}

}  // namespace Kindred
