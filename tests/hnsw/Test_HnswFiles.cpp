// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ChangedBytes.hpp"
#include "HnswSupport.hpp"
#include "MemoryFile.hpp"
#include "MessageOf.hpp"
#include "SectionBytes.hpp"
#include "SectionLengths.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

namespace HnswFilesTest {

using namespace Kindred;
using Testing::clustered;
using Testing::file_of;
using ::testing::HasSubstr;
using Testing::message_of;
using Testing::read_all;
using Testing::TempFolder;

HnswSettings settings_of(Metric metric, std::size_t m = 16) {
  HnswSettings settings;
  settings.metric = metric;
  settings.m = m;
  settings.ef_construction = 40;
  return settings;
}

/// A few rows on several levels, one of them removed.
HnswIndex small_index(HnswTraversal traversal = HnswTraversal::automatic) {
  auto generator = Testing::generator("small index");
  HnswSettings settings = settings_of(Metric::l2, 2);
  settings.traversal = traversal;
  HnswIndex index =
      HnswIndex::build(Testing::context(), clustered(generator, 12, 3, 2), 3, settings);
  index.remove(std::vector<std::uint64_t>{4});
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
  HnswSearchOptions options;
  options.top = std::min<std::size_t>(3, index.size());
  options.ef = 5;
  if (index.size() > 0) {
    const auto found = index.search(query, options);
    EXPECT_EQ(found.ids.size(), options.top);
  }
  index.statistics();
  if (index.end_id() < 1000) {
    index.add(query);
    index.remove(std::vector<std::uint64_t>{index.end_id() - 1});
  }
  index.repair();
}

/// The outcomes for files with one byte changed.
struct Sweep {
  std::size_t refused = 0;
  std::size_t taken = 0;
};

/// \brief Changes every byte of \p good, in \p variants of five ways that rotate from byte to byte;
/// \p load returns an index or throws. \param resealed whether the checksums are updated to match
template <class Load>
Sweep sweep(const std::string& good, const Load& load, bool resealed, std::size_t variants) {
  constexpr std::array changes{0x01, 0x80, 0xFF, 0x10, 0x7F};
  const Testing::MemoryFile file;
  Sweep result;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (std::size_t variant = 0; variant < variants; ++variant) {
      const int change = changes[(at + variant) % changes.size()];
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      if (resealed) Testing::reseal({bytes.data(), bytes.size()});
      file.set(bytes);
      try {
        HnswIndex index = load(file.path());
        use(index);
        ++result.taken;
      } catch (const CorruptFile&) {
        ++result.refused;
      }
    }
  }
  EXPECT_GT(result.refused, 0U);
  return result;
}

HnswIndex load(const std::string& path) { return HnswIndex::load(Testing::context(), path); }
HnswIndex import(const std::string& path) {
  return HnswIndex::import_hnswlib(Testing::context(), path, Metric::l2, 3);
}

TEST(HnswFile, RestoresTheSameIndexBitForBit) {
  auto generator = Testing::generator("file");
  const TempFolder folder;
  const auto rows = clustered(generator, 900, 20, 9);
  const auto queries = clustered(generator, 20, 20, 9);
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    HnswIndex index = HnswIndex::build(Testing::context(), rows, 20, settings_of(metric));
    index.remove(std::vector<std::uint64_t>{7});
    index.save(folder / "a");
    HnswIndex loaded = load(folder / "a");
    loaded.save(folder / "b");
    EXPECT_TRUE(read_all(folder / "a") == read_all(folder / "b"));
    EXPECT_EQ(loaded.search(queries).ids, index.search(queries).ids);
    EXPECT_EQ(loaded.statistics().links, index.statistics().links);
    EXPECT_EQ(loaded.statistics().bytes, 0U);  // everything is mapped
    // Applies the same changes to the loaded and to the original index.
    for (HnswIndex* each : {&index, &loaded}) {
      each->add(queries);
      each->remove(std::vector<std::uint64_t>{11, 903});
      each->repair();
    }
    EXPECT_TRUE(file_of(index) == file_of(loaded));
    // The file must be unchanged.
    EXPECT_TRUE(read_all(folder / "a") == read_all(folder / "b"));
  }
}

TEST(HnswFile, StoresAnEmptyIndex) {
  const TempFolder folder;
  HnswIndex(Testing::context(), 5, settings_of(Metric::ip)).save(folder / "a");
  HnswIndex index = load(folder / "a");
  EXPECT_EQ(index.size(), 0U);
  EXPECT_EQ(index.settings().metric, Metric::ip);
  std::string levels = read_all(folder / "a");
  Testing::forge(levels, "settings", 9, std::uint64_t{1});
  EXPECT_THAT(message_of<CorruptFile>([&] { load(folder.write("b", levels)); }),
              HasSubstr("'settings', element 9: 1 is not in [0, 0]"));
  index.add(std::vector<float>{1, 2, 3, 4, 5});
  EXPECT_EQ(index.size(), 1U);
}

TEST(HnswFile, StoresOneRow) {
  const TempFolder folder;
  HnswIndex::build(Testing::context(), std::vector<float>{3}, 1, settings_of(Metric::l2))
      .save(folder / "a");
  EXPECT_EQ(Testing::stored_row(load(folder / "a"), 0), std::vector<float>{3});
  Testing::expect_lengths_are_checked(folder / "a", "hnsw", load);
  const auto refuse = [&](std::size_t setting, const char* why) {
    std::string bad = read_all(folder / "a");
    Testing::forge(bad, "settings", setting, std::uint64_t{0});
    EXPECT_THAT(message_of<CorruptFile>([&] { load(folder.write("b", bad)); }), HasSubstr(why));
  };
  refuse(6, "invalid traversal for these rows");
  refuse(9, "0 is not in [1, 64]");
}

TEST(HnswFile, StoresBytesUpToTheLargestDimensionThatTheySupport) {
  const TempFolder folder;
  HnswSettings settings = settings_of(Metric::l2);
  settings.traversal = HnswTraversal::bytes;
  const std::vector<float> row(65536, 0.5F);
  HnswIndex::build(Testing::context(), row, row.size(), settings).save(folder / "a");
  EXPECT_EQ(Testing::stored_row(load(folder / "a"), 0), row);
}

/// The levels of 64 nodes fill 64 bytes: what follows them is the next column.
TEST(HnswFile, RejectsALinkToTheNodeBehindTheLast) {
  auto generator = Testing::generator("64 nodes");
  const std::string good = file_of(HnswIndex::build(
      Testing::context(), clustered(generator, 64, 3, 2), 3, settings_of(Metric::l2, 2)));
  const Testing::MemoryFile file;
  file.set(good);
  EXPECT_EQ(load(file.path()).size(), 64U);
  std::string bad = good;
  Testing::forge(bad, "links.upper", 0, std::uint32_t{64});
  file.set(bad);
  EXPECT_THAT(message_of<CorruptFile>([&] { load(file.path()); }),
              HasSubstr("'links.upper', element 0: 64 is not a node of level 1"));
}

TEST(HnswFile, RejectsEveryChangedByte) {
  for (const HnswTraversal traversal : {HnswTraversal::bytes, HnswTraversal::floats})
    EXPECT_EQ(sweep(file_of(small_index(traversal)), load, false, 1).taken, 0U);
}

TEST(HnswFile, RejectsOrSurvivesEveryForgedByte) {
  for (const HnswTraversal traversal : {HnswTraversal::bytes, HnswTraversal::floats})
    EXPECT_GT(sweep(file_of(small_index(traversal)), load, true, 1).taken, 0U)
        << "otherwise no change got past the first check";
}

TEST(HnswFile, RejectsForgedNumbers) {
  const std::string good = file_of(small_index(HnswTraversal::bytes));
  const Testing::MemoryFile file;
  const auto refuse = [&](const char* name, std::size_t at, auto number, const char* why) {
    std::string bad = good;
    Testing::forge(bad, name, at, number);
    file.set(bad);
    EXPECT_THAT(message_of<CorruptFile>([&] { load(file.path()); }), HasSubstr(why))
        << name << " " << at;
  };
  const auto setting = [&](std::size_t at, std::uint64_t number, const char* why) {
    refuse("settings", at, number, why);
  };
  file.set(good);
  const auto numbers = [&]<class T>(const char* name, T) {
    const Impl::SectionFile stored(file.path(), "hnsw", 1);
    const auto section = stored.section<T>(0, name);
    return std::vector<T>(section.begin(), section.end());
  };
  const auto settings = numbers("settings", std::uint64_t{});
  const auto levels = numbers("levels", std::uint8_t{});
  const auto ids = numbers("ids", std::uint64_t{});
  const std::uint64_t nodes = ids.size();
  ASSERT_EQ(nodes, 12U);
  ASSERT_GT(settings[9], 2U) << "the graph is to have several levels";
  setting(0, 0, "0 is not in [1, 4294967295]");
  setting(0, 1ULL << 32U, "is not in [1, 4294967295]");
  setting(0, 4, "'mean', element 0: 3 elements; 4 are expected");
  setting(1, 3, "3 is not in [0, 2]");
  setting(2, 1, "1 is not in [2, 512]");
  setting(2, 513, "is not in [2, 512]");
  setting(3, 1, "1 is not in [2, 65536]");
  setting(3, 65537, "is not in [2, 65536]");
  setting(5, 3, "3 is not in [0, 2]");
  setting(6, 3, "3 is not in [0, 2]");
  setting(6, 0, "invalid traversal for these rows");
  setting(7, (1ULL << 63U) + 1, "is not in [0, 9223372036854775808]");
  setting(7, nodes - 1, "11 is not below 11");
  setting(8, nodes, "12 is not in [0, 11]");
  setting(9, 0, "0 is not in [1, 64]");
  setting(9, 65, "65 is not in [1, 64]");
  setting(9, settings[9] - 1, "'levels'");
  setting(9, settings[9] + 1, "is not a node of the top level");
  for (const float unit : {0.0F, -1.0F, 1e-40F, NAN, INFINITY})
    refuse("unit", 0, unit, "must be finite and above 0");
  std::string smallest = good;
  Testing::forge(smallest, "unit", 0, std::numeric_limits<float>::min());
  file.set(smallest);
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
  file.set(good);
  const auto upper_first = numbers("links.upper_first", std::uint32_t{});
  const std::uint64_t top_list = upper_first[settings[8]] + levels[settings[8]] - 1U;
  const std::string of_top = "12 is not a node of level " + std::to_string(settings[9] - 1);
  refuse("links.upper", top_list * 2, std::uint32_t{12}, of_top.c_str());
  const auto low =
      static_cast<std::uint32_t>(std::find(levels.begin(), levels.end(), 0) - levels.begin());
  refuse("links.upper", 0, low, "is not a node of level 1");
  const TempFolder folder;
  small_index().save(folder / "a");
  Testing::expect_lengths_are_checked(folder / "a", "hnsw", load);
  Testing::append_commit(folder / "a", "hnsw");
  EXPECT_THAT(message_of<CorruptFile>([&] { load(folder / "a"); }),
              HasSubstr("exactly one commit"));
}

TEST(HnswFile, RejectsEveryTruncation) {
  const std::string good = file_of(small_index());
  const Testing::MemoryFile file;
  for (std::size_t length = 0; length < good.size(); ++length) {
    file.set(std::string_view(good).substr(0, length));
    EXPECT_THROW(load(file.path()), CorruptFile) << length;
  }
}

TEST(HnswFile, MissingIsAnError) {
  EXPECT_THROW(load("/nonexistent/index"), NotFound);
  EXPECT_THROW(import("/nonexistent/index"), NotFound);
  EXPECT_THROW(import("/tmp"), InvalidArgument);
}

TEST(Hnswlib, ReadsWhatItWrites) {
  auto generator = Testing::generator("hnswlib");
  const TempFolder folder;
  const auto rows = clustered(generator, 700, 12, 9);
  const auto queries = clustered(generator, 20, 12, 9);
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    HnswIndex index = HnswIndex::build(Testing::context(), rows, 12, settings_of(metric));
    index.remove(std::vector<std::uint64_t>{5});
    index.export_hnswlib(folder / "a.bin");
    const HnswIndex again =
        HnswIndex::import_hnswlib(Testing::context(), folder / "a.bin", metric, 12);
    again.export_hnswlib(folder / "b.bin");
    EXPECT_EQ(again.size(), 699U);
    EXPECT_EQ(again.end_id(), 700U);
    EXPECT_EQ(again.statistics().links, index.statistics().links);
    if (metric != Metric::cosine) {  // normalizing again may change the last bit of a row
      EXPECT_TRUE(read_all(folder / "a.bin") == read_all(folder / "b.bin"));
      EXPECT_EQ(again.search(queries).ids, index.search(queries).ids);
    }
    EXPECT_GE(Testing::recall(again.search(queries), metric, rows, 12, queries), 0.95);
  }
}

TEST(Hnswlib, ReadsAndWritesAnEmptyIndex) {
  const TempFolder folder;
  HnswIndex(Testing::context(), 3, settings_of(Metric::l2)).export_hnswlib(folder / "a.bin");
  EXPECT_EQ(read_all(folder / "a.bin").size(), 96U);
  EXPECT_EQ(import(folder / "a.bin").size(), 0U);
}

TEST(Hnswlib, ReportsTheDimensionOfTheFile) {
  const TempFolder folder;
  small_index().export_hnswlib(folder / "a.bin");
  EXPECT_THAT(message_of<CorruptFile>([&] {
                HnswIndex::import_hnswlib(Testing::context(), folder / "a.bin", Metric::l2, 4);
              }),
              HasSubstr("12 bytes; float32 of dimension 4 has 16"));
  EXPECT_THROW(HnswIndex::import_hnswlib(Testing::context(), folder / "a.bin", Metric::l2,
                                         ~std::size_t{0} / 4),
               CorruptFile);
  EXPECT_THROW(
      HnswIndex::import_hnswlib(Testing::context(), folder / "a.bin", static_cast<Metric>(3), 3),
      InvalidArgument);
}

TEST(Hnswlib, RejectsOrSurvivesEveryChangedByte) {
  const std::string good = hnswlib_file_of(small_index());
  EXPECT_GT(sweep(good, import, false, 5).taken, 0U);
  const Testing::MemoryFile file;
  for (std::size_t length = 0; length < good.size(); ++length) {
    file.set(std::string_view(good).substr(0, length));
    EXPECT_THROW(import(file.path()), CorruptFile) << length;
  }
  file.set(good + std::string(1, '\0'));
  EXPECT_THAT(message_of<CorruptFile>([&] { import(file.path()); }), HasSubstr("continues"));
}

TEST(Hnswlib, ReportsWhatIsWrongAndWhere) {
  const std::string good = hnswlib_file_of(small_index());
  const Testing::MemoryFile file;
  const auto refuse = [&](std::size_t at, auto value, const char* why) {
    std::string bytes = good;
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    file.set(bytes);
    EXPECT_THAT(message_of<CorruptFile>([&] { import(file.path()); }), HasSubstr(why));
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
  refuse(
      first + 40 + 32,
      [&] {
        std::uint64_t label = 0;
        std::memcpy(&label, good.data() + first + 32, sizeof(label));
        return label;
      }(),
      "twice");
}

TEST(Hnswlib, LabelsMayBeLargeAndLimitTheIds) {
  std::string bytes = hnswlib_file_of(small_index());
  const std::uint64_t label = (std::uint64_t{1} << 63U) - 1;
  std::memcpy(bytes.data() + 96 + 32, &label, sizeof(label));
  const Testing::MemoryFile file;
  file.set(bytes);
  HnswIndex index = import(file.path());
  EXPECT_TRUE(index.contains(label));
  const std::vector<float> row = Testing::stored_row(index, label);
  EXPECT_THROW(index.add(row), InvalidArgument);
  HnswSearchOptions options;
  options.top = 1;
  EXPECT_EQ(index.search(row, options).ids[0], static_cast<std::int64_t>(label));
  index.remove(std::vector<std::uint64_t>{label});
  EXPECT_FALSE(index.contains(label));
}

TEST(HnswBytes, AreThoseOfASavedFileAndAreChecked) {
  const TempFolder folder;
  const HnswIndex index = small_index();
  index.save(folder / "index");
  const std::vector<std::byte> bytes = index.to_bytes();
  const std::string file = read_all(folder / "index");
  ASSERT_EQ(bytes.size(), file.size());
  EXPECT_EQ(std::memcmp(bytes.data(), file.data(), file.size()), 0);
  HnswIndex copy = HnswIndex::load(Testing::context(), bytes);
  EXPECT_EQ(copy.to_bytes(), bytes);
  EXPECT_EQ(copy.statistics().links, index.statistics().links);
  use(copy);
  const auto refuse = [](const std::vector<std::byte>& damaged) {
    EXPECT_THAT(message_of<CorruptFile>([&] { HnswIndex::load(Testing::context(), damaged); }),
                HasSubstr("the buffer"));
  };
  refuse({});
  Testing::for_each_beginning(bytes, refuse);
  Testing::for_each_flipped_bit(bytes, 41, refuse);
  const HnswIndex empty(Testing::context(), 3);
  EXPECT_EQ(HnswIndex::load(Testing::context(), empty.to_bytes()).size(), 0U);
}

}  // namespace HnswFilesTest
