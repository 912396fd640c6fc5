// SPDX-License-Identifier: Apache-2.0
#include "patterns/PatternTiers.hpp"

#include <functional>
#include <mutex>

#include "PatternSupport.hpp"

namespace PatternTiersTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// Patterns {0, i}, and an action that simulates another thread after one of them was read.
class Rows final : public Impl::PatternRows {
 public:
  explicit Rows(std::uint64_t count) : m_live(count, true) {}

  Impl::TierRows load(Indices indices) const override {
    Impl::TierRows rows;
    for (const std::uint64_t index : indices) {
      if (!m_live[index]) continue;
      rows.indices.push_back(index);
      rows.symbols.push_row(std::vector<Symbol>{0, static_cast<Symbol>(index + 1)});
    }
    if (const auto act = std::exchange(meanwhile, {})) act();
    return rows;
  }
  Indices live_in(std::uint64_t begin, std::uint64_t end) const override {
    Indices indices;
    for (; begin < end; ++begin)
      if (m_live[begin]) indices.push_back(begin);
    return indices;
  }
  void learn(std::uint64_t count) { m_live.resize(m_live.size() + count, true); }
  void forget(Impl::PatternTiers& tiers, std::uint64_t index) {
    const std::unique_lock lock(mutex);
    Impl::PatternTiers::Update view(tiers);
    view->forget(index);
    view.publish();
    m_live[index] = false;
  }
  void clear(Impl::PatternTiers& tiers) {
    const std::unique_lock lock(mutex);
    Impl::PatternTiers::Update view(tiers);
    view->clear(m_live.size());
    view.publish();
    m_live.assign(m_live.size(), false);
  }

  mutable std::function<void()> meanwhile;
  Impl::SharedMutex mutex;

 private:
  std::vector<bool> m_live;
};

Indices all_of(const Impl::PatternTiers& tiers, const Impl::TierView& view) {
  Ragged<Symbol> query;
  query.push_row(std::vector<Symbol>{0});
  return indices(tiers.match(view, query, {.threshold = 0.0, .top = 1000}).matches.values);
}

TEST(PatternTiers, AllRemainingPatternsMayBeForgottenDuringASync) {
  Rows rows(10);
  const PatternSettings settings = quiet_at(quiet().sync_threshold, 3);
  Impl::PatternTiers tiers(context(), settings, rows, rows.mutex);
  tiers.view_to(10);
  rows.meanwhile = [&] {
    for (std::uint64_t i = 3; i < 10; ++i) rows.forget(tiers, i);
  };
  EXPECT_EQ(tiers.sync(SyncTrigger::manual, 10).moved, 3U);
  rows.learn(2);
  EXPECT_EQ(all_of(tiers, *tiers.view_to(12)), (Indices{0, 1, 2, 10, 11}));
  const SyncRecord record = tiers.sync(SyncTrigger::manual, 12);
  EXPECT_EQ(record.moved, 0U);
  EXPECT_EQ(record.left, 2U);
  EXPECT_EQ(all_of(tiers, *tiers.view_to(12)), (Indices{0, 1, 2, 10, 11}));
}

TEST(PatternTiers, APatternForgottenWhileItIsReadIsInNoAnswer) {
  Rows rows(100);
  const PatternSettings settings = quiet();
  Impl::PatternTiers tiers(context(), settings, rows, rows.mutex);
  rows.meanwhile = [&] { rows.forget(tiers, 7); };
  EXPECT_EQ(all_of(tiers, *tiers.view_to(100)).size(), 99U);
  rows.meanwhile = [&] {
    rows.forget(tiers, 0);
    rows.forget(tiers, 99);
  };
  const auto before = tiers.view();
  tiers.sync(SyncTrigger::manual, 100);
  EXPECT_EQ(all_of(tiers, *tiers.view()).size(), 97U);
  EXPECT_EQ(all_of(tiers, *before).size(), 99U) << "a query keeps the view that it started with";
}

TEST(PatternTiers, ASyncMovesNothingIfAllPatternsAreForgottenMeanwhile) {
  Rows rows(10);
  const PatternSettings settings = quiet();
  Impl::PatternTiers tiers(context(), settings, rows, rows.mutex);
  rows.meanwhile = [&] { rows.clear(tiers); };
  EXPECT_TRUE(all_of(tiers, *tiers.view_to(10)).empty()) << "forgotten while they were read";
  rows.learn(3);
  tiers.view_to(13);
  rows.meanwhile = [&] { rows.clear(tiers); };
  const SyncRecord record = tiers.sync(SyncTrigger::manual, 13);
  EXPECT_EQ(record.moved, 0U);
  EXPECT_EQ(record.left, 0U);
  EXPECT_EQ(record.why_left, "");
  EXPECT_TRUE(tiers.view()->bulk.empty());
  rows.learn(2);
  EXPECT_EQ(all_of(tiers, *tiers.view_to(15)), (Indices{13, 14}));
  EXPECT_EQ(tiers.sync(SyncTrigger::manual, 15).moved, 2U);
  EXPECT_EQ(all_of(tiers, *tiers.view()), (Indices{13, 14}));
}

TEST(PatternTiers, ThePartOfNewPatternsIsBuiltAgainIfASyncTookWhatItReplaces) {
  for (const bool all_fit : {true, false}) {
    PatternSettings settings = quiet();
    if (!all_fit) settings.max_bulk_patterns = 4;
    Rows rows(10);
    Impl::PatternTiers tiers(context(), settings, rows, rows.mutex);
    tiers.view_to(10);
    rows.learn(2);
    rows.meanwhile = [&] { tiers.sync(SyncTrigger::manual, 10); };
    EXPECT_EQ(all_of(tiers, *tiers.view_to(12)), (Indices{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(tiers.view()->bulk_end, all_fit ? 10U : 4U);
  }
}

}  // namespace PatternTiersTest
