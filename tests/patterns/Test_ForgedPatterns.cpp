// SPDX-License-Identifier: Apache-2.0
// Pattern files with one number changed and matching checksums: each is rejected for its own
// reason.
#include "DamagedFiles.hpp"
#include "PatternSupport.hpp"
#include "SectionLengths.hpp"
#include "patterns/StoredPatterns.hpp"

namespace ForgedPatternsTest {

using namespace Kindred;
using namespace Kindred::Testing;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class ForgedPatterns : public ::testing::Test {
 protected:
  Impl::StoredPatterns read(const std::string& bytes) const {
    m_file.set(bytes);
    return Impl::read_patterns(m_file.path(), 1);
  }
  void refuse_bytes(const std::string& bytes, const std::string& why) const {
    expect_refused<CorruptFile>({{[&] { read(bytes); }, why}});
  }
  template <class T>
  void refuse(const char* name, std::size_t at, T number, const std::string& why) const {
    SCOPED_TRACE(std::string(name) + ", element " + std::to_string(at));
    refuse_bytes(with_forged(good, name, at, number), why);
  }
  /// The same for numbers of 64 bits.
  struct Number {
    const char* name;
    std::size_t at;
    std::uint64_t number;
    const char* why;
  };
  void refuse_numbers(const std::vector<Number>& rows) const {
    for (const Number& row : rows) refuse(row.name, row.at, row.number, row.why);
  }
  template <class T>
  std::vector<T> numbers(const char* name) {
    m_file.set(good);
    const Impl::SectionFile file(m_file.path(), Impl::patterns_kind, 1);
    const auto section = file.section<T>(file.commits() - 1, name);
    return {section.begin(), section.end()};
  }
  /// A copy of a file. \param replace as for `copy_sections`
  template <class Replace>
  std::string rewritten(const Replace& replace) const {
    const TempFolder folder;
    copy_sections(folder.write("a", good), folder / "b", Impl::patterns_kind, replace);
    return read_all(folder / "b");
  }

  std::string good = small_file(false);
  MemoryFile m_file;
};

/// A file whose last commit has learned and forgotten a pattern of new symbols.
std::string with_new_symbols_forgotten(int count) {
  const TempFolder folder;
  PatternMemory memory = made();
  learn(memory, {{"a"}});
  memory.save(folder / "a");
  std::vector<std::string> symbols;
  for (int i = 0; i < count; ++i) symbols.push_back("b" + std::to_string(i));
  memory.forget(learn(memory, {symbols}).index);
  memory.append(folder / "a");
  return read_all(folder / "a");
}

TEST_F(ForgedPatterns, WithWrongRowsAreRejected) {
  const char* const unnamed = "element 1: ends decrease, or an unnamed pattern has text";
  refuse_numbers({{"pattern.index", 1, 0, "element 1: indices do not ascend"},
                  {"pattern.index", 3, 3, "element 3: indices do not ascend"},
                  {"pattern.index", 3, ~std::uint64_t{0},
                   "'pattern.index', element 3: 18446744073709551615 is not below"},
                  {"pattern.ends", 2, 5, "ends at 5 of 6"},
                  {"pattern.ends", 2, 5 + Impl::pattern_length_max, "ends at 2147483652 of 6"},
                  {"pattern.ends", 2, 6 + Impl::pattern_length_max, "a row is too long"},
                  {"pattern.ends", 0, 6, "ends decrease"},
                  {"pattern.events", 1, 3, "element 1: the events do not partition"},
                  {"pattern.events", 2, 4, "ends at 4 of 5"},
                  {"name.ends", 0, 13, unnamed},
                  {"name.ends", 1, 12, unnamed},
                  {"name.ends", 2, 19, "the last end is not the length of the text"},
                  {"frequency", 0, std::uint64_t{1} << 63U, "is not below"}});
  refuse<std::uint16_t>("pattern.symbols.u16", 0, 3, "3 is not below 3");
  refuse<std::uint32_t>("event.ends", 0, 0, "element 0: the events do not partition");
  refuse<std::uint32_t>("event.ends", 1, 2, "element 0: the events do not partition");
  refuse<std::uint32_t>("event.ends", 4, 2, "element 2: the events do not partition");
}

TEST_F(ForgedPatterns, WithWrongTablesAreRejected) {
  for (const char* name : {"by_name.ends", "by_events.ends"}) {
    const auto ends = numbers<std::uint64_t>(name);
    std::size_t part = 0;
    while (ends[part] - (part == 0 ? 0 : ends[part - 1]) < 4) ++part;
    refuse<std::uint64_t>(name, part, ends[part] - 1,
                          "the number of slots of a part is not a power of two");
    refuse<std::uint64_t>(name, ends.size() - 1, ends.back() + 1, "ends at");
  }
}

TEST_F(ForgedPatterns, WithWrongSegmentsAreRejected) {
  const std::string no_pattern = "not a pattern of the segment, or its length differs";
  refuse_numbers({{"tiles.end", 0, 2, "in two segments, or beyond their end"},
                  {"tiles.end", 0, 4, "pattern 3 is in no segment"},
                  {"tiles.end", 0, 5, "5 is not below 5"},
                  {"tiles.0.patterns", 1, 0, "element 1: patterns do not ascend"},
                  {"tiles.0.patterns", 1, 4, "4 is not below 4"},
                  {"tiles.0.patterns", 1, 3, no_pattern.c_str()},
                  {"tiles.0.patterns", 1, 1, "pattern 2 is in no segment"}});
  refuse<Symbol>("tiles.0.dense", 1, 0, "element 1: a symbol occurs twice");
  refuse<Symbol>("tiles.0.dense", 0, 3, "3 is not below 3");
  const auto slots = numbers<std::uint32_t>("tiles.0.slots");
  const auto lengths = numbers<std::uint32_t>("tiles.0.lengths");
  const auto offsets = numbers<std::uint64_t>("tiles.0.offsets");
  ASSERT_EQ(slots.size(), lengths.size());
  ASSERT_EQ(offsets.size(), 2U);
  const std::size_t last = slots.size() - 1;
  ASSERT_EQ(lengths[last], 3U) << "{a b | c} is the longest";
  refuse<std::uint32_t>("tiles.0.slots", last, 2, no_pattern);
  refuse<std::uint32_t>("tiles.0.slots", last, 1, no_pattern);
  refuse<std::uint32_t>("tiles.0.slots", 0, 0, no_pattern);
  refuse<std::uint32_t>("tiles.0.lengths", 0, 1, no_pattern);
  refuse<std::uint32_t>("tiles.0.lengths", last, 4, no_pattern);
  refuse<std::uint64_t>("tiles.0.offsets", 0, 1, "element 0: is not the start of a tile");
  refuse<std::uint64_t>("tiles.0.offsets", 1, offsets[1] - 1, "is not the start of a tile");
  refuse<std::uint8_t>("tiles.0.symbols", 0, 4, "4 is not below 4");
  // The last slot, of 3 symbols, in front of the other one, of 2.
  const std::string written = good;
  forge(good, "tiles.0.slots", last - 1, slots[last]);
  forge(good, "tiles.0.slots", last, slots[last - 1]);
  forge(good, "tiles.0.lengths", last - 1, lengths[last]);
  refuse<std::uint32_t>("tiles.0.lengths", last, lengths[last - 1],
                        "element " + std::to_string(last) + ": " + no_pattern);
  // A forgotten pattern may have any length, but not every number is one.
  good = with_forged(written, "tiles.0.patterns", 0, std::uint64_t{1});
  refuse<std::uint32_t>("tiles.0.lengths", last, 1U << 31U,
                        "element " + std::to_string(last) + ": " + no_pattern);
  refuse<std::uint32_t>("tiles.0.lengths", last,
                        static_cast<std::uint32_t>(Impl::pattern_length_max),
                        "'tiles.0.offsets', element 1: is not the start of a tile");
}

/// The patterns of a full tile, which has no empty slots.
TEST_F(ForgedPatterns, WithSlotsInAnotherOrderAreRejected) {
  PatternMemory memory = made();
  std::vector<std::string> symbols;
  for (std::uint32_t i = 0; i < tile_patterns; ++i) {
    symbols.push_back("a");
    learn(memory, {symbols});
  }
  memory.sync();
  good = bytes_of(memory);
  ASSERT_EQ(numbers<std::uint32_t>("tiles.0.lengths")[0], 1U);
  EXPECT_NO_THROW(read(good));
  forge(good, "tiles.0.slots", 0, 1U);
  forge(good, "tiles.0.slots", 1, 0U);
  forge(good, "tiles.0.lengths", 0, 2U);
  refuse<std::uint32_t>("tiles.0.lengths", 1, 1,
                        "'tiles.0.slots', element 1: not a pattern of the segment");
}

TEST_F(ForgedPatterns, WithAPatternTwiceInASegmentAreRejected) {
  PatternMemory memory = made();
  for (const char* symbol : {"a", "b"}) learn(memory, {{symbol}});
  memory.sync();
  good = bytes_of(memory);
  const auto slots = numbers<std::uint32_t>("tiles.0.slots");
  const std::size_t last = slots.size() - 1;
  ASSERT_THAT(std::vector(slots.end() - 2, slots.end()), UnorderedElementsAre(0, 1));
  refuse<std::uint32_t>("tiles.0.slots", last, slots[last - 1], "a pattern occurs twice");
}

TEST_F(ForgedPatterns, WithWrongCommitsAreRejected) {
  good = small_file(true);
  refuse_numbers({{"change.patterns", 0, 4, "4 is not below 4"},
                  {"change.patterns", 0, 1, "cannot follow the frequency 0"},
                  {"change.frequency", 0, std::uint64_t{1} << 63U, "is not below"},
                  {"pattern.ends", 0, 1, "ends at 1 of 2"}});
  refuse<Symbol>("pattern.symbols.u32", 0, 3, "3 is not below 3");
  EXPECT_THAT(numbers<std::uint64_t>("frequency"), ElementsAre(1));
  good = with_forged(good, "change.patterns", 0, std::uint64_t{1});
  refuse<std::uint64_t>("change.frequency", 0, 1, "cannot follow the frequency 0");
}

TEST_F(ForgedPatterns, WithWideSymbolsAreCheckedToo) {
  good = rewritten([](const auto& section, auto numbers, Impl::SectionWriter& writer) {
    if (section.name != "pattern.symbols.u16") return false;
    writer.write<Symbol>("pattern.symbols.u32",
                         std::vector<Symbol>(numbers.begin(), numbers.end()));
    return true;
  });
  EXPECT_EQ(read(good).catalogue.length(0), 3U);
  for (const Symbol symbol : {Symbol{3}, unknown_symbol - 1, unknown_symbol})
    refuse<Symbol>(
        "pattern.symbols.u32", 0, symbol,
        "'pattern.symbols.u32', element 0: " + std::to_string(symbol) + " is not below 3");
}

TEST_F(ForgedPatterns, WithAnEmptySegmentAreRejected) {
  good = rewritten([](const auto& section, auto /*numbers*/, Impl::SectionWriter& writer) {
    if (section.name == "tiles.0.patterns") {
      const std::vector<std::uint64_t> none;
      writer.write<std::uint64_t>("tiles.1.patterns", none);
      writer.write<std::uint64_t>("tiles.1.offsets", std::vector<std::uint64_t>{0});
      writer.write<std::uint32_t>("tiles.1.lengths", {});
      writer.write<std::uint32_t>("tiles.1.slots", {});
      writer.write<Symbol>("tiles.1.dense", {});
      writer.write<std::uint8_t>("tiles.1.symbols", {});
    }
    return false;
  });
  refuse_bytes(good, "'tiles.1.patterns', element 0: a segment cannot have this number");
}

TEST_F(ForgedPatterns, MayHoldForgottenPatternsInSeveralSegments) {
  PatternMemory memory = made();
  for (const char* symbol : {"a", "b", "c", "d", "e", "f"}) learn(memory, {{symbol}});
  memory.sync();
  for (const std::uint64_t index : {1, 2, 3, 4}) memory.forget(index);
  good = bytes_of(memory);
  ASSERT_THAT(numbers<std::uint64_t>("tiles.0.patterns"), ElementsAre(0, 5));
  good = rewritten([](const auto& section, auto numbers, Impl::SectionWriter& writer) {
    using T = typename decltype(numbers)::value_type;
    if (!section.name.starts_with("tiles.0.")) return false;
    for (const char* prefix : {"tiles.0", "tiles.1", "tiles.2"}) {
      std::vector<T> out(numbers.begin(), numbers.end());
      if (section.name == "tiles.0.patterns" && prefix[6] != '0')
        out = prefix[6] == '1' ? std::vector<T>{3, 4} : std::vector<T>{1, 3};
      writer.write<T>(prefix + std::string(section.name.substr(7)), out);
    }
    return true;
  });
  EXPECT_THAT(read(good).forgotten, ElementsAre(1, 3, 4));
  EXPECT_EQ(PatternMemory::inspect(m_file.path(), 1).bulk, 2U) << "0 and 5";
}

TEST_F(ForgedPatterns, WithoutANumberOfAnIndexAreRejected) {
  const TempFolder folder;
  folder.write("a", good);
  copy_with_length(folder / "a", folder / "b", Impl::patterns_kind, "pattern.index", false);
  refuse_bytes(read_all(folder / "b"), "'pattern.index', element 0: 3 elements; 4 are expected");
}

TEST_F(ForgedPatterns, ReportThatTheyDoNotFitIntoMemory) {
  m_file.set(small_file(true));
  const auto load = [&] { loaded(m_file.path()); };
  EXPECT_GT(fail_every_allocation(longer_than_labels, load, [](std::size_t) {}), 20U);
  m_file.set(with_new_symbols_forgotten(100));
  EXPECT_GT(fail_every_allocation(longer_than_labels, load, [](std::size_t) {}), 20U);
}

TEST_F(ForgedPatterns, OfOtherLengthsAreRejected) {
  for (const bool appended : {false, true}) {
    const std::string whole = small_file(appended);
    const TempFolder folder;
    folder.write("a", whole);
    expect_lengths_are_checked(
        folder / "a", Impl::patterns_kind,
        [](const std::string& path) { Impl::read_patterns(path, 1); },
        appended ? "vocabulary.ends" : "");  // one more symbol, an empty text
  }
}

TEST_F(ForgedPatterns, MayHoldAnyFrequencyThatCanFollow) {
  good = small_file(true);
  const auto frequency_of = [&](std::uint64_t index, std::uint64_t changed, std::uint64_t to,
                                std::uint64_t learned) {
    forge(good, "change.patterns", 0, changed);
    forge(good, "change.frequency", 0, to);
    forge(good, "frequency", 0, learned);
    return read(good).catalogue.frequency(index);
  };
  EXPECT_EQ(frequency_of(2, 2, 3, 1), 3U) << "as before";
  EXPECT_EQ(frequency_of(2, 2, 4, 1), 4U);
  EXPECT_EQ(frequency_of(2, 2, 1, 1), 1U) << "lower";
  EXPECT_EQ(frequency_of(2, 2, 0, 1), 0U) << "forgotten";
  EXPECT_EQ(frequency_of(1, 1, 0, 1), 0U) << "forgotten before";
  EXPECT_EQ(frequency_of(4, 2, 5, 7), 7U);
  EXPECT_EQ(frequency_of(4, 2, 5, 0), 0U) << "learned and forgotten in one commit";
}

TEST_F(ForgedPatterns, KeepTheIndexOfWhatWasLearnedLastAndForgotten) {
  const auto stored = read(with_new_symbols_forgotten(3));
  EXPECT_EQ(stored.catalogue.size(), 2U);
  EXPECT_THAT(stored.catalogue.patterns_with(), ElementsAre(1, 0, 0, 0));
}

TEST_F(ForgedPatterns, ThatAreLearnedTwiceAreRejected) {
  const TempFolder folder;
  PatternMemory memory = made();
  learn(memory, {{"a", "b"}}, "one");
  memory.save(folder / "a");
  learn(memory, {{"a", "c"}}, "two");
  memory.append(folder / "a");
  good = read_all(folder / "a");
  ASSERT_THAT(numbers<Symbol>("pattern.symbols.u32"), ElementsAre(0, 2));
  refuse<Symbol>("pattern.symbols.u32", 1, 1, "element 0: the pattern or its name occurs twice");
  for (std::size_t i = 0; i < 3; ++i)
    forge(good, "name.text", i, static_cast<std::uint8_t>("one"[i]));
  refuse<std::uint64_t>("frequency", 0, 1, "element 0: the pattern or its name occurs twice");
}

}  // namespace ForgedPatternsTest
