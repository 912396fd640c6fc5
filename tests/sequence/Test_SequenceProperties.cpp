// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/reference/Reference.hpp>

#include "Properties.hpp"
#include "RaggedRows.hpp"

namespace SequencePropertiesTest {

using namespace Kindred;
using Testing::expect_property;
using Testing::to_vector;

using Sequence = std::vector<Symbol>;

/// Patterns and queries over few symbols, so that they match often. Wide symbols do not fit into 16
/// bits; a query may contain unknown symbols.
struct Corpus {
  std::vector<Sequence> patterns, queries;
};

Corpus any_corpus() {
  const auto alphabet = *rc::gen::inRange<Symbol>(1, 6);
  const Symbol stride = *rc::gen::element<Symbol>(1, 70000);
  const auto pattern = rc::gen::container<Sequence>(rc::gen::inRange<Symbol>(0, alphabet));
  const auto query = rc::gen::container<Sequence>(rc::gen::inRange<Symbol>(0, alphabet + 1));
  Corpus corpus{
      *rc::gen::container<std::vector<Sequence>>(pattern),
      *rc::gen::resize(8, rc::gen::container<std::vector<Sequence>>(rc::gen::resize(150, query)))};
  for (Sequence& sequence : corpus.patterns)
    for (Symbol& symbol : sequence) symbol *= stride;
  for (Sequence& sequence : corpus.queries)
    for (Symbol& symbol : sequence) symbol = symbol == alphabet ? unknown_symbol : symbol * stride;
  return corpus;
}

MatchOptions any_options() {
  MatchOptions options;
  options.measure = *rc::gen::element(Measure::lcs, Measure::difflib);
  options.threshold = *rc::gen::element(0.0, 0.1, 1.0 / 3, 0.5, 0.6, 2.0 / 3, 1.0);
  options.top = *rc::gen::element<std::size_t>(1, 3, 10, 1000);
  return options;
}

std::vector<Reference::MatchItem> items(std::span<const Match> matches) {
  std::vector<Reference::MatchItem> list;
  for (const Match& match : matches) list.push_back({match.index, match.similarity, match.matched});
  return list;
}

TEST(SequenceProperties, MatchesReference) {
  expect_property("match equals the reference on every space", [] {
    const Corpus corpus = any_corpus();
    MatchOptions options = any_options();
    const auto measure =
        options.measure == Measure::lcs ? Reference::Matched::lcs : Reference::Matched::difflib;
    const SequenceMatcher matcher(Testing::context(), Testing::ragged(corpus.patterns));
    for (const Space space : Testing::spaces()) {
      options.space = space;
      const MatchResults results = matcher.match(Testing::ragged(corpus.queries), options);
      RC_ASSERT(results.matches.rows() == corpus.queries.size());
      for (std::size_t q = 0; q < corpus.queries.size(); ++q) {
        RC_ASSERT(items(results.matches[q]) == Reference::match(corpus.patterns, corpus.queries[q],
                                                                measure, options.threshold,
                                                                options.top));
      }
    }
  });
}

TEST(SequenceProperties, BlocksMatchTheReferenceAndSumToMatched) {
  expect_property("blocks equal the reference of their measure on every space", [] {
    const Corpus corpus = any_corpus();
    MatchOptions options = any_options();
    options.blocks = true;
    const SequenceMatcher matcher(Testing::context(), Testing::ragged(corpus.patterns));
    for (const Space space : Testing::spaces()) {
      options.space = space;
      const MatchResults results = matcher.match(Testing::ragged(corpus.queries), options);
      RC_ASSERT(results.blocks.rows() == results.matches.values.size());
      for (std::size_t q = 0; q < corpus.queries.size(); ++q) {
        for (std::size_t i = results.matches.offsets[q]; i < results.matches.offsets[q + 1]; ++i) {
          const Match& match = results.matches.values[i];
          const Sequence& pattern = corpus.patterns[match.index];
          RC_ASSERT(to_vector(results.blocks[i]) ==
                    (options.measure == Measure::lcs
                         ? Reference::lcs_blocks(pattern, corpus.queries[q])
                         : Reference::blocks(pattern, corpus.queries[q])));
          std::uint32_t in_blocks = 0;
          for (const Block& block : results.blocks[i]) in_blocks += block.length;
          RC_ASSERT(in_blocks == match.matched);
        }
      }
    }
  });
}

/// A long query around the length at which autojunk starts, over a vocabulary in which some symbols
/// are popular and most are not, and patterns cut from it and mixed.
Corpus any_popular_corpus() {
  const Symbol stride = *rc::gen::element<Symbol>(1, 70000);
  const auto popular = rc::gen::inRange<Symbol>(0, 3);
  const auto symbol = rc::gen::weightedOneOf<Symbol>(
      {{3, popular}, {2, rc::gen::inRange<Symbol>(3, 300)}, {1, rc::gen::just(unknown_symbol)}});
  Corpus corpus;
  const auto length = *rc::gen::element<std::size_t>(199, 200, 201, 260, 300);
  corpus.queries.push_back(*rc::gen::container<Sequence>(length, symbol));
  const auto known =
      rc::gen::weightedOneOf<Symbol>({{2, popular}, {3, rc::gen::inRange<Symbol>(3, 300)}});
  for (int p = 0; p < 4; ++p) {
    const Sequence& query = corpus.queries[0];
    const auto begin = *rc::gen::inRange<std::size_t>(0, query.size());
    const auto end = *rc::gen::inRange<std::size_t>(begin, query.size() + 1);
    Sequence pattern(query.begin() + static_cast<std::ptrdiff_t>(begin),
                     query.begin() + static_cast<std::ptrdiff_t>(end));
    for (Symbol& s : pattern) {
      if (s == unknown_symbol || *rc::gen::inRange(0, 8) == 0) s = *known;
    }
    corpus.patterns.push_back(pattern);
  }
  for (auto* part : {&corpus.patterns, &corpus.queries}) {
    for (Sequence& sequence : *part) {
      for (Symbol& s : sequence) s = s == unknown_symbol ? s : s * stride;
    }
  }
  return corpus;
}

TEST(SequenceProperties, AutojunkMatchesReference) {
  expect_property("autojunk equals the reference on every space", [] {
    const Corpus corpus = any_popular_corpus();
    MatchOptions options = any_options();
    options.measure = Measure::difflib;
    options.autojunk = true;
    options.blocks = true;
    const SequenceMatcher matcher(Testing::context(), Testing::ragged(corpus.patterns));
    std::vector<std::vector<Reference::MatchItem>> expected;
    for (const Sequence& query : corpus.queries) {
      expected.push_back(Reference::match(corpus.patterns, query, Reference::Matched::difflib,
                                          options.threshold, options.top, true));
    }
    for (const Space space : Testing::spaces()) {
      options.space = space;
      const MatchResults results = matcher.match(Testing::ragged(corpus.queries), options);
      for (std::size_t q = 0; q < corpus.queries.size(); ++q) {
        RC_ASSERT(items(results.matches[q]) == expected[q]);
        for (auto i = results.matches.offsets[q]; i < results.matches.offsets[q + 1]; ++i) {
          RC_ASSERT(to_vector(results.blocks[i]) ==
                    Reference::blocks(corpus.patterns[results.matches.values[i].index],
                                      corpus.queries[q], true));
        }
      }
    }
  });
}

TEST(SequenceProperties, SelfMatchMatchesBruteForce) {
  expect_property("every pair i < j once, as the reference scores it, on every space", [] {
    const auto sequences = *rc::gen::container<std::vector<Sequence>>(
        *rc::gen::inRange<std::size_t>(0, 20),
        rc::gen::resize(30, rc::gen::container<Sequence>(rc::gen::inRange<Symbol>(0, 4))));
    MatchOptions options = any_options();
    options.blocks = *rc::gen::arbitrary<bool>();
    options.autojunk = options.measure == Measure::difflib && *rc::gen::arbitrary<bool>();
    const auto measure =
        options.measure == Measure::lcs ? Reference::Matched::lcs : Reference::Matched::difflib;
    std::vector<std::vector<Reference::MatchItem>> expected;
    for (std::size_t j = 0; j < sequences.size(); ++j) {
      expected.push_back(Reference::match(std::span(sequences).first(j), sequences[j], measure,
                                          options.threshold, options.top, options.autojunk));
    }
    const SequenceMatcher matcher(Testing::context(), Testing::ragged(sequences));
    for (const Space space : Testing::spaces()) {
      options.space = space;
      std::size_t next = 0;
      matcher.match_self(options, [&](std::size_t first, const MatchResults& results) {
        RC_ASSERT(first == next);
        next += results.matches.rows();
        for (std::size_t row = 0; row < results.matches.rows(); ++row) {
          RC_ASSERT(items(results.matches[row]) == expected[first + row]);
        }
        RC_ASSERT(results.blocks.rows() == (options.blocks ? results.matches.values.size() : 0));
        for (std::size_t i = 0; i < results.blocks.rows(); ++i) {
          std::uint32_t in_blocks = 0;
          for (const Block& block : results.blocks[i]) in_blocks += block.length;
          RC_ASSERT(in_blocks == results.matches.values[i].matched);
        }
      });
      RC_ASSERT(next == sequences.size());
    }
  });
}

TEST(SequenceProperties, AQueryGivesTheSameAnswerAloneAndInABatch) {
  expect_property("a batch is its queries", [] {
    const Corpus corpus = any_corpus();
    const MatchOptions options = any_options();
    const SequenceMatcher matcher(Testing::context(), Testing::ragged(corpus.patterns));
    const MatchResults together = matcher.match(Testing::ragged(corpus.queries), options);
    for (std::size_t q = 0; q < corpus.queries.size(); ++q) {
      const MatchResults alone =
          matcher.match(Testing::ragged<Symbol>({corpus.queries[q]}), options);
      RC_ASSERT(to_vector(alone.matches[0]) == to_vector(together.matches[q]));
    }
  });
}

TEST(SequenceProperties, AHigherThresholdOnlyRemovesResults) {
  expect_property("a higher threshold gives a part", [] {
    const Corpus corpus = any_corpus();
    MatchOptions options = any_options();
    options.top = 100000;
    options.threshold = 0;
    const SequenceMatcher matcher(Testing::context(), Testing::ragged(corpus.patterns));
    const MatchResults all = matcher.match(Testing::ragged(corpus.queries), options);
    options.threshold = *rc::gen::element(0.2, 0.5, 0.8);
    const MatchResults part = matcher.match(Testing::ragged(corpus.queries), options);
    for (std::size_t q = 0; q < corpus.queries.size(); ++q) {
      std::vector<Match> kept;
      for (const Match& match : all.matches[q])
        if (match.similarity >= options.threshold) kept.push_back(match);
      RC_ASSERT(to_vector(part.matches[q]) == kept);
    }
  });
}

TEST(SequenceProperties, PostingsChangeNoAnswer) {
  expect_property("an answer through postings is the scan's", [] {
    const Corpus corpus = any_corpus();
    MatchOptions options = any_options();
    options.threshold = *rc::gen::element(0.01, 0.1, 0.3, 0.5, 0.75, 1.0);
    const SequenceMatcher matcher(Testing::context(), Testing::ragged(corpus.patterns));
    for (const Space space : Testing::spaces()) {
      options.space = space;
      options.postings = PostingsUse::never;
      const MatchResults scanned = matcher.match(Testing::ragged(corpus.queries), options);
      options.postings = PostingsUse::always;
      const MatchResults listed = matcher.match(Testing::ragged(corpus.queries), options);
      RC_ASSERT(listed.matches.values == scanned.matches.values);
      RC_ASSERT(listed.matches.offsets == scanned.matches.offsets);
    }
  });
}

TEST(SequenceProperties, PostingsMayServeTheFirstCallWithAutojunk) {
  std::vector<Symbol> query(300, 1);
  for (std::size_t i = 0; i < query.size(); i += 3) query[i] = static_cast<Symbol>(i);
  const Ragged<Symbol> patterns =
      Testing::ragged<Symbol>({query, {1, 2, 3}, {3, 1, 1, 6}, {6, 1, 1}});
  MatchOptions options;
  options.measure = Measure::difflib;
  options.threshold = 0.01;
  options.autojunk = true;
  for (const Space space : Testing::spaces()) {
    options.space = space;
    options.postings = PostingsUse::always;
    const SequenceMatcher matcher(Testing::context(), patterns);
    const MatchResults listed = matcher.match(Testing::ragged<Symbol>({query}), options);
    options.postings = PostingsUse::never;
    const MatchResults scanned = matcher.match(Testing::ragged<Symbol>({query}), options);
    EXPECT_EQ(listed.matches.values, scanned.matches.values);
    EXPECT_FALSE(listed.matches.values.empty());
  }
}

TEST(SequenceProperties, PostingsBuiltMeanwhileChangeNoAnswer) {
  auto random = Testing::generator("postings on the way");
  Ragged<Symbol> patterns;
  for (int i = 0; i < 4000; ++i) {
    for (std::size_t n = random() % 30; n > 0; --n) {
      patterns.values.push_back(static_cast<Symbol>(random() % 3000));
    }
    patterns.close_row();
  }
  const SequenceMatcher matcher(Testing::context(), patterns);
  const SequenceMatcher scanning(Testing::context(), patterns);
  const RaggedSpan<Symbol> all = patterns;
  const std::uint64_t bytes = matcher.bytes(Space::serial);
  for (std::size_t first = 0; first < 1000; first += 50) {
    Ragged<Symbol> queries;
    for (std::size_t i = first; i < first + 50; ++i) queries.push_row(all[i]);
    MatchOptions options;
    options.measure = first % 100 == 0 ? Measure::lcs : Measure::difflib;
    options.threshold = 0.2;
    options.space = Space::serial;
    const MatchResults results = matcher.match(queries, options);
    options.postings = PostingsUse::never;
    EXPECT_EQ(results.matches.values, scanning.match(queries, options).matches.values);
  }
  EXPECT_EQ(matcher.bytes(Space::serial), bytes + 4 * patterns.values.size())
      << "the postings were built and are accounted";
  const MatcherStatistics statistics = scanning.statistics();
  EXPECT_EQ(statistics.host_bytes, bytes);
  EXPECT_EQ(statistics.device_bytes, scanning.bytes(Space::cuda));
  EXPECT_EQ(statistics.patterns, patterns.rows());
  EXPECT_EQ(to_string(scanning.residency()), "automatic");
}

}  // namespace SequencePropertiesTest
