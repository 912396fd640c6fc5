// SPDX-License-Identifier: Apache-2.0
// What calls refuse beside what Test_BadInput.cpp gives to every function: options, sequences and
// tensors of wrong values.
#include "CSupport.hpp"
#include "Given.hpp"
#include "ValidHandles.hpp"
#include "ValidStructs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace Kindred::Testing {
namespace {

TEST(CBadOptions, SmallerStructsHaveTheDefaults) {
  struct {
    std::size_t struct_size;
    std::uint64_t top;
  } smaller{16, 1};
  const std::vector<std::string> words{"abcd", "abce", "xyz"};
  const std::vector<kindred_text> texts = c_texts(words);
  const GivenSequences patterns{std::span(texts)};
  const GivenSequences query{std::span(texts).first(1)};
  const auto matcher = result_of(kindred_matcher_create, c_context(), &patterns, 0);
  const auto results = result_of(kindred_matcher_match, matcher, &query,
                                 reinterpret_cast<const kindred_match_options*>(&smaller));
  EXPECT_EQ(view_of(results).offsets[1], 1U);
  EXPECT_EQ(view_of(results).ids[0], 0);
  // A smaller struct of results gets what fits.
  struct {
    std::size_t struct_size;
    std::uint64_t rows;
    std::uint64_t guard;
  } view{16, 0, 7};
  ok(kindred_results_get(results, reinterpret_cast<kindred_results_view*>(&view)));
  EXPECT_EQ(view.rows, 1U);
  EXPECT_EQ(view.guard, 7U);
}

TEST(CBadOptions, DefaultsAreThoseOfTheInitialisers) {
  kindred_match_options set;
  std::memset(&set, 0xFF, sizeof(set));
  ok(kindred_init("kindred_match_options", &set, sizeof(set)));
  const kindred_match_options initial = KINDRED_MATCH_OPTIONS_INIT;
  EXPECT_EQ(std::memcmp(&set, &initial, sizeof(set)), 0);
}

TEST(CBadOptions, StructsAreFoundByTheirNames) {
  kindred_match_options options;
  expect_refused(kindred_init("kindred_match", &options, sizeof(options)),
                 "name is 'kindred_match'");
  for (const std::size_t size : {std::size_t{0}, sizeof(options) - 1, std::size_t{1} << 40U}) {
    expect_refused(kindred_init("kindred_match_options", &options, size), "struct_size");
  }
}

/// Asks for the statistics of \p handle in structs of all sizes.
template <class Statistics>
void expect_sizes_checked(const void* handle) {
  constexpr std::size_t whole = sizeof(Statistics);
  constexpr unsigned char untouched = 0xAB;
  std::array<unsigned char, whole + 16> bytes{};
  const auto call = [&](std::size_t size) {
    bytes.fill(untouched);
    std::memcpy(bytes.data(), &size, sizeof(size));
    return kindred_get_statistics(handle, bytes.data());
  };
  const auto is_untouched = [&](std::size_t from) {
    return std::all_of(bytes.begin() + from, bytes.end(),
                       [](unsigned char byte) { return byte == untouched; });
  };
  for (const std::size_t size : {std::size_t{0}, whole - 1, std::size_t{1} << 40U}) {
    expect_refused(call(size), "struct_size");
    EXPECT_TRUE(is_untouched(sizeof(size))) << size;
  }
  for (const std::size_t size : {std::size_t{16}, whole}) {
    ok(call(size));
    EXPECT_FALSE(is_untouched(sizeof(size))) << size;
    EXPECT_TRUE(is_untouched(size)) << size;
  }
  ok(call(whole + 8));  // of a later version: what this one does not know is 0
  EXPECT_TRUE(std::all_of(bytes.begin() + whole, bytes.begin() + whole + 8,
                          [](unsigned char byte) { return byte == 0; }));
  EXPECT_TRUE(is_untouched(whole + 8));
}

TEST(CBadOptions, SizesOfStatisticsAreChecked) {
  expect_sizes_checked<kindred_index_statistics>(valid<kindred_index>());
  expect_sizes_checked<kindred_hnsw_statistics>(valid<kindred_hnsw>());
  expect_sizes_checked<kindred_keyed_index_statistics>(valid<kindred_keyed_index>());
  expect_sizes_checked<kindred_vocabulary_statistics>(valid<kindred_vocabulary>());
  expect_sizes_checked<kindred_matcher_statistics>(valid<kindred_matcher>());
  expect_sizes_checked<kindred_memory_statistics>(valid<kindred_memory>());
  expect_sizes_checked<kindred_graph_statistics>(valid<kindred_graph>());
  expect_sizes_checked<kindred_lattice_statistics>(valid<kindred_lattice>());
  expect_sizes_checked<kindred_seeds_statistics>(valid<kindred_seeds>());
  kindred_index_statistics statistics = KINDRED_INDEX_STATISTICS_INIT;
  expect_refused(kindred_get_statistics(valid<kindred_query>(), &statistics), "kindred_query");
}

TEST(CBadOptions, OfContextsAndMemoriesAreInTheirRanges) {
  // Test_BadInput.cpp has enumerators, other numbers that must not be NaN, and reserved members.
  using Options = Given::context_options;
  expect_each_refused<Options>(
      {{"threads", [](Options& of) { of.threads = 513; }},
       {"budget", [](Options& of) { of.budget_fraction = 0; }},
       {"budget", [](Options& of) { of.budget_fraction = 1.5; }},
       {"probe_interval_ms", [](Options& of) { of.probe_interval_ms = -1; }},
       {"probe_interval_ms", [](Options& of) { of.probe_interval_ms = NAN; }}},
      [](const kindred_context_options& options) {
        kindred_context* context = nullptr;
        const kindred_status status = kindred_context_create(&options, &context);
        EXPECT_EQ(context, nullptr);
        return status;
      });
  for (const std::int32_t level : {-1, 2}) {
    const kindred_memory_options options = Given::memory_options{.level = level};
    expect_no_result("level", kindred_memory_create, c_context(), &options);
  }
}

TEST(CBadOptions, SequencesHaveOneForm) {
  const std::uint32_t symbols[] = {1, 2, 3};
  const std::uint64_t offsets[] = {0, 1, 3};
  const kindred_text text{"a", 1};
  using Given::sequences;
  const std::pair<kindred_sequences, const char*> refusals[] = {
      {sequences{.count = 2}, "neither texts nor offsets nor a length"},
      {sequences{.count = 2, .symbols = symbols}, "neither texts nor offsets nor a length"},
      {sequences{.count = 2, .symbols = symbols, .length = 3},
       "patterns.length is that of one sequence, but count is 2"},
      {sequences{.count = 2, .symbols = symbols, .offsets = offsets, .length = 3},
       "of which one must be given"},
      {sequences{.count = 2, .texts = &text, .symbols = symbols, .offsets = offsets},
       "of which one must be given"},
      {sequences{.count = 2, .texts = &text, .symbols = symbols},
       "patterns.texts and symbols are given"}};
  std::uint32_t matched[] = {7, 7};
  const auto query_matched = [&](const kindred_sequences& given) {
    return kindred_query_matched(valid<kindred_query>(), &given, matched);
  };
  ok(query_matched(KINDRED_SEQUENCES_INIT));  // none
  for (const auto& [given, words] : refusals) expect_refused(query_matched(given), words);
  EXPECT_EQ(matched[0], 7U);
  const GivenSequences two{RaggedSpan<std::uint32_t>{offsets, symbols}};
  expect_no_result("sequence has 2 sequences", kindred_query_create, KINDRED_LCS, &two, 0);
  ok(kindred_query_matched(valid<kindred_query>(), &two, matched));
}

TEST(CBadOptions, OffsetsAndTensorsAreChecked) {
  const std::uint32_t symbols[] = {1, 2, 3};
  for (const auto& offsets : std::vector<std::vector<std::uint64_t>>{
           {1, 2}, {0, 2, 1}, {0, std::numeric_limits<std::uint64_t>::max()}}) {
    const GivenSequences given{RaggedSpan<std::uint32_t>{offsets, symbols}};
    expect_no_result("", kindred_matcher_create, c_context(), &given, 0);
  }

  const float values[16] = {};
  std::int64_t shape[5] = {2, 2, 1, 1, 1};
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t strides[2] = {4, 1};
  std::int64_t negative[2] = {-1, 2};
  std::int64_t huge[2] = {most, most};
  const auto refused_with = [&](const char* what, const auto& spoil) {
    DLTensor tensor = kindred_tensor(values, KINDRED_FLOAT32, 2, shape);
    spoil(tensor);
    expect_no_result(what, kindred_index_create, c_context(), &tensor, nullptr, nullptr);
  };
  for (const std::int32_t ndim : {-1, 0, 5})
    refused_with("dimensions", [&](DLTensor& of) { of.ndim = ndim; });
  refused_with("rows", [](DLTensor& of) { of.ndim = 3; });
  refused_with("shape", [](DLTensor& of) { of.shape = nullptr; });
  refused_with("rows", [](DLTensor& of) { of.data = nullptr; });
  refused_with("int64", [](DLTensor& of) { of.dtype = {kDLInt, 64, 1}; });
  refused_with("lanes", [](DLTensor& of) { of.dtype.lanes = 2; });
  refused_with("aligned", [](DLTensor& of) { of.byte_offset = 1; });
  refused_with("DLPack type 8", [](DLTensor& of) {
    const std::int32_t metal = 8;
    std::memcpy(&of.device.device_type, &metal, sizeof(metal));
  });
  refused_with("host memory", [](DLTensor& of) { of.device.device_type = kDLCUDA; });
  refused_with("gaps", [&](DLTensor& of) { of.strides = strides; });
  refused_with("rows", [&](DLTensor& of) { of.shape = negative; });
  refused_with("rows", [&](DLTensor& of) { of.shape = huge; });
}

}  // namespace
}  // namespace Kindred::Testing
