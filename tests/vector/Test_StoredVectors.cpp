// SPDX-License-Identifier: Apache-2.0
#include "DamagedFiles.hpp"
#include "RefusedCalls.hpp"
#include "SectionLengths.hpp"
#include "StoredVectorsSupport.hpp"
#include "VectorAnswers.hpp"
#include "VectorFileBytes.hpp"
#include "kernels/PrefilterCases.hpp"
#include "vector/VectorSections.hpp"

#include <kindred/core/vector/QuantizedRows.hpp>

#include <Kokkos_Core.hpp>

namespace StoredVectorsTest {

using namespace Kindred;
using namespace Testing;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two parts, from which two rows were removed.
void write_small(const std::string& path) {
  StoredPart a(0, 5, 3);
  StoredPart b(20, 2, 3);
  a.keep({0b10110});
  Impl::save_vectors(path, std::vector{a.part, b.part}, 30);
}

/// What is loaded of a part that was saved.
StoredVectors saved(const StoredVectors& part) {
  const TempFolder folder;
  part.save(folder / "a");
  return StoredVectors::load(folder / "a", 1);
}

TEST(StoredVectors, MayHaveQuantizedRowsOfOneByte) {
  StoredPart rows(0, 3, 1);
  rows.part.quantized.values = std::span(rows.quantized).first(3);
  rows.part.quantized.stride = 1;
  rows.part.end_id = 5;
  const StoredVectors stored = saved(rows.part);
  EXPECT_EQ(stored.quantized.stride, 1U);
  EXPECT_EQ(stored.quantized.values.size(), 3U);
  rows.quantized_scales[2] = NAN;
  expect_refused({{[&] { saved(rows.part); }, "quantized scale of row 2"}});
  rows.part.quantized.stride = 0;
  EXPECT_EQ(saved(rows.part).quantized.stride, 0U) << "no copy, of which nothing is read";
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
  StoredPart a(0, 4, 3);
  a.number_from(0, 4);
  a.part.quantized = {};
  EXPECT_THAT(saved(a.part).ids, IsEmpty());
  EXPECT_EQ(saved(a.part).quantized.stride, 0U);
  StoredVectors none;
  none.rows.dimension = 7;
  EXPECT_EQ(saved(none).rows.count(), 0U);
  EXPECT_EQ(saved(none).rows.dimension, 7U);
}

TEST(StoredVectors, SupportEveryElement) {
  const TempFolder folder;
  const auto path = folder.write("x.fvecs", vecs<float>({{1, -2, 0.5F}, {3, NAN, 0}, {0, 0, 0}}));
  for (const DataType element : {DataType::float32, DataType::float16, DataType::bfloat16}) {
    StoredVectors::build(context(), VectorFile(path), folder / "s", {element});
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

TEST(StoredVectors, OfManyRowsHaveTheQuantizedCopyThatASearchWouldBuild) {
  constexpr std::size_t count = 70001, dimension = 65;
  const TempFolder folder;
  std::vector<float> floats(count * dimension);
  for (float& value : floats) value = (static_cast<float>(random_below(2001)) - 1000) / 7;
  const auto build = [&](const StoredVectorsOptions& options) {
    const VectorFile file(folder.write("x.fbin", bin<float>(count, dimension, floats)));
    std::uint64_t reported = 0;
    StoredVectors::build(context(), file, folder / "a", options,
                         [&](std::uint64_t rows) { reported = rows; });
    EXPECT_EQ(reported, count);
    return StoredVectors::load(folder / "a");
  };
  const StoredVectors of_bytes = build({DataType::int8});
  const auto encoded = StoredRows::near(DataType::int8, floats, dimension);
  EXPECT_TRUE(std::ranges::equal(of_bytes.rows.values, encoded.span().values));
  EXPECT_TRUE(std::ranges::equal(of_bytes.rows.scales, encoded.span().scales));
  floats[dimension * 69000 + 3] = NAN;
  const StoredVectors stored = build({});
  ASSERT_EQ(stored.quantized.stride, quantized_stride(dimension));
  const HostSpace exec_space;
  const PrefilterData<HostSpace> data(exec_space,
                                      {StoredRows::near(DataType::float32, floats, dimension), {}});
  exec_space.fence();
  const auto equal = [](const auto& span, const auto& view) {
    return span.size() == view.size() &&
           std::memcmp(span.data(), view.data(), span.size_bytes()) == 0;
  };
  EXPECT_TRUE(equal(stored.quantized.values, data.quantized_values));
  EXPECT_TRUE(equal(stored.quantized.scales, data.quantized_scales));
  EXPECT_TRUE(equal(stored.quantized.errors, data.errors));
  EXPECT_TRUE(equal(stored.quantized.norms, data.quantized_norms));
  EXPECT_EQ(build({.quantized_copy = false}).quantized.stride, 0U);
}

TEST(StoredVectors, LeaveTheFileUnchangedWhenBuildingFails) {
  const TempFolder folder;
  const auto place = folder.write("s", "old");
  const VectorFile file(folder.write("x.fvecs", vecs<float>({{1, 2}, {3, HUGE_VALF}})));
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { StoredVectors::build(context(), file, place, {DataType::int8}); }),
              HasSubstr("x.fvecs: row 1, place 1: inf is not finite"));
  EXPECT_EQ(read_all(place), "old");
  EXPECT_EQ(folder.names().size(), 2U);
}

TEST(StoredVectors, OfPartsWhoseIdsInterleaveAreWrittenInTheirOrder) {
  const TempFolder folder;
  const StoredPart a(0, 4, 2);
  StoredPart b(3, 3, 2);
  b.keep({0b101});
  Impl::save_vectors(folder / "a", std::vector{b.part, a.part}, 30);
  const StoredVectors stored = StoredVectors::load(folder / "a", 1);
  EXPECT_THAT(stored.ids, ElementsAre(0, 2, 3, 4, 6, 7));
  EXPECT_THAT(stored.norms, ElementsAre(0.5, 1.5, 3.5, 2.5, 3.5, 5.5));
  EXPECT_THAT(stored.quantized.errors, ElementsAre(0, 1, 0, 2, 3, 2));
  EXPECT_EQ(stored.quantized.values[2 * 16], 3);
}

TEST(StoredVectors, RejectPartsThatDoNotMatch) {
  const TempFolder folder;
  const StoredPart a(0, 3, 2);
  const StoredPart wide(20, 1, 3);
  const auto save = [&](const std::vector<StoredVectors>& parts) {
    return [&, parts] { Impl::save_vectors(folder / "a", parts, 30); };
  };
  expect_refused({
      {save({}), "there must be at least one"},
      {save({a.part, a.part}), "a row has the id 0; ids must ascend from 1"},
      {save({a.part, wide.part}), "do not match"},
  });
  EXPECT_THAT(folder.names(), IsEmpty());
}

/// Neither an index nor a file is made of rows that would give wrong answers or a file that cannot
/// be loaded.
TEST(StoredVectors, RejectEverythingThatAnIndexOrAFileReliesOn) {
  const TempFolder folder;
  constexpr std::uint64_t large = std::uint64_t{1} << 62U;  // of which 4 overflow to 0
  using Bad = std::function<void(StoredPart & rows)>;
  const std::vector<std::pair<const char*, Bad>> cases{
      {"ids must ascend from 5", [](auto& rows) { std::swap(rows.ids[1], rows.ids[2]); }},
      {"ids must ascend from 3", [](auto& rows) { rows.ids[2] = rows.ids[1]; }},
      {"ids must ascend from 3", [](auto& rows) { rows.ids[2] = 0; }},
      {"stay below 0", [](auto& rows) { rows.part.end_id = 0; }},
      {"stay below 6", [](auto& rows) { rows.part.end_id = 6; }},
      {"at most 4294967295", [](auto& rows) { rows.part.end_id = std::uint64_t{1} << 32U; }},
      {"the id 10; ids must ascend from 8", [](auto& rows) { rows.number_from(7, 9); }},
      {"a row has the id 4294967295", [](auto& rows) { rows.number_from(~0U, ~0U); }},
      {"do not match", [](auto& rows) { rows.part.ids = rows.part.ids.first(3); }},
      {"do not match", [](auto& rows) { rows.part.norms = rows.part.norms.first(3); }},
      {"do not match", [](auto& rows) { rows.part.rows.scales = rows.part.rows.scales.first(3); }},
      {"do not match", [](auto& rows) { rows.part.rows.scales = rows.part.rows.scales.first(0); }},
      {"do not match", [](auto& rows) { rows.part.rows.values = rows.part.rows.values.first(11); }},
      {"do not match", [](auto& rows) { rows.keep(std::vector<std::uint64_t>(2, 0b1111)); }},
      {"a bit of `live` is set for a row that does not exist",
       [](auto& rows) { rows.keep({0b11101}); }},
      {"do not match", [](auto& rows) { rows.part.quantized.stride = 2; }},
      {"do not match", [](auto& rows) { rows.part.quantized.stride = 15; }},
      {"do not match", [](auto& rows) { rows.part.quantized.values = {}; }},
      {"do not match",
       [](auto& rows) {
         rows.part.quantized.values = {};
         rows.part.quantized.stride = large;
       }},
      {"scale of row 1 is -0.5", [](auto& rows) { rows.scales[1] = -0.5F; }},
      {"scale of row 1 is", [](auto& rows) { rows.scales[1] = NAN; }},
      {"scale of row 1 is inf", [](auto& rows) { rows.scales[1] = INFINITY; }},
      {"the norm of row 3 is -1", [](auto& rows) { rows.norms[3] = -1; }},
      {"quantized scale of row 2", [](auto& rows) { rows.quantized_scales[2] = NAN; }},
      {"quantized error of row 2", [](auto& rows) { rows.quantized_errors[2] = NAN; }},
      {"quantized norm of row 2 is -3", [](auto& rows) { rows.quantized_norms[2] = -3; }},
      {"the dimension is 0", [](auto& rows) { rows.part.rows.dimension = 0; }},
      {"uint8 is not an element type",
       [](auto& rows) { rows.part.rows.element = DataType::uint8; }},
      {"do not begin at a multiple of 2 bytes",
       [](auto& rows) {
         rows.values.resize(32);
         const auto shifted = std::as_bytes(std::span(rows.values)).subspan(1, 24);
         rows.part.rows = VectorSpan(DataType::float16, shifted, 3);
       }},
  };
  for (const auto& [why, make_bad] : cases) {
    StoredPart rows(0, 4, 3);
    rows.part.end_id = 9;
    const auto index = [&] { return VectorIndex(context(), rows.part, {}); };
    EXPECT_EQ(index().end_id(), 9U);
    make_bad(rows);
    expect_refused({{index, why}, {[&] { rows.part.save(folder / "a"); }, why}});
  }
  StoredPart two(0, 2, 3);
  two.number_from(7, 8);
  expect_refused({{[&] { two.part.save(folder / "a"); }, "the id 8; ids must ascend from 8"}});
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(StoredVectors, OfAnIndexMayHaveRemovedRowsAndAnyFirstId) {
  StoredPart rows(0, 4, 3);
  rows.keep({0b1101});
  rows.part.end_id = 7;
  const auto ids = [&] { return VectorIndex(context(), rows.part, {}).ids(); };
  EXPECT_THAT(ids(), ElementsAre(0, 4, 6));
  rows.number_from(3, 7);
  EXPECT_THAT(ids(), ElementsAre(3, 5, 6));
  StoredPart one(0, 1, 3);
  one.number_from(3, 4);
  EXPECT_THAT(VectorIndex(context(), one.part, {}).ids(), ElementsAre(3));
}

TEST(StoredVectors, MayHaveAnyNumberOfBitsForRemovedRows) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  const auto rows = [](std::uint32_t count, const std::vector<std::uint64_t>& bits) {
    StoredPart part(0, count, 3);
    part.keep(bits);
    part.part.end_id = 200;
    return saved(part.part).rows.count();
  };
  EXPECT_EQ(rows(63, {all >> 1U}), 63U);
  EXPECT_EQ(rows(64, {all}), 64U);
  EXPECT_EQ(rows(65, {all, 1}), 65U);
  expect_refused({{[&] { rows(63, {all}); }, "a bit of `live` is set"},
                  {[&] {
                     rows(65, {all, 2});
                   },
                   "a bit of `live` is set"},
                  {[&] { rows(65, {all}); }, "do not match"}});
}

StoredVectors load(const std::string& path) { return StoredVectors::load(path, 1); }

TEST(StoredVectors, RejectForgedNumbers) {
  const TempFolder folder;
  EXPECT_THROW(StoredVectors::inspect(folder / "none"), NotFound);
  write_small(folder / "a");
  const std::string good = read_all(folder / "a");
  const auto refuse = [&](const char* section, std::size_t at, auto number, const char* why) {
    EXPECT_THAT(refusal_of(with_forged(good, section, at, number), load), HasSubstr(why))
        << section << ' ' << at;
  };
  const std::vector<std::tuple<std::size_t, std::uint64_t, const char*>> head{
      {0, 4, "4 is not an element type"},
      {0, 0, "'value' has elements of 1 bytes"},
      {1, 0, "0 is not a valid dimension"},
      {1, 4, "15 elements; 20 are expected"},
      {1, 1ULL << 40U, "is not a valid dimension"},
      {1, 0xFFFFFFFF, "is not a valid dimension"},
      {2, 6, "elements; 18 are expected"},
      {2, 30, "elements; 90 are expected"},
      {2, 31, "do not match ids below 30"},
      {2, ~0ULL, "do not match ids below 30"},
      {3, 1ULL << 32U, "is not a valid end of ids"},
      {3, 1ULL << 33U, "is not a valid end of ids"},
      {3, 20, "'id', element 3"},
      {4, 2, "less than the dimension"},
      {4, 3, "80 elements; 15 are expected"},
      {4, 17, "80 elements; 85 are expected"},
      {4, 1ULL << 62U, "a larger quantized copy than a file can have"}};
  for (const auto& [at, number, why] : head) refuse("head", at, number, why);
  refuse("id", 1, std::uint32_t{2}, "'id', element 1: ids must ascend");
  refuse("id", 4, std::uint32_t{30}, "'id', element 4: ids must ascend");
  refuse("scale", 2, NAN, "'scale', element 2");
  for (const float scale : {-1.0F, INFINITY}) refuse("scale", 0, scale, "the scale must be finite");
  refuse("norm", 4, -1.0, "'norm', element 4");
  refuse("shadow.error", 0, NAN, "'shadow.error', element 0");
  for (const char* name : {"shadow.scale", "shadow.error", "shadow.norm"})
    refuse(name, 4, -1.0F, "must not be negative or NaN");
  expect_lengths_are_checked(folder / "a", "vectors", load);
  append_commit(folder / "a", "vectors");
  EXPECT_THAT(refusal_of(read_all(folder / "a"), load), HasSubstr("exactly one commit"));
  StoredPart no_ids(0, 4, 3);
  no_ids.number_from(0, 4);
  no_ids.part.save(folder / "b");
  const std::string ends = with_forged(read_all(folder / "b"), "head", 3, std::uint64_t{5});
  EXPECT_THAT(refusal_of(ends, load), HasSubstr("4 rows do not match ids below 5"));
}

TEST(StoredVectors, RejectMoreNumbersThanAFileCanHave) {
  const TempFolder folder;
  const auto path = folder.write("x.fvecs", vecs<float>({{1, 2}, {3, 4}}));
  StoredVectors::build(context(), VectorFile(path), folder / "a", {.quantized_copy = false});
  std::string bytes = read_all(folder / "a");
  forge<std::uint64_t>(bytes, "head", 1, 0xFFFFFFFE);
  for (const std::size_t at : {2UL, 3UL}) forge<std::uint64_t>(bytes, "head", at, 0xFFFFFFFF);
  EXPECT_THAT(refusal_of(bytes, load), HasSubstr("more numbers than a file can have"));
}

TEST(StoredVectors, AcceptNumbersAtTheirLimits) {
  const TempFolder folder;
  write_small(folder / "a");
  const MemoryFile memory;
  const auto forged = [&](const char* section, std::size_t at, auto number) {
    memory.set(with_forged(read_all(folder / "a"), section, at, number));
    return load(memory.path());
  };
  EXPECT_EQ(forged("head", 3, std::uint64_t{0xFFFFFFFF}).end_id, 0xFFFFFFFFU);
  EXPECT_EQ(forged("id", 4, 29U).ids[4], 29U);
  EXPECT_EQ(forged("scale", 0, 0.0F).rows.scales[0], 0.0F);
  EXPECT_EQ(forged("norm", 0, 0.0).norms[0], 0.0);
  EXPECT_TRUE(std::isnan(forged("norm", 0, double{NAN}).norms[0]));
  for (const char* name : {"shadow.scale", "shadow.error", "shadow.norm"})
    EXPECT_EQ(forged(name, 0, 0.0F).rows.count(), 5U) << name;
}

TEST(StoredVectors, DetectEveryChangedByteAndEveryTruncation) {
  const TempFolder folder;
  EXPECT_THROW(load(folder / "a"), NotFound);
  write_small(folder / "a");
  const std::string good = read_all(folder / "a");
  expect_beginnings_refused(good, load);
  const auto use = [](const std::string& path) { Testing::use(load(path)); };
  EXPECT_EQ(use_changed_bytes(good, false, 3, use).used, 0U);
  // With matching checksums it may be a valid store, which is then read within its bounds.
  EXPECT_GT(use_changed_bytes(good, true, 3, use).used, 100U);
}

TEST(VectorBytes, AreThoseOfASavedFileAndAreChecked) {
  const TempFolder folder;
  const std::vector<float> rows = normal_values(40 * 5);
  for (const DataType element : all_elements) {
    const auto encoded = StoredRows::near(element, rows, 5);
    VectorIndex index(context(), encoded.span(), {});
    index.remove({{3, 39}});
    index.save(folder / "index");
    const std::vector<std::byte> bytes = index.to_bytes();
    expect_bytes_checked(bytes, read_all(folder / "index"), 41,
                         [](const auto& damaged) { VectorIndex::load(context(), damaged); });
    VectorIndex copy = VectorIndex::load(context(), bytes);
    EXPECT_EQ(copy.ids(), index.ids());
    EXPECT_EQ(copy.to_bytes(), bytes);
    EXPECT_EQ(copy.search(rows).scores, index.search(rows).scores);
    copy.add(encoded.span());
    EXPECT_EQ(copy.size(), index.size() + 40);
  }
}

}  // namespace StoredVectorsTest
