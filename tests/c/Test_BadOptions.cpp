// SPDX-License-Identifier: Apache-2.0
// What calls refuse beside what Test_BadInput.cpp gives to every function: options, sequences and
// tensors of wrong values.
#include "CSupport.hpp"
#include "ValidHandles.hpp"
#include "ValidStructs.hpp"

#include <TempFolder.hpp>

#include <algorithm>
#include <array>
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
  Owned<kindred_matcher> matcher;
  const GivenSequences patterns{std::span(texts)};
  const GivenSequences query{std::span(texts).first(1)};
  KINDRED_ASSERT_OK(kindred_matcher_create(c_context(), &patterns, 0, &matcher));
  Owned<kindred_results> results;
  KINDRED_ASSERT_OK(kindred_matcher_match(
      matcher, &query, reinterpret_cast<const kindred_match_options*>(&smaller), &results));
  EXPECT_EQ(view_of(results).offsets[1], 1U);
  EXPECT_EQ(view_of(results).ids[0], 0);
  // A smaller struct of results gets what fits.
  struct {
    std::size_t struct_size;
    std::uint64_t rows;
    std::uint64_t guard;
  } view{16, 0, 7};
  KINDRED_EXPECT_OK(kindred_results_get(results, reinterpret_cast<kindred_results_view*>(&view)));
  EXPECT_EQ(view.rows, 1U);
  EXPECT_EQ(view.guard, 7U);
}

TEST(CBadOptions, DefaultsAreThoseOfTheInitialisers) {
  kindred_match_options set;
  std::memset(&set, 0xFF, sizeof(set));
  KINDRED_ASSERT_OK(kindred_init("kindred_match_options", &set, sizeof(set)));
  const kindred_match_options initial = KINDRED_MATCH_OPTIONS_INIT;
  EXPECT_EQ(std::memcmp(&set, &initial, sizeof(set)), 0);
}

TEST(CBadOptions, StructsAreFoundByTheirNames) {
  kindred_match_options options;
  EXPECT_EQ(kindred_init("kindred_match", &options, sizeof(options)), KINDRED_INVALID);
  EXPECT_TRUE(contains(kindred_last_error(), "name is 'kindred_match'")) << kindred_last_error();
  for (const std::size_t size : {std::size_t{0}, sizeof(options) - 1, std::size_t{1} << 40U}) {
    EXPECT_EQ(kindred_init("kindred_match_options", &options, size), KINDRED_INVALID);
    EXPECT_TRUE(contains(kindred_last_error(), "struct_size")) << kindred_last_error();
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
    EXPECT_EQ(call(size), KINDRED_INVALID) << size;
    EXPECT_TRUE(contains(kindred_last_error(), "struct_size")) << kindred_last_error();
    EXPECT_TRUE(is_untouched(sizeof(size))) << size;
  }
  for (const std::size_t size : {std::size_t{16}, whole}) {
    KINDRED_EXPECT_OK(call(size));
    EXPECT_FALSE(is_untouched(sizeof(size))) << size;
    EXPECT_TRUE(is_untouched(size)) << size;
  }
  KINDRED_EXPECT_OK(call(whole + 8));  // of a later version: what this one does not know is 0
  EXPECT_TRUE(std::all_of(bytes.begin() + whole, bytes.begin() + whole + 8,
                          [](unsigned char byte) { return byte == 0; }));
  EXPECT_TRUE(is_untouched(whole + 8));
}

TEST(CBadOptions, SizesOfStatisticsAreChecked) {
  expect_sizes_checked<kindred_index_statistics>(handles().index);
  expect_sizes_checked<kindred_hnsw_statistics>(handles().hnsw);
  expect_sizes_checked<kindred_keyed_index_statistics>(handles().keyed);
  expect_sizes_checked<kindred_vocabulary_statistics>(handles().vocabulary);
  expect_sizes_checked<kindred_matcher_statistics>(handles().matcher);
  expect_sizes_checked<kindred_memory_statistics>(handles().memory);
  expect_sizes_checked<kindred_graph_statistics>(handles().graph);
  expect_sizes_checked<kindred_lattice_statistics>(handles().lattice);
  expect_sizes_checked<kindred_seeds_statistics>(handles().seeds);
  kindred_index_statistics statistics = KINDRED_INDEX_STATISTICS_INIT;
  EXPECT_EQ(kindred_get_statistics(handles().query, &statistics), KINDRED_INVALID);
  EXPECT_TRUE(contains(kindred_last_error(), "kindred_query")) << kindred_last_error();
}

/// Calls \p call with every value that \p field must not have.
template <class Options, class Field, class Call>
void expect_refused(Options options, Field Options::*field, const std::vector<Field>& values,
                    const char* name, const Call& call) {
  for (const Field value : values) {
    options.*field = value;
    EXPECT_EQ(call(&options), KINDRED_INVALID) << name << " " << value;
    EXPECT_TRUE(contains(kindred_last_error(), name)) << kindred_last_error();
  }
}

TEST(CBadOptions, OptionsOutOfRangeAreRefused) {
  const std::uint32_t symbols[] = {1, 2, 3};
  const GivenSequences sequences{std::span(symbols)};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  kindred_results* results = nullptr;
  const auto match = [&](const kindred_match_options* options) {
    return kindred_matcher_match(handles().matcher, &sequences, options, &results);
  };
  const kindred_match_options matching = KINDRED_MATCH_OPTIONS_INIT;
  expect_refused(matching, &kindred_match_options::measure, {-1, 9}, "measure", match);
  expect_refused(matching, &kindred_match_options::postings, {-1, 3}, "postings", match);
  expect_refused(matching, &kindred_match_options::space, {-2, 3, 1 << 30}, "space", match);
  expect_refused(matching, &kindred_match_options::reserved, {1}, "reserved", match);
  expect_refused(matching, &kindred_match_options::threshold, {-0.1, 1.1, nan}, "threshold", match);
  expect_refused(matching, &kindred_match_options::top, {std::uint64_t{0}}, "top", match);

  std::vector<float> pair_values(100);
  kindred_matcher_statistics stored = KINDRED_MATCHER_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_get_statistics(handles().matcher, &stored));
  Tensor pair_tensor(pair_values.data(), KINDRED_FLOAT32, 1,
                     static_cast<std::int64_t>(stored.patterns));
  const auto score_pairs = [&](const kindred_pair_options* options) {
    return kindred_matcher_score_all(handles().matcher, &sequences, options, &pair_tensor, nullptr);
  };
  const kindred_pair_options pairing = KINDRED_PAIR_OPTIONS_INIT;
  KINDRED_EXPECT_OK(score_pairs(&pairing));
  expect_refused(pairing, &kindred_pair_options::measure, {-1, 9}, "measure", score_pairs);
  expect_refused(pairing, &kindred_pair_options::value, {-1, 3}, "value", score_pairs);
  expect_refused(pairing, &kindred_pair_options::space, {-2, 3}, "space", score_pairs);
  expect_refused(pairing, &kindred_pair_options::cutoff, {1.5, nan}, "cutoff", score_pairs);
  expect_refused(pairing, &kindred_pair_options::autojunk, {1}, "autojunk", score_pairs);

  const std::uint32_t node = 0;
  const float value = 1;
  const std::uint64_t one[] = {0, 1};
  const auto spread = [&](const kindred_spread_options* options) {
    return kindred_graph_spread(handles().graph, &node, &value, one, 1, options, &results);
  };
  const kindred_spread_options spreading = KINDRED_SPREAD_OPTIONS_INIT;
  expect_refused(spreading, &kindred_spread_options::mode, {-1, 3}, "mode", spread);
  expect_refused(spreading, &kindred_spread_options::decay_kind, {-1, 4}, "decay_kind", spread);
  expect_refused(spreading, &kindred_spread_options::threshold, {nan}, "threshold", spread);
  expect_refused(spreading, &kindred_spread_options::decay, {nan}, "decay", spread);

  kindred_context* context = nullptr;
  const auto create = [&](const kindred_context_options* options) {
    return kindred_context_create(options, &context);
  };
  const kindred_context_options whole = KINDRED_CONTEXT_OPTIONS_INIT;
  expect_refused(whole, &kindred_context_options::threads, {-1, 513}, "threads", create);
  expect_refused(whole, &kindred_context_options::device, {-2}, "device", create);
  expect_refused(whole, &kindred_context_options::budget_fraction, {0, 1.5, nan}, "budget", create);
  expect_refused(whole, &kindred_context_options::probe_interval_ms, {-1, nan}, "probe_interval_ms",
                 create);

  kindred_memory* memory = nullptr;
  const auto remember = [&](const kindred_memory_options* options) {
    return kindred_memory_create(c_context(), options, &memory);
  };
  const kindred_memory_options remembering = KINDRED_MEMORY_OPTIONS_INIT;
  expect_refused(remembering, &kindred_memory_options::level, {-1, 2}, "level", remember);

  kindred_matcher* matcher = nullptr;
  for (const std::int32_t residency : {-1, 4}) {
    EXPECT_EQ(kindred_matcher_create(c_context(), &sequences, residency, &matcher),
              KINDRED_INVALID);
    EXPECT_TRUE(contains(kindred_last_error(), "residency")) << kindred_last_error();
  }
}

TEST(CBadOptions, SequencesHaveOneForm) {
  const std::uint32_t symbols[] = {1, 2, 3};
  const std::uint64_t offsets[] = {0, 1, 3};
  const kindred_text text{"a", 1};
  std::uint32_t matched[] = {7, 7};
  const auto refused = [&](const kindred_sequences& given, const char* what) {
    EXPECT_EQ(kindred_query_matched(handles().query, &given, matched), KINDRED_INVALID);
    EXPECT_TRUE(contains(kindred_last_error(), what)) << kindred_last_error();
    EXPECT_EQ(matched[0], 7U);
  };
  kindred_sequences given = KINDRED_SEQUENCES_INIT;
  KINDRED_EXPECT_OK(kindred_query_matched(handles().query, &given, matched));  // none
  given.count = 2;
  refused(given, "neither texts nor offsets nor a length");
  given.symbols = symbols;
  refused(given, "neither texts nor offsets nor a length");
  given.length = 3;
  refused(given, "patterns.length is that of one sequence, but count is 2");
  given.offsets = offsets;
  refused(given, "of which one must be given");
  given.length = KINDRED_UNSET;
  given.texts = &text;
  refused(given, "of which one must be given");
  given.offsets = nullptr;
  refused(given, "patterns.texts and symbols are given");
  kindred_query* query = nullptr;
  given.texts = nullptr;
  given.offsets = offsets;
  EXPECT_EQ(kindred_query_create(KINDRED_LCS, &given, 0, &query), KINDRED_INVALID);
  EXPECT_TRUE(contains(kindred_last_error(), "sequence has 2 sequences")) << kindred_last_error();
  KINDRED_EXPECT_OK(kindred_query_matched(handles().query, &given, matched));
}

TEST(CBadOptions, OffsetsAndTensorsAreChecked) {
  const std::uint32_t symbols[] = {1, 2, 3};
  kindred_matcher* matcher = nullptr;
  for (const auto& offsets : std::vector<std::vector<std::uint64_t>>{
           {1, 2}, {0, 2, 1}, {0, std::numeric_limits<std::uint64_t>::max()}}) {
    const GivenSequences given{RaggedSpan<std::uint32_t>{offsets, symbols}};
    EXPECT_EQ(kindred_matcher_create(c_context(), &given, 0, &matcher), KINDRED_INVALID);
  }
  EXPECT_EQ(matcher, nullptr);

  const float values[16] = {};
  std::int64_t shape[5] = {2, 2, 1, 1, 1};
  kindred_index* index = nullptr;
  const auto refused = [&](const DLTensor& tensor, const char* what) {
    EXPECT_EQ(kindred_index_create(c_context(), &tensor, nullptr, nullptr, &index),
              KINDRED_INVALID);
    EXPECT_TRUE(contains(kindred_last_error(), what)) << kindred_last_error();
  };
  DLTensor tensor = kindred_tensor(values, KINDRED_FLOAT32, 2, shape);
  for (const std::int32_t ndim : {-1, 0, 5}) {
    tensor.ndim = ndim;
    refused(tensor, "dimensions");
  }
  tensor = kindred_tensor(values, KINDRED_FLOAT32, 3, shape);
  refused(tensor, "rows");
  tensor = kindred_tensor(values, KINDRED_FLOAT32, 2, nullptr);
  refused(tensor, "shape");
  tensor = kindred_tensor(nullptr, KINDRED_FLOAT32, 2, shape);
  refused(tensor, "rows");
  tensor = kindred_tensor(values, KINDRED_INT64, 2, shape);
  refused(tensor, "int64");
  tensor = kindred_tensor(values, KINDRED_FLOAT32, 2, shape);
  tensor.dtype.lanes = 2;
  refused(tensor, "lanes");
  tensor = kindred_tensor(values, KINDRED_FLOAT32, 2, shape);
  tensor.byte_offset = 1;
  refused(tensor, "aligned");
  tensor = kindred_tensor(values, KINDRED_FLOAT32, 2, shape);
  const std::int32_t metal = 8;
  std::memcpy(&tensor.device.device_type, &metal, sizeof(metal));
  refused(tensor, "DLPack type 8");
  tensor = kindred_tensor(values, KINDRED_FLOAT32, 2, shape);
  tensor.device.device_type = kDLCUDA;
  refused(tensor, "host memory");
  std::int64_t strides[2] = {4, 1};
  tensor = kindred_tensor(values, KINDRED_FLOAT32, 2, shape);
  tensor.strides = strides;
  refused(tensor, "gaps");
  std::int64_t negative[2] = {-1, 2};
  tensor = kindred_tensor(values, KINDRED_FLOAT32, 2, negative);
  refused(tensor, "rows");
  std::int64_t huge[2] = {std::numeric_limits<std::int64_t>::max(),
                          std::numeric_limits<std::int64_t>::max()};
  tensor = kindred_tensor(values, KINDRED_FLOAT32, 2, huge);
  refused(tensor, "rows");
  EXPECT_EQ(index, nullptr);
}

}  // namespace
}  // namespace Kindred::Testing
