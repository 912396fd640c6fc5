// SPDX-License-Identifier: Apache-2.0
#include "DamagedFiles.hpp"
#include "HnswSupport.hpp"
#include "SectionLengths.hpp"

#include <cmath>
#include <limits>

namespace HnswFilesTest {

using namespace Kindred;
using namespace Testing;
using ::testing::HasSubstr;

HnswSettings settings_of(Metric metric, std::size_t m = 16) {
  return {.metric = metric, .m = m, .ef_construction = 40};
}

/// A few rows on several levels, one of them removed.
HnswIndex small_index(HnswTraversal traversal = HnswTraversal::automatic) {
  HnswSettings settings = settings_of(Metric::l2, 2);
  settings.traversal = traversal;
  HnswIndex index = HnswIndex::build(context(), clustered(12, 3, 2), 3, settings);
  index.remove({{4}});
  return index;
}

std::string hnswlib_file_of(const HnswIndex& index) {
  const TempFolder folder;
  index.export_hnswlib(folder / "index.bin");
  return read_all(folder / "index.bin");
}

/// Searches and changes an index that was loaded from an arbitrary file.
void use(HnswIndex& index) {
  const std::vector<float> query(index.dimension(), 0.5F);
  const std::size_t top = std::min<std::size_t>(3, index.size());
  if (top > 0) {
    EXPECT_EQ(index.search(query, {.top = 3, .ef = 5}).ids.size(), top);
  }
  index.statistics();
  if (index.end_id() < 1000) {
    index.add(query);
    index.remove({{index.end_id() - 1}});
  }
  index.repair();
}

HnswIndex load(const std::string& path) { return HnswIndex::load(context(), path); }
HnswIndex import(const std::string& path) {
  return HnswIndex::import_hnswlib(context(), path, Metric::l2, 3);
}

/// Loads or imports an index and uses it.
template <HnswIndex (*From)(const std::string&)>
void use_from(const std::string& path) {
  HnswIndex index = From(path);
  use(index);
}

TEST(HnswFile, RestoresTheSameIndexBitForBit) {
  const TempFolder folder;
  for (const Metric metric : all_metrics) {
    Built all(settings_of(metric), 900, 20, 20, 9);
    all.index.remove({{7}});
    all.index.save(folder / "a");
    HnswIndex loaded = load(folder / "a");
    loaded.save(folder / "b");
    EXPECT_TRUE(read_all(folder / "a") == read_all(folder / "b"));
    EXPECT_EQ(loaded.search(all.queries).ids, all.search({}).ids);
    EXPECT_EQ(loaded.statistics().links, all.index.statistics().links);
    EXPECT_EQ(loaded.statistics().bytes, 0U);  // everything is mapped
    // Applies the same changes to the loaded and to the original index.
    for (HnswIndex* each : {&all.index, &loaded}) {
      each->add(all.queries);
      each->remove({{11, 903}});
      each->repair();
    }
    EXPECT_TRUE(file_of(all.index) == file_of(loaded));
    // The file must be unchanged.
    EXPECT_TRUE(read_all(folder / "a") == read_all(folder / "b"));
  }
}

TEST(HnswFile, StoresAnEmptyIndex) {
  const TempFolder folder;
  HnswIndex(context(), 5, settings_of(Metric::ip)).save(folder / "a");
  HnswIndex index = load(folder / "a");
  EXPECT_EQ(index.size(), 0U);
  EXPECT_EQ(index.settings().metric, Metric::ip);
  EXPECT_THAT(
      refusal_of(with_forged(read_all(folder / "a"), "settings", 9, std::uint64_t{1}), load),
      HasSubstr("'settings', element 9: 1 is not in [0, 0]"));
  index.add(std::vector<float>{1, 2, 3, 4, 5});
  EXPECT_EQ(index.size(), 1U);
}

TEST(HnswFile, StoresOneRow) {
  const TempFolder folder;
  HnswIndex::build(context(), std::vector<float>{3}, 1, settings_of(Metric::l2)).save(folder / "a");
  EXPECT_EQ(stored_row(load(folder / "a"), 0), std::vector<float>{3});
  expect_lengths_are_checked(folder / "a", "hnsw", load);
  const auto refusal = [&](std::size_t setting) {
    return refusal_of(with_forged(read_all(folder / "a"), "settings", setting, std::uint64_t{0}),
                      load);
  };
  EXPECT_THAT(refusal(6), HasSubstr("invalid traversal for these rows"));
  EXPECT_THAT(refusal(9), HasSubstr("0 is not in [1, 64]"));
}

TEST(HnswFile, StoresBytesUpToTheLargestDimensionThatTheySupport) {
  const TempFolder folder;
  HnswSettings settings = settings_of(Metric::l2);
  settings.traversal = HnswTraversal::bytes;
  const std::vector<float> row(65536, 0.5F);
  HnswIndex::build(context(), row, row.size(), settings).save(folder / "a");
  EXPECT_EQ(stored_row(load(folder / "a"), 0), row);
}

/// The levels of 64 nodes fill 64 bytes: what follows them is the next column.
TEST(HnswFile, RejectsALinkToTheNodeBehindTheLast) {
  const std::string good = file_of(Built(settings_of(Metric::l2, 2), 64, 1, 3, 2).index);
  const MemoryFile file;
  file.set(good);
  EXPECT_EQ(load(file.path()).size(), 64U);
  EXPECT_THAT(refusal_of(with_forged(good, "links.upper", 0, std::uint32_t{64}), load),
              HasSubstr("'links.upper', element 0: 64 is not a node of level 1"));
}

TEST(HnswFile, RejectsEveryChangedByte) {
  for (const HnswTraversal traversal : {HnswTraversal::bytes, HnswTraversal::floats})
    EXPECT_EQ(use_changed_bytes(file_of(small_index(traversal)), false, 1, use_from<load>).used,
              0U);
}

TEST(HnswFile, RejectsOrSurvivesEveryForgedByte) {
  for (const HnswTraversal traversal : {HnswTraversal::bytes, HnswTraversal::floats})
    EXPECT_GT(use_changed_bytes(file_of(small_index(traversal)), true, 1, use_from<load>).used, 0U)
        << "otherwise no change got past the first check";
}

TEST(HnswFile, RejectsForgedNumbers) {
  const std::string good = file_of(small_index(HnswTraversal::bytes));
  const MemoryFile file;
  file.set(good);
  const Impl::SectionFile stored(file.path(), "hnsw", 1);
  const auto numbers = [&]<class T>(const char* name, T) {
    const auto section = stored.section<T>(0, name);
    return std::vector<T>(section.begin(), section.end());
  };
  const auto settings = numbers("settings", std::uint64_t{});
  const auto levels = numbers("levels", std::uint8_t{});
  const auto upper_first = numbers("links.upper_first", std::uint32_t{});
  const std::uint64_t nodes = levels.size();
  ASSERT_EQ(nodes, 12U);
  ASSERT_GT(settings[9], 2U) << "the graph is to have several levels";
  const auto refuse = [&](const char* name, std::size_t at, auto number, const std::string& why) {
    EXPECT_THAT(refusal_of(with_forged(good, name, at, number), load), HasSubstr(why))
        << name << " " << at;
  };
  const std::vector<std::tuple<std::size_t, std::uint64_t, const char*>> wrong_settings{
      {0, 0, "0 is not in [1, 4294967295]"},
      {0, 1ULL << 32U, "is not in [1, 4294967295]"},
      {0, 4, "'mean', element 0: 3 elements; 4 are expected"},
      {1, 3, "3 is not in [0, 2]"},
      {2, 1, "1 is not in [2, 512]"},
      {2, 513, "is not in [2, 512]"},
      {3, 1, "1 is not in [2, 65536]"},
      {3, 65537, "is not in [2, 65536]"},
      {5, 3, "3 is not in [0, 2]"},
      {6, 3, "3 is not in [0, 2]"},
      {6, 0, "invalid traversal for these rows"},
      {7, (1ULL << 63U) + 1, "is not in [0, 9223372036854775808]"},
      {7, nodes - 1, "11 is not below 11"},
      {8, nodes, "12 is not in [0, 11]"},
      {9, 0, "0 is not in [1, 64]"},
      {9, 65, "65 is not in [1, 64]"},
      {9, settings[9] - 1, "'levels'"},
      {9, settings[9] + 1, "is not a node of the top level"}};
  for (const auto& [at, number, why] : wrong_settings) refuse("settings", at, number, why);
  for (const float unit : {0.0F, -1.0F, 1e-40F, NAN, INFINITY})
    refuse("unit", 0, unit, "must be finite and above 0");
  file.set(with_forged(good, "unit", 0, std::numeric_limits<float>::min()));
  EXPECT_NO_THROW(load(file.path()));
  refuse("mean", 2, NAN, "'mean', element 2: is not finite");
  refuse("rows", 0, INFINITY, "'rows', element 0: is not finite");
  refuse("deleted", 3, std::uint8_t{2}, "2 is not below 2");
  refuse("links.base", 0, std::uint32_t{12}, "'links.base', element 0: is not a node");
  refuse("ids", 1, std::uint64_t{0}, "0 occurs twice");
  std::size_t upper = 0;
  while (levels[upper] == 0) ++upper;
  refuse("links.upper_first", upper, std::uint32_t{7}, "is not 0");
  refuse("links.upper", 0, std::uint32_t{12}, "12 is not a node of level 1");
  const std::uint64_t top_list = upper_first[settings[8]] + levels[settings[8]] - 1U;
  refuse("links.upper", top_list * 2, std::uint32_t{12},
         described("12 is not a node of level", settings[9] - 1));
  const auto low = std::find(levels.begin(), levels.end(), 0) - levels.begin();
  refuse("links.upper", 0, static_cast<std::uint32_t>(low), "is not a node of level 1");
  const TempFolder folder;
  small_index().save(folder / "a");
  expect_lengths_are_checked(folder / "a", "hnsw", load);
  append_commit(folder / "a", "hnsw");
  EXPECT_THAT(message_of<CorruptFile>([&] { load(folder / "a"); }),
              HasSubstr("exactly one commit"));
}

TEST(HnswFile, RejectsEveryTruncation) { expect_beginnings_refused(file_of(small_index()), load); }

TEST(HnswFile, MissingIsAnError) {
  EXPECT_THROW(load("/nonexistent/index"), NotFound);
  EXPECT_THROW(import("/nonexistent/index"), NotFound);
  EXPECT_THROW(import("/tmp"), InvalidArgument);
}

TEST(Hnswlib, ReadsWhatItWrites) {
  const TempFolder folder;
  for (const Metric metric : all_metrics) {
    Built all(settings_of(metric), 700, 20, 12, 9);
    all.index.remove({{5}});
    all.index.export_hnswlib(folder / "a.bin");
    const HnswIndex again = HnswIndex::import_hnswlib(context(), folder / "a.bin", metric, 12);
    again.export_hnswlib(folder / "b.bin");
    EXPECT_EQ(again.size(), 699U);
    EXPECT_EQ(again.end_id(), 700U);
    EXPECT_EQ(again.statistics().links, all.index.statistics().links);
    if (metric != Metric::cosine) {  // normalizing again may change the last bit of a row
      EXPECT_TRUE(read_all(folder / "a.bin") == read_all(folder / "b.bin"));
      EXPECT_EQ(again.search(all.queries).ids, all.search({}).ids);
    }
    EXPECT_GE(all.recall(again.search(all.queries)), 0.95);
  }
}

TEST(Hnswlib, ReadsAndWritesAnEmptyIndex) {
  const MemoryFile file;
  file.set(hnswlib_file_of(HnswIndex(context(), 3, settings_of(Metric::l2))));
  EXPECT_EQ(read_all(file.path()).size(), 96U);
  EXPECT_EQ(import(file.path()).size(), 0U);
}

TEST(Hnswlib, ReportsTheDimensionOfTheFile) {
  const MemoryFile file;
  file.set(hnswlib_file_of(small_index()));
  const auto of = [&](Metric metric, std::size_t dimension) {
    HnswIndex::import_hnswlib(context(), file.path(), metric, dimension);
  };
  EXPECT_THAT(message_of<CorruptFile>([&] { of(Metric::l2, 4); }),
              HasSubstr("12 bytes; float32 of dimension 4 has 16"));
  EXPECT_THROW(of(Metric::l2, ~std::size_t{0} / 4), CorruptFile);
  EXPECT_THROW(of(static_cast<Metric>(3), 3), InvalidArgument);
}

TEST(Hnswlib, RejectsOrSurvivesEveryChangedByte) {
  const std::string good = hnswlib_file_of(small_index());
  EXPECT_GT(use_changed_bytes(good, false, 5, use_from<import>).used, 0U);
  expect_beginnings_refused(good, import);
  EXPECT_THAT(refusal_of(good + std::string(1, '\0'), import), HasSubstr("continues"));
}

TEST(Hnswlib, ReportsWhatIsWrongAndWhere) {
  const std::string good = hnswlib_file_of(small_index());
  const auto refuse = [&](std::size_t at, auto value, const char* why) {
    std::string bytes = good;
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    EXPECT_THAT(refusal_of(bytes, import), HasSubstr(why));
  };
  constexpr std::size_t first = 96;
  refuse(0, std::uint64_t{4}, "offset of level 0");
  refuse(8, std::uint64_t{1}, "a capacity of 1");
  refuse(16, std::uint64_t{1} << 40U, "elements of");
  refuse(24, std::uint64_t{41}, "size of an element");
  refuse(32, std::uint64_t{36}, "pass the dimension");
  refuse(40, std::uint64_t{24}, "offset of a row");
  refuse(48, std::int32_t{200}, "highest level");
  refuse(52, std::uint32_t{12}, "the entry 12");
  refuse(56, std::uint64_t{3}, "links of an upper level");
  refuse(64, std::uint64_t{3}, "links of level 0");
  refuse(72, std::uint64_t{1}, "M is 1");
  refuse(first, std::uint32_t{5}, "5 links on level 0");
  refuse(first + 4, std::uint32_t{12}, "a link to 12");
  refuse(first + 20, std::uint32_t{0x7FC00000U}, "not finite");
  refuse(first + 32, ~std::uint64_t{0}, "the label");
  std::uint64_t label = 0;
  std::memcpy(&label, good.data() + first + 32, sizeof(label));
  refuse(first + 40 + 32, label, "twice");
}

TEST(Hnswlib, LabelsMayBeLargeAndLimitTheIds) {
  std::string bytes = hnswlib_file_of(small_index());
  const std::uint64_t label = (std::uint64_t{1} << 63U) - 1;
  std::memcpy(bytes.data() + 96 + 32, &label, sizeof(label));
  const MemoryFile file;
  file.set(bytes);
  HnswIndex index = import(file.path());
  EXPECT_TRUE(index.contains(label));
  const std::vector<float> row = stored_row(index, label);
  EXPECT_THROW(index.add(row), InvalidArgument);
  EXPECT_EQ(index.search(row, {.top = 1}).ids[0], static_cast<std::int64_t>(label));
  index.remove({{label}});
  EXPECT_FALSE(index.contains(label));
}

TEST(HnswBytes, AreThoseOfASavedFileAndAreChecked) {
  const TempFolder folder;
  const HnswIndex index = small_index();
  index.save(folder / "index");
  const std::vector<std::byte> bytes = index.to_bytes();
  expect_bytes_checked(bytes, read_all(folder / "index"), 41,
                       [](const auto& damaged) { HnswIndex::load(context(), damaged); });
  HnswIndex copy = HnswIndex::load(context(), bytes);
  EXPECT_EQ(copy.to_bytes(), bytes);
  EXPECT_EQ(copy.statistics().links, index.statistics().links);
  use(copy);
  const HnswIndex empty(context(), 3);
  EXPECT_EQ(HnswIndex::load(context(), empty.to_bytes()).size(), 0U);
}

}  // namespace HnswFilesTest
