// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_JSON_HPP
#define KINDRED_BACKENDS_SRC_JSON_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace Kindred::Impl {

/// \brief A JSON value. Its destructor allocates nothing; that of nlohmann::json does, which ends
/// the process when memory is missing.
struct Json {
  using Array = std::vector<Json>;
  /// Keeps its order. If several members have one key, the last of them counts.
  using Object = std::vector<std::pair<std::string, Json>>;

  static constexpr std::size_t depth_max = 64;  ///< of arrays and objects in one another

  Json() = default;
  /// The copy constructor of std::variant in libstdc++ 12 is undefined where copying a string or
  /// a vector throws; its assignment is not.
  Json(const Json& other) { value = other.value; }
  Json(Json&&) noexcept = default;
  Json& operator=(const Json&) = default;
  Json& operator=(Json&&) noexcept = default;
  ~Json() = default;
  Json(Array array) : value(std::move(array)) {}
  Json(Object object) : value(std::move(object)) {}
  Json(std::string text) : value(std::move(text)) {}
  Json(std::string_view text) : value(std::string(text)) {}
  Json(const char* text) : value(std::string(text)) {}
  Json(bool truth) : value(truth) {}
  Json(std::floating_point auto number) : value(static_cast<double>(number)) {}
  Json(std::signed_integral auto number) : value(static_cast<std::int64_t>(number)) {}
  Json(std::unsigned_integral auto number) : value(static_cast<std::uint64_t>(number)) {}

  /// Returns nothing if \p text is not JSON or is nested deeper than \ref depth_max. Whole numbers
  /// ≥ 0 become unsigned.
  static std::optional<Json> parse(std::string_view text);
  /// \brief Returns the text: one line, or indented by \p indent ≥ 0 spaces per level.
  ///
  /// Invalid UTF-8 is replaced by U+FFFD, and numbers that are not finite by null.
  std::string dump(int indent = -1) const;

  /// Null if the value has another type.
  template <class T>
  const T* as() const noexcept {
    return std::get_if<T>(&value);
  }
  /// The value of a member; null if there is none or this is not an object.
  const Json* find(std::string_view key) const noexcept;
  /// A number of any type.
  std::optional<double> number() const noexcept;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      value;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_JSON_HPP
