// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ChangedBytes.hpp"
#include "MemoryFile.hpp"
#include "MessageOf.hpp"
#include "SectionBytes.hpp"
#include "SectionLengths.hpp"
#include "StoredVectorsSupport.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"
#include "VectorFileBytes.hpp"
#include "vector/VectorSections.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/vector/QuantizedRows.hpp>
#include <kindred/matcher/VectorArray.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace StoredVectorsTest {

using namespace Kindred;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Testing::message_of;
using Testing::read_all;
using Testing::StoredPart;
using Testing::TempFolder;

/// Two parts, from which two rows were removed.
void write_small(const std::string& path) {
  StoredPart a(0, 5, 3);
  StoredPart b(20, 2, 3);
  a.live = {0b10110};
  a.part.live = a.live;
  const std::vector<StoredVectors> parts{a.part, b.part};
  Impl::save_vectors(path, parts, 30);
}

TEST(StoredVectors, MayHaveQuantizedRowsOfOneByte) {
  const TempFolder folder;
  StoredPart rows(0, 3, 1);
  rows.part.quantized.values = std::span(rows.quantized).first(3);
  rows.part.quantized.stride = 1;
  rows.part.end_id = 5;
  rows.part.save(folder / "a");
  const StoredVectors stored = StoredVectors::load(folder / "a", 1);
  EXPECT_EQ(stored.quantized.stride, 1U);
  EXPECT_EQ(stored.quantized.values.size(), 3U);
}

TEST(StoredVectors, OmitsRemovedRows) {
  const TempFolder folder;
  write_small(folder / "a");
  const StoredVectors stored = StoredVectors::load(folder / "a", 2);
  EXPECT_EQ(stored.rows.element, DataType::int8);
  EXPECT_EQ(stored.rows.dimension, 3U);
  EXPECT_EQ(stored.rows.count(), 5U);
  EXPECT_EQ(stored.end_id, 30U);
  EXPECT_THAT(stored.ids, ElementsAre(2, 4, 8, 20, 22));
  EXPECT_THAT(stored.norms, ElementsAre(1.5, 2.5, 4.5, 20.5, 21.5));
  EXPECT_THAT(stored.rows.scales, ElementsAre(0.25, 0.5, 1, 5, 5.25));
  EXPECT_EQ(static_cast<int>(stored.rows.values[3 * 3 + 1]), 21);
  EXPECT_EQ(stored.quantized.stride, 16U);
  EXPECT_EQ(stored.quantized.values[2 * 16], 4);
  EXPECT_THAT(stored.quantized.errors, ElementsAre(1, 2, 4, 0, 1));
  EXPECT_THAT(stored.live, IsEmpty());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stored.rows.values.data()) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stored.quantized.values.data()) % 64, 0U);
  const StoredVectorsFileInfo info = StoredVectors::inspect(folder / "a");
  EXPECT_EQ(info.rows, 5U);
  EXPECT_EQ(info.row_bytes, 5U * (3 + 4));
  EXPECT_EQ(info.quantized_bytes, 5U * (16 + 12));
  EXPECT_EQ(info.bytes, read_all(folder / "a").size());
}

TEST(StoredVectors, SavesWhatItLoaded) {
  const TempFolder folder;
  write_small(folder / "a");
  const StoredVectors stored = StoredVectors::load(folder / "a");
  stored.save(folder / "b");
  EXPECT_EQ(read_all(folder / "a"), read_all(folder / "b"));
  // The replaced file stays mapped.
  stored.save(folder / "a");
  EXPECT_EQ(read_all(folder / "a"), read_all(folder / "b"));
  EXPECT_THAT(stored.ids, ElementsAre(2, 4, 8, 20, 22));
}

TEST(StoredVectors, NeedNoIdsIfNoRowWasRemoved) {
  const TempFolder folder;
  StoredPart a(0, 4, 3);
  a.part.ids = {};
  a.part.quantized = {};
  a.part.end_id = 4;
  a.part.save(folder / "a");
  const StoredVectors stored = StoredVectors::load(folder / "a");
  EXPECT_THAT(stored.ids, IsEmpty());
  EXPECT_EQ(stored.quantized.stride, 0U);
  StoredVectors none;
  none.rows.dimension = 7;
  none.save(folder / "none");
  EXPECT_EQ(StoredVectors::load(folder / "none").rows.count(), 0U);
  EXPECT_EQ(StoredVectors::load(folder / "none").rows.dimension, 7U);
}

TEST(StoredVectors, SupportEveryElement) {
  const TempFolder folder;
  const auto path =
      folder.write("x.fvecs", Testing::vecs<float>({{1, -2, 0.5F}, {3, NAN, 0}, {0, 0, 0}}));
  for (const DataType element : {DataType::float32, DataType::float16, DataType::bfloat16}) {
    StoredVectors::build(Testing::context(), VectorFile(path), folder / "s", {element});
    const StoredVectors stored = StoredVectors::load(folder / "s");
    EXPECT_EQ(stored.rows.element, element);
    const VectorArray array = read_rows(VectorFile(path), element);
    EXPECT_THAT(stored.rows.values, ElementsAreArray(array.span().values));
    EXPECT_EQ(stored.norms[0], std::sqrt(5.25));
    EXPECT_TRUE(std::isnan(stored.norms[1]));
    EXPECT_EQ(stored.norms[2], 0);
    EXPECT_EQ(stored.end_id, 3U);
    EXPECT_EQ(StoredVectors::inspect(folder / "s").not_finite, 1U);
  }
}

TEST(StoredVectors, BuildsTheSameFileInPiecesAndInOneCall) {
  const TempFolder folder;
  auto generator = Testing::generator("BuildsInPieces");
  std::vector<float> floats(70000 * 65);
  for (float& value : floats) value = static_cast<float>(generator() % 2001) - 1000;
  const auto path = folder.write("x.fbin", Testing::bin<float>(70000, 65, floats));
  const VectorFile file(path);
  std::uint64_t reported = 0;
  StoredVectors::build(Testing::context(), file, folder / "a", {DataType::int8},
                       [&](std::uint64_t rows) { reported = rows; });
  EXPECT_EQ(reported, 70000U);
  const StoredVectors built = StoredVectors::load(folder / "a");
  const VectorArray array = read_rows(file, DataType::int8);
  EXPECT_TRUE(std::ranges::equal(built.rows.values, array.span().values));
  EXPECT_TRUE(std::ranges::equal(built.rows.scales, array.span().scales));
}

TEST(StoredVectors, HaveTheQuantizedCopyThatASearchWouldBuild) {
  const TempFolder folder;
  auto generator = Testing::generator("HaveTheQuantizedCopy");
  std::vector<float> floats(70001 * 65);
  for (float& value : floats) value = static_cast<float>(generator() % 2001) / 7;
  floats[65 * 69000 + 3] = NAN;
  const VectorFile file(folder.write("x.fbin", Testing::bin<float>(70001, 65, floats)));
  StoredVectors::build(Testing::context(), file, folder / "a");
  const StoredVectors stored = StoredVectors::load(folder / "a");
  ASSERT_EQ(stored.quantized.stride, quantized_stride(65));
  Kokkos::View<std::int8_t*, HostSpace> values("values", 70001 * stored.quantized.stride);
  Kokkos::View<float*, HostSpace> scales("scales", 70001), errors("errors", 70001),
      norms("norms", 70001);
  VectorRows<HostSpace> rows;
  rows.values = bytes_of<HostSpace>(std::span<const float>(floats));
  rows.dimension = 65;
  const HostSpace exec_space;
  quantize_rows<HostSpace>(exec_space, rows, values, scales, errors, norms);
  exec_space.fence();
  const auto equal = [](const auto& span, const auto& view) {
    return span.size() == view.size() &&
           std::memcmp(span.data(), view.data(), span.size_bytes()) == 0;
  };
  EXPECT_TRUE(equal(stored.quantized.values, values));
  EXPECT_TRUE(equal(stored.quantized.scales, scales));
  EXPECT_TRUE(equal(stored.quantized.errors, errors));
  EXPECT_TRUE(equal(stored.quantized.norms, norms));
  StoredVectors::build(Testing::context(), file, folder / "a", {.quantized_copy = false});
  EXPECT_EQ(StoredVectors::load(folder / "a").quantized.stride, 0U);
}

TEST(StoredVectors, LeaveTheFileUnchangedWhenBuildingFails) {
  const TempFolder folder;
  const auto place = folder.write("s", "old");
  const VectorFile file(folder.write("x.fvecs", Testing::vecs<float>({{1, 2}, {3, HUGE_VALF}})));
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { StoredVectors::build(Testing::context(), file, place, {DataType::int8}); }),
              HasSubstr("x.fvecs: row 1, place 1: inf is not finite"));
  EXPECT_EQ(read_all(place), "old");
  EXPECT_EQ(folder.names().size(), 2U);
}

TEST(StoredVectors, OfPartsWhoseIdsInterleaveAreWrittenInTheirOrder) {
  const TempFolder folder;
  const StoredPart a(0, 4, 2);
  StoredPart b(3, 3, 2);
  b.live = {0b101};
  b.part.live = b.live;
  Impl::save_vectors(folder / "a", std::vector{b.part, a.part}, 30);
  const StoredVectors stored = StoredVectors::load(folder / "a", 1);
  EXPECT_THAT(stored.ids, ElementsAre(0, 2, 3, 4, 6, 7));
  EXPECT_THAT(stored.norms, ElementsAre(0.5, 1.5, 3.5, 2.5, 3.5, 5.5));
  EXPECT_THAT(stored.quantized.errors, ElementsAre(0, 1, 0, 2, 3, 2));
  EXPECT_EQ(stored.quantized.values[2 * 16], 3);
}

TEST(StoredVectors, RejectInconsistentArguments) {
  const TempFolder folder;
  const auto refusal = [&](const std::vector<StoredVectors>& parts, std::uint64_t end_id = 30) {
    return message_of<InvalidArgument>([&] { Impl::save_vectors(folder / "a", parts, end_id); });
  };
  StoredPart a(0, 3, 2);
  StoredPart b(3, 1, 2);
  StoredPart wide(20, 1, 3);
  EXPECT_THAT(refusal({}), HasSubstr("there must be at least one"));
  EXPECT_THAT(refusal({a.part, a.part}), HasSubstr("a row has the id 0; ids must ascend from 1"));
  EXPECT_THAT(refusal({a.part}, 4), HasSubstr("id 4; ids must ascend from 3 and stay below 4"));
  EXPECT_THAT(refusal({a.part, wide.part}), HasSubstr("do not match"));
  EXPECT_THAT(refusal({a.part}, std::uint64_t{1} << 32U), HasSubstr("at most 4294967295"));
  StoredVectors bad = a.part;
  bad.norms = bad.norms.first(2);
  EXPECT_THAT(refusal({bad}), HasSubstr("do not match"));
  // 4 rows of 2⁶² bytes overflow to 0 bytes in 64 bits.
  StoredPart four(0, 4, 2);
  four.part.quantized.values = {};
  four.part.quantized.stride = std::uint64_t{1} << 62U;
  EXPECT_THAT(refusal({four.part}), HasSubstr("do not match"));
  const auto index = [&] { VectorIndex(Testing::context(), four.part, VectorIndexOptions()); };
  EXPECT_THAT(message_of<InvalidArgument>(index), HasSubstr("do not match"));
  four.part.quantized.stride = 16;
  EXPECT_THAT(message_of<InvalidArgument>(index), HasSubstr("do not match"));
  EXPECT_THAT(folder.names(), IsEmpty());
}

/// Neither an index nor a file is made of rows that would give wrong answers or a file that cannot
/// be loaded.
TEST(StoredVectors, RejectEverythingThatAnIndexOrAFileReliesOn) {
  const TempFolder folder;
  using Bad = std::function<void(StoredPart&)>;
  const std::vector<std::pair<const char*, Bad>> cases{
      {"ids must ascend from 5", [](StoredPart& p) { std::swap(p.ids[1], p.ids[2]); }},
      {"ids must ascend from 3", [](StoredPart& p) { p.ids[2] = p.ids[1]; }},
      {"ids must ascend from 3", [](StoredPart& p) { p.ids[2] = 0; }},
      {"stay below 0", [](StoredPart& p) { p.part.end_id = 0; }},
      {"stay below 6", [](StoredPart& p) { p.part.end_id = 6; }},
      {"at most 4294967295", [](StoredPart& p) { p.part.end_id = std::uint64_t{1} << 32U; }},
      {"a row has the id 10; ids must ascend from 8",
       [](StoredPart& p) {
         p.part.ids = {};
         p.part.first_id = 7;
       }},
      {"a row has the id 4294967295",
       [](StoredPart& p) {
         p.part.ids = {};
         p.part.first_id = 0xFFFFFFFF;
         p.part.end_id = 0xFFFFFFFF;
       }},
      {"do not match", [](StoredPart& p) { p.part.ids = p.part.ids.first(3); }},
      {"do not match", [](StoredPart& p) { p.part.norms = p.part.norms.first(3); }},
      {"do not match", [](StoredPart& p) { p.part.rows.scales = p.part.rows.scales.first(3); }},
      {"do not match", [](StoredPart& p) { p.part.rows.scales = {}; }},
      {"do not match", [](StoredPart& p) { p.part.rows.values = p.part.rows.values.first(11); }},
      {"do not match",
       [](StoredPart& p) {
         p.live = {0b1111, 0};
         p.part.live = p.live;
       }},
      {"a bit of `live` is set for a row that does not exist",
       [](StoredPart& p) {
         p.live = {0b11101};
         p.part.live = p.live;
       }},
      {"do not match", [](StoredPart& p) { p.part.quantized.stride = 2; }},
      {"do not match", [](StoredPart& p) { p.part.quantized.stride = 15; }},
      {"scale of row 1 is -0.5", [](StoredPart& p) { p.scales[1] = -0.5F; }},
      {"scale of row 1 is", [](StoredPart& p) { p.scales[1] = NAN; }},
      {"scale of row 1 is inf", [](StoredPart& p) { p.scales[1] = INFINITY; }},
      {"the norm of row 3 is -1", [](StoredPart& p) { p.norms[3] = -1; }},
      {"quantized scale of row 2", [](StoredPart& p) { p.quantized_scales[2] = NAN; }},
      {"quantized error of row 2", [](StoredPart& p) { p.quantized_errors[2] = NAN; }},
      {"quantized norm of row 2 is -3", [](StoredPart& p) { p.quantized_norms[2] = -3; }},
      {"the dimension is 0", [](StoredPart& p) { p.part.rows.dimension = 0; }},
      {"uint8 is not an element type",
       [](StoredPart& p) { p.part.rows.element = DataType::uint8; }},
      {"do not begin at a multiple of 2 bytes",
       [](StoredPart& p) {
         p.values.resize(32);
         p.part.rows.values = std::as_bytes(std::span(p.values)).subspan(1, 24);
         p.part.rows.element = DataType::float16;
         p.part.rows.scales = {};
       }},
  };
  for (const auto& [why, make_bad] : cases) {
    StoredPart rows(0, 4, 3);
    rows.part.end_id = 9;
    EXPECT_EQ(VectorIndex(Testing::context(), rows.part, VectorIndexOptions()).end_id(), 9U);
    make_bad(rows);
    EXPECT_THAT(message_of<InvalidArgument>(
                    [&] { VectorIndex(Testing::context(), rows.part, VectorIndexOptions()); }),
                HasSubstr(why));
    EXPECT_THAT(message_of<InvalidArgument>([&] { rows.part.save(folder / "a"); }), HasSubstr(why));
  }
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(StoredVectors, OfAnIndexMayHaveRemovedRowsAndAnyFirstId) {
  StoredPart rows(0, 4, 3);
  rows.live = {0b1101};
  rows.part.live = rows.live;
  rows.part.end_id = 7;
  EXPECT_THAT(VectorIndex(Testing::context(), rows.part, VectorIndexOptions()).ids(),
              ElementsAre(0, 4, 6));
  rows.part.ids = {};
  rows.part.first_id = 3;
  EXPECT_THAT(VectorIndex(Testing::context(), rows.part, VectorIndexOptions()).ids(),
              ElementsAre(3, 5, 6));
}

/// The bytes of a store whose section \p name has another number at \p at, sealed again.
template <class T>
std::string with(const std::string& good, const std::string& name, std::size_t at, T number) {
  std::string changed = good;
  Testing::forge(changed, name, at, number);
  return changed;
}
/// The refusal of such a store.
template <class T>
std::string forged(const std::string& good, const std::string& name, std::size_t at, T number) {
  const Testing::MemoryFile memory;
  memory.set(with(good, name, at, number));
  return message_of<CorruptFile>([&] { StoredVectors::load(memory.path(), 1); });
}

TEST(StoredVectors, RejectForgedNumbers) {
  const TempFolder folder;
  write_small(folder / "a");
  const std::string good = read_all(folder / "a");
  const auto head = [&](std::size_t at, std::uint64_t number) {
    return forged<std::uint64_t>(good, "head", at, number);
  };
  EXPECT_THAT(head(0, 4), HasSubstr("4 is not an element type"));
  EXPECT_THAT(head(0, 0), HasSubstr("'value' has elements of 1 bytes"));
  EXPECT_THAT(head(1, 0), HasSubstr("0 is not a valid dimension"));
  EXPECT_THAT(head(1, 4), HasSubstr("15 elements; 20 are expected"));
  EXPECT_THAT(head(1, 1ULL << 40U), HasSubstr("is not a valid dimension"));
  EXPECT_THAT(head(2, 6), HasSubstr("elements; 18 are expected"));
  EXPECT_THAT(head(2, ~0ULL), HasSubstr("do not match ids below 30"));
  EXPECT_THAT(head(3, 1ULL << 33U), HasSubstr("is not a valid end of ids"));
  EXPECT_THAT(head(3, 20), HasSubstr("'id', element 3"));
  EXPECT_THAT(head(4, 2), HasSubstr("less than the dimension"));
  EXPECT_THAT(head(4, 17), HasSubstr("80 elements; 85 are expected"));
  EXPECT_THAT(head(4, 1ULL << 62U), HasSubstr("a larger quantized copy than a file can have"));
  EXPECT_THAT(forged<std::uint32_t>(good, "id", 1, 2),
              HasSubstr("'id', element 1: ids must ascend"));
  EXPECT_THAT(forged<float>(good, "scale", 2, NAN), HasSubstr("'scale', element 2"));
  EXPECT_THAT(forged<float>(good, "scale", 2, -1), HasSubstr("the scale must be finite"));
  EXPECT_THAT(forged<double>(good, "norm", 4, -1), HasSubstr("'norm', element 4"));
  EXPECT_THAT(forged<float>(good, "shadow.error", 0, NAN), HasSubstr("'shadow.error', element 0"));
  EXPECT_THAT(head(1, 0xFFFFFFFF), HasSubstr("is not a valid dimension"));
  EXPECT_THAT(head(2, 30), HasSubstr("elements; 90 are expected"));
  EXPECT_THAT(head(2, 31), HasSubstr("do not match ids below 30"));
  EXPECT_THAT(head(3, 1ULL << 32U), HasSubstr("is not a valid end of ids"));
  EXPECT_THAT(head(4, 3), HasSubstr("80 elements; 15 are expected"));
  EXPECT_THAT(forged<std::uint32_t>(good, "id", 4, 30),
              HasSubstr("'id', element 4: ids must ascend"));
  EXPECT_THAT(forged<float>(good, "scale", 0, INFINITY), HasSubstr("the scale must be finite"));
  for (const char* name : {"shadow.scale", "shadow.error", "shadow.norm"})
    EXPECT_THAT(forged<float>(good, name, 4, -1), HasSubstr("must not be negative or NaN")) << name;
  Testing::append_commit(folder / "a", "vectors");
  EXPECT_THAT(message_of<CorruptFile>([&] { StoredVectors::load(folder / "a"); }),
              HasSubstr("exactly one commit"));
  StoredPart no_ids(0, 4, 3);
  no_ids.part.ids = {};
  no_ids.part.end_id = 4;
  no_ids.part.save(folder / "b");
  EXPECT_THAT(forged<std::uint64_t>(read_all(folder / "b"), "head", 3, 5),
              HasSubstr("4 rows do not match ids below 5"));
}

TEST(StoredVectors, RejectColumnsOfOtherLengths) {
  const TempFolder folder;
  write_small(folder / "a");
  Testing::expect_lengths_are_checked(
      folder / "a", "vectors", [](const std::string& path) { StoredVectors::load(path, 1); });
}

TEST(StoredVectors, RejectMoreNumbersThanAFileCanHave) {
  const TempFolder folder;
  const auto path = folder.write("x.fvecs", Testing::vecs<float>({{1, 2}, {3, 4}}));
  StoredVectors::build(Testing::context(), VectorFile(path), folder / "a",
                       {.quantized_copy = false});
  std::string bytes = read_all(folder / "a");
  Testing::forge<std::uint64_t>(bytes, "head", 1, 0xFFFFFFFE);
  Testing::forge<std::uint64_t>(bytes, "head", 2, 0xFFFFFFFF);
  EXPECT_THAT(forged<std::uint64_t>(bytes, "head", 3, 0xFFFFFFFF),
              HasSubstr("more numbers than a file can have"));
}

TEST(StoredVectors, AcceptNumbersAtTheirLimits) {
  const TempFolder folder;
  write_small(folder / "a");
  const std::string good = read_all(folder / "a");
  const Testing::MemoryFile memory;
  const auto load = [&](const std::string& bytes) {
    memory.set(bytes);
    return StoredVectors::load(memory.path(), 1);
  };
  EXPECT_EQ(load(with<std::uint64_t>(good, "head", 3, 0xFFFFFFFF)).end_id, 0xFFFFFFFFU);
  EXPECT_EQ(load(with<std::uint32_t>(good, "id", 4, 29)).ids[4], 29U);
  EXPECT_EQ(load(with<float>(good, "scale", 0, 0)).rows.scales[0], 0.0F);
  EXPECT_EQ(load(with<double>(good, "norm", 0, 0)).norms[0], 0.0);
  EXPECT_TRUE(std::isnan(load(with<double>(good, "norm", 0, NAN)).norms[0]));
  for (const char* name : {"shadow.scale", "shadow.error", "shadow.norm"})
    EXPECT_EQ(load(with<float>(good, name, 0, 0)).rows.count(), 5U) << name;
}

TEST(StoredVectors, DetectEveryChangedByteAndEveryTruncation) {
  const TempFolder folder;
  write_small(folder / "a");
  const std::string good = read_all(folder / "a");
  const Testing::MemoryFile memory;
  std::size_t read = 0;
  for (std::size_t length = 0; length < good.size(); ++length) {
    memory.set(good.substr(0, length));
    EXPECT_THROW(StoredVectors::load(memory.path(), 1), CorruptFile) << length;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const unsigned char change : {0x01, 0x80, 0xFF}) {
      std::string bad = good;
      bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ change);
      memory.set(bad);
      EXPECT_THROW(StoredVectors::load(memory.path(), 1), CorruptFile) << i;
      // With matching checksums it may be a valid store, which is then read within its bounds.
      Testing::reseal(bad);
      memory.set(bad);
      try {
        Testing::use(StoredVectors::load(memory.path(), 1));
        ++read;
      } catch (const CorruptFile&) {
        continue;
      }
    }
  }
  EXPECT_GT(read, 100U);
}

TEST(StoredVectors, RejectAnotherKindOfFile) {
  const TempFolder folder;
  EXPECT_THROW(StoredVectors::load(folder / "none"), NotFound);
  EXPECT_THROW(StoredVectors::load(folder.write("x", "text")), CorruptFile);
}

TEST(VectorBytes, AreThoseOfASavedFileAndAreChecked) {
  const TempFolder folder;
  auto generator = Testing::generator("bytes of vectors");
  std::normal_distribution<float> normal;
  std::vector<float> rows(40 * 5);
  for (float& value : rows) value = normal(generator);
  for (const DataType element :
       {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8}) {
    VectorArray encoded(element, 40, 5);
    encode_rows(rows, 5, element, encoded.values(), encoded.scales());
    VectorIndex index(Testing::context(), encoded.span(), {});
    index.remove(std::vector<std::uint64_t>{3, 39});
    index.save(folder / "index");
    const std::vector<std::byte> bytes = index.to_bytes();
    const std::string file = read_all(folder / "index");
    ASSERT_EQ(bytes.size(), file.size());
    EXPECT_EQ(std::memcmp(bytes.data(), file.data(), file.size()), 0);
    VectorIndex copy = VectorIndex::load(Testing::context(), bytes);
    EXPECT_EQ(copy.ids(), index.ids());
    EXPECT_EQ(copy.to_bytes(), bytes);
    EXPECT_EQ(copy.search(rows).scores, index.search(rows).scores);
    copy.add(encoded.span());
    EXPECT_EQ(copy.size(), index.size() + 40);
    const auto refuse = [](const std::vector<std::byte>& damaged) {
      EXPECT_THAT(message_of<CorruptFile>([&] { VectorIndex::load(Testing::context(), damaged); }),
                  HasSubstr("the buffer"));
    };
    refuse({});
    Testing::for_each_beginning(bytes, refuse);
    Testing::for_each_flipped_bit(bytes, 41, refuse);
  }
}

}  // namespace StoredVectorsTest
