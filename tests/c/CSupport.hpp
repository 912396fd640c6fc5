// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_SUPPORT_HPP
#define KINDRED_TESTS_C_SUPPORT_HPP

#include <kindred.h>

#include <kindred/core/common/Ragged.hpp>

#include <gtest/gtest.h>

#include <Generator.hpp>
#include <VectorValues.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Fails the test, with the message of the library, unless a call succeeds.
#define KINDRED_EXPECT_OK(call) EXPECT_EQ((call), KINDRED_OK) << kindred_last_error()

namespace Kindred::Testing {

/// Fails the test, with the message of the library, and ends it unless a call succeeds.
inline void ok(kindred_status status, const char* file = __builtin_FILE(),
               int line = __builtin_LINE()) {
  if (status == KINDRED_OK) return;
  ADD_FAILURE_AT(file, line) << kindred_last_error();
  throw std::runtime_error("a call of C failed");
}

/// Words of a message, and the line of the test that expects them.
struct Words {
  // NOLINTNEXTLINE(google-explicit-constructor): so that the line is that of the words
  Words(const char* words, const char* of_file = __builtin_FILE(), int of_line = __builtin_LINE())
      : text(words), file(of_file), line(of_line) {}
  std::string text;
  const char* file;
  int line;
};

/// Expects that a call was refused, with \p words in the message.
inline void expect_refused(kindred_status status, const Words& words = "",
                           kindred_status wanted = KINDRED_INVALID) {
  const std::string message = status == KINDRED_OK ? "nothing" : kindred_last_error();
  if (status != wanted || message.find(words.text) == std::string::npos)
    ADD_FAILURE_AT(words.file, words.line)
        << "status " << status << ": " << message << "; not: " << words.text;
}

/// Expects for each of \p wrong, words of a message and a change of a new Given, that `call(given)`
/// is refused with the words.
template <class Given, class Call>
void expect_each_refused(
    const std::vector<std::pair<const char*, std::function<void(Given& given)>>>& wrong,
    const Call& call) {
  for (const auto& [words, change] : wrong) {
    Given given;
    change(given);
    expect_refused(call(given), words);
  }
}

/// Destroys a handle at the end of its scope.
template <class T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T* made) : handle(made) {}
  Owned(Owned&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { EXPECT_EQ(kindred_destroy(handle), KINDRED_OK) << kindred_last_error(); }
  T** operator&() { return &handle; }     // NOLINT(google-runtime-operator): as a pointer of C
  operator T*() const { return handle; }  // NOLINT(google-explicit-constructor): likewise
  T* handle = nullptr;
};
/// The handle, which is no longer owned.
template <class T>
T* released(Owned<T>&& owned) {
  return std::exchange(owned.handle, nullptr);
}

/// Calls a function with \p arguments, \p out and, behind it, null.
template <class Out, class... Parameters, class... Arguments>
kindred_status call_for(Out* out, kindred_status (*call)(Parameters...) noexcept,
                        Arguments&&... arguments) {
  constexpr std::size_t count = sizeof...(Arguments) + 1;
  return [&]<std::size_t... behind>(std::index_sequence<behind...>) {
    return call(arguments..., out,
                std::tuple_element_t<count + behind, std::tuple<Parameters...>>()...);
  }
  (std::make_index_sequence<sizeof...(Parameters) - count>());
}

/// What the parameter \p number points to.
template <std::size_t number, class... Parameters>
using Pointed = std::remove_pointer_t<std::tuple_element_t<number, std::tuple<Parameters...>>>;

/// \brief What a call writes to the parameter after \p arguments: a number, a struct, or a handle,
/// which is owned. The parameters behind it are null.
template <class... Parameters, class... Arguments>
auto result_of(kindred_status (*call)(Parameters...) noexcept, Arguments&&... arguments) {
  using Result = Pointed<sizeof...(Arguments), Parameters...>;
  std::conditional_t<std::is_pointer_v<Result>, Owned<std::remove_pointer_t<Result>>, Result> out{};
  if constexpr (requires { out.struct_size; }) out.struct_size = sizeof(out);
  ok(call_for(&out, call, arguments...));
  return out;
}

/// Expects that a call with the arguments of `result_of` is refused and writes no result.
template <kindred_status wanted = KINDRED_INVALID, class... Parameters, class... Arguments>
void expect_no_result(const Words& words, kindred_status (*call)(Parameters...) noexcept,
                      Arguments&&... arguments) {
  Pointed<sizeof...(Arguments), Parameters...> out{}, before;
  if constexpr (requires { out.struct_size; }) out.struct_size = sizeof(out);
  std::memcpy(&before, &out, sizeof(out));
  expect_refused(call_for(&out, call, arguments...), words, wanted);
  EXPECT_EQ(std::memcmp(&out, &before, sizeof(out)), 0) << "a refused call has written a result";
}

/// \brief The elements that a call writes to the array after \p arguments, behind which its
/// capacity and their number are. With less capacity, it is refused and sets only the number.
template <class... Parameters, class... Arguments>
auto list_from(kindred_status (*call)(Parameters...) noexcept, Arguments&&... arguments) {
  std::vector<Pointed<sizeof...(Arguments), Parameters...>> out(1);
  Pointed<sizeof...(Arguments) + 2, Parameters...> count = 0;
  const kindred_status status = call(arguments..., out.data(), 0, &count);
  if (count == 0) ok(status);
  if (count > 0) expect_refused(status, "capacity");
  out.resize(count);
  if (count > 0) expect_refused(call(arguments..., out.data(), count - 1, &count), "capacity");
  EXPECT_EQ(count, out.size());
  ok(call(arguments..., out.data(), out.size(), &count));
  EXPECT_EQ(count, out.size());
  return out;
}

/// Runs a prepared call or a sequence.
inline void run_prepared(void* prepared) {
  ok(kindred_run(prepared));
  ok(kindred_wait(prepared));
}

/// The bytes of a handle.
inline std::string_view view_of(const kindred_string* string) {
  const kindred_text text = result_of(kindred_string_get, string);
  return {text.data, text.size};
}

/// The context that the tests share, without a saved calibration.
inline kindred_context* c_context() {
  static kindred_context* const shared = [] {
    kindred_context_options options = KINDRED_CONTEXT_OPTIONS_INIT;
    options.load_profile = 0;
    return released(result_of(kindred_context_create, &options));
  }();
  return shared;
}

/// The spaces that `c_context` can use.
inline std::vector<std::int32_t> c_spaces() {
  std::vector<std::int32_t> out;
  for (const std::int32_t space : {KINDRED_SPACE_SERIAL, KINDRED_SPACE_OPENMP, KINDRED_SPACE_CUDA})
    if (result_of(kindred_context_space, c_context(), space).usable != 0) out.push_back(space);
  return out;
}

/// The arrays of results.
inline kindred_results_view view_of(const kindred_results* results) {
  return result_of(kindred_results_get, results);
}

/// Texts of C, which refer to \p texts.
std::vector<kindred_text> c_texts(std::vector<std::string>&& texts) = delete;
inline std::vector<kindred_text> c_texts(const std::vector<std::string>& texts) {
  std::vector<kindred_text> out;
  for (const std::string& text : texts) out.push_back({text.data(), text.size()});
  return out;
}

/// Sequences for C, which refer to what is given.
class GivenSequences {
 public:
  explicit GivenSequences(const RaggedSpan<std::uint32_t>& rows) {
    m_value.count = rows.rows();
    m_value.symbols = rows.values.data();
    m_value.offsets = rows.offsets.data();
  }
  explicit GivenSequences(std::span<const std::uint32_t> one) {
    m_value.count = 1;
    m_value.symbols = one.data();
    m_value.length = one.size();
  }
  explicit GivenSequences(std::span<const kindred_text> texts) {
    m_value.count = texts.size();
    m_value.texts = texts.data();
  }
  explicit GivenSequences(std::string_view text) : m_text{text.data(), text.size()} {
    m_value.count = 1;
    m_value.texts = &m_text;
  }
  GivenSequences(const GivenSequences&) = delete;
  GivenSequences& operator=(const GivenSequences&) = delete;
  const kindred_sequences* operator&() const {  // NOLINT(google-runtime-operator): as in C
    return &m_value;
  }

 private:
  kindred_text m_text{};
  kindred_sequences m_value = KINDRED_SEQUENCES_INIT;
};

/// A tensor of host memory with its shape.
struct Tensor {
  Tensor(const void* data, std::uint32_t type, std::int64_t rows, std::int64_t columns)
      : shape{rows, columns}, tensor(kindred_tensor(data, type, 2, shape)) {}
  /// One dimension.
  Tensor(const void* data, std::uint32_t type, std::int64_t size)
      : shape{size, 0}, tensor(kindred_tensor(data, type, 1, shape)) {}
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  DLTensor* operator&() { return &tensor; }  // NOLINT(google-runtime-operator): as a pointer of C
  std::int64_t shape[2];
  DLTensor tensor;
};

/// The code and the bits of a type of numbers.
template <class T>
constexpr std::uint32_t type_of() {
  const DLDataTypeCode code = std::is_floating_point_v<T> ? kDLFloat
                              : std::is_signed_v<T>       ? kDLInt
                                                          : kDLUInt;
  return static_cast<std::uint32_t>(code) << 8U | 8 * sizeof(T);
}

/// Numbers with a tensor of theirs.
template <class T>
struct Numbers {
  /// A list, or rows of \p columns numbers.
  explicit Numbers(std::vector<T> given, std::size_t columns = 0)
      : values(std::move(given)),
        tensor(columns == 0 ? Tensor(values.data(), type_of<T>(), extent(values.size()))
                            : Tensor(values.data(), type_of<T>(), extent(values.size() / columns),
                                     extent(columns))) {}
  Numbers(std::initializer_list<T> given, std::size_t columns = 0)
      : Numbers(std::vector<T>(given), columns) {}
  Numbers(std::size_t rows, std::size_t columns, T value = T())
      : values(rows * columns, value),
        tensor(values.data(), type_of<T>(), extent(rows), extent(columns)) {}
  DLTensor* operator&() { return &tensor; }  // NOLINT(google-runtime-operator): as a pointer of C
  static std::int64_t extent(std::size_t size) { return static_cast<std::int64_t>(size); }
  std::vector<T> values;
  Tensor tensor;
};
using Floats = Numbers<float>;

/// The scores and ids of the best rows of each query.
struct Ranked {
  Ranked(std::size_t queries, std::size_t top) : scores(queries, top), ids(queries, top) {}
  template <class Found>
  void expect(const Found& expected) const {
    EXPECT_EQ(ids.values, expected.ids);
    EXPECT_EQ(scores.values, expected.scores);
  }
  Floats scores;
  Numbers<std::int64_t> ids;
};

/// Members of a struct, for a comparison with those of another.
template <class... Members>
std::vector<double> numbers(const Members&... members) {
  return {static_cast<double>(members)...};
}

/// The elements of an array of C.
template <class T>
std::vector<T> list_of(const T* first, std::size_t count) {
  return {first, first + count};
}
/// Whether an array of C has the \p values of C++.
template <class T, class Values>
bool has_values(const T* first, const Values& values) {
  return std::equal(values.begin(), values.end(), first);
}
/// Compares results with those of C++: their rows, ids and scores.
template <class T>
void expect_results(const kindred_results* results, const Ragged<T>& expected) {
  const kindred_results_view view = view_of(results);
  ASSERT_EQ(view.rows, expected.rows());
  ASSERT_TRUE(has_values(view.offsets, expected.offsets));
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const T& value = expected.values[i];
    double score = 0;
    std::uint64_t id = 0;
    if constexpr (requires { value.similarity; }) {
      std::tie(id, score) = std::tuple(value.index, value.similarity);
    } else if constexpr (requires { value.node; }) {
      std::tie(id, score) = std::tuple(value.node, value.value);
    } else if constexpr (requires { value.id; }) {
      std::tie(id, score) = std::tuple(value.id, value.score);
    } else {
      id = value;
    }
    EXPECT_EQ(view.ids[i], static_cast<std::int64_t>(id));
    EXPECT_EQ(view.scores[i], score);
  }
}

inline std::string text_of(const kindred_text& text) { return {text.data, text.size}; }

/// The bytes of an object.
inline std::string bytes_of(const void* handle) {
  return std::string(view_of(result_of(kindred_to_bytes, handle)));
}
inline const std::uint8_t* data_of(const std::string& bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}
inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::size_t size_of(const void* handle) { return result_of(kindred_size, handle); }
template <class Struct>
Struct statistics_of(const void* handle) {
  Struct out{};
  out.struct_size = sizeof(out);
  ok(kindred_get_statistics(handle, &out));
  return out;
}
inline bool has(const void* handle, std::uint64_t id) {
  return result_of(kindred_has, handle, id) == 1;
}

/// Whether \p text contains \p part.
inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Seeded sequences of symbols below 10, of random lengths up to \p longest.
inline Ragged<std::uint32_t> random_sequences(const char* name, std::size_t rows,
                                              std::size_t longest) {
  auto generator = Testing::generator(name);
  std::uniform_int_distribution<std::size_t> length(0, longest);
  std::uniform_int_distribution<std::uint32_t> symbol(0, 9);
  Ragged<std::uint32_t> out;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t size = length(generator);
    for (std::size_t i = 0; i < size; ++i) out.values.push_back(symbol(generator));
    out.close_row();
  }
  return out;
}

/// Rows of a random graph, in which node i has i % \p degrees edges.
struct GraphRows {
  GraphRows(const char* name, std::size_t nodes, std::size_t degrees) {
    auto generator = Testing::generator(name);
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::size_t i = 0; i < node % degrees; ++i) {
        ends.push_back(static_cast<std::int32_t>(generator() % nodes));
        weights.push_back(static_cast<float>(generator() % 1000) / 1000);
        edges.push_back({static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(ends.back()),
                         weights.back()});
      }
      offsets.push_back(static_cast<std::int64_t>(ends.size()));
    }
  }
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> ends;
  std::vector<float> weights;
  std::vector<kindred_edge> edges;
};

/// Seeded numbers of a normal distribution.
inline std::vector<float> random_rows(const char* name, std::size_t count) {
  auto generator = Testing::generator(name);
  return normal_values(generator, count);
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_SUPPORT_HPP
