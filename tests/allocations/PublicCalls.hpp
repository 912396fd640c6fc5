// SPDX-License-Identifier: Apache-2.0
// Runs a public call with its n-th allocation failing, for every n.
#ifndef KINDRED_TESTS_ALLOCATIONS_PUBLIC_CALLS_HPP
#define KINDRED_TESTS_ALLOCATIONS_PUBLIC_CALLS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Ragged.hpp>

#include <gtest/gtest.h>

#include "FailingAllocations.hpp"
#include "TempFolder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

namespace Kindred::Testing {

/// The context of these tests, without a saved calibration.
inline Context& shared_context() {
  static Context* const shared = [] {
    ContextOptions options;
    options.threads = 2;
    options.load_profile = false;
    return new Context(options);  // NOLINT(cppcoreguidelines-owning-memory): ends with the process
  }();
  return *shared;
}

inline const std::vector<Space>& host_spaces() {
  static const std::vector<Space> both{Space::serial, Space::openmp};
  return both;
}

/// For calls that belong to no object, and whose result is where a pointer points.
struct Nothing {};

/// What a call wrote to a file, and the number of files in its folder.
struct Written {
  const TempFolder* folder;
  const char* name;
};

/// Arguments that a call takes by value: the caller would allocate their copies.
template <class T>
struct Copies {
  explicit Copies(const T& value) : left(2000, value) {}
  T take() {
    T value = std::move(left.back());
    left.pop_back();
    return value;
  }
  std::vector<T> left;
};

// The bytes of a result or of an object that must be as before after a failure.

template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T> std::string text_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}
inline std::string text_of(Nothing) { return {}; }
template <class T>
std::string text_of(const Copies<T>&) {
  return {};
}
inline std::string text_of(std::string_view text) { return std::string(text); }
inline std::string text_of(const std::string& text) { return text; }
inline std::string text_of(std::byte value) { return std::string(1, static_cast<char>(value)); }
inline std::string text_of(const Written& written) {
  return read_all(*written.folder / written.name) + std::to_string(written.folder->names().size());
}
template <class T>
std::string text_of(const std::optional<T>& value);
template <class T>
std::string text_of(const std::vector<T>& values);
template <class T>
std::string text_of(std::span<T> values);
template <class T>
std::string text_of(const Ragged<T>& rows);
template <class A, class B>
std::string text_of(const std::pair<A, B>& both);

template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? '1' + text_of(*value) : "0";
}
template <class T>
std::string text_of(std::span<T> values) {
  std::string text = std::to_string(values.size()) + ' ';
  for (const auto& value : values) text += text_of(value);
  return text;
}
template <class T>
std::string text_of(const std::vector<T>& values) {
  return text_of(std::span(values));
}
template <class T>
std::string text_of(const Ragged<T>& rows) {
  return text_of(rows.offsets) + text_of(rows.values);
}
template <class A, class B>
std::string text_of(const std::pair<A, B>& both) {
  return text_of(both.first) + ' ' + text_of(both.second);
}

/// The first allocations fail one by one; of a call with many, about one in ten of the later.
inline std::size_t next_allocation(std::size_t nth) { return nth + 1 + nth / 10; }

/// \brief Checks `call(object)`, for objects that \p make returns, with its n-th allocation failing
/// and with all from the n-th on: it throws `OutOfMemory` and leaves the object as it was, or
/// succeeds with the right result.
/// \param name of the call, for messages
template <class Make, class Call>
void expect_out_of_memory(const std::string& name, const Make& make, const Call& call) {
  SCOPED_TRACE(name);
  using object_type = std::decay_t<std::invoke_result_t<const Make&>>;
  using returned_type = std::invoke_result_t<const Call&, object_type&>;
  using result_type =
      std::conditional_t<std::is_void_v<returned_type>, Nothing, std::decay_t<returned_type>>;
  const auto run = [&](object_type& object) -> result_type {
    if constexpr (std::is_void_v<returned_type>) {
      call(object);
      return {};
    } else {
      return call(object);
    }
  };
  std::optional<object_type> object(make());
  const std::string before = text_of(*object);
  const std::string right = text_of(run(*object));
  const std::string after = text_of(*object);
  for (const Failing which : {Failing::one, Failing::rest}) {
    object.reset();
    object.emplace(make());
    std::size_t failures = 0;
    constexpr std::size_t most = 1'000'000;  // no call of these tests allocates as often
    for (std::size_t nth = 1;; nth = next_allocation(nth)) {
      ASSERT_LT(nth, most) << "the call does not end";
      std::optional<result_type> result;
      const char* other = nullptr;
      FailingAllocations failing(nth, which);
      try {
        result.emplace(run(*object));
      } catch (const OutOfMemory&) {
      } catch (const std::exception& error) {
        other = typeid(error).name();
      }
      const bool has_failed = failing.end();
      const std::string when = "allocation " + std::to_string(nth) +
                               (which == Failing::rest ? " and all later ones" : "");
      ASSERT_EQ(other, nullptr) << other << " instead of OutOfMemory, " << when;
      if (result) {
        ASSERT_TRUE(text_of(*result) == right) << "another result, " << when;
        ASSERT_TRUE(text_of(*object) == after) << "another object, " << when;
        result.reset();
        object.reset();
        object.emplace(make());
      } else {
        ASSERT_TRUE(has_failed) << "OutOfMemory, but memory was not missing, " << when;
        ASSERT_TRUE(text_of(*object) == before) << "a changed object, " << when;
        ++failures;
      }
      if (!has_failed) break;
    }
    testing::Test::RecordProperty(name + (which == Failing::one ? ", one" : ", rest"),
                                  static_cast<int>(failures));
  }
}

/// The same for a call that belongs to no object.
template <class Call>
void expect_out_of_memory(const std::string& name, const Call& call) {
  expect_out_of_memory(
      name, [] { return Nothing(); }, [&](Nothing&) { return call(); });
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_ALLOCATIONS_PUBLIC_CALLS_HPP
