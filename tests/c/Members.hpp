// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_MEMBERS_HPP
#define KINDRED_TESTS_C_MEMBERS_HPP

#include "CSupport.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>

/// Compares structs of C with those of C++, member by member.
namespace Kindred::Testing {

/// Whether a member of C is that of C++.
template <class T, class Cpp>
bool is_same_member(const T& found, const Cpp& of) {
  if constexpr (std::is_convertible_v<const Cpp&, std::string>) {
    return found == std::string(of);
  } else if constexpr (std::is_pointer_v<T>) {  // a tensor
    return (found == nullptr ? nullptr : found->data) == of.data();
  } else if constexpr (std::is_array_v<T>) {
    return std::equal(std::begin(found), std::end(found), std::begin(of), std::end(of));
  } else if constexpr (requires { of.has_value(); }) {
    if (of.has_value()) return found == static_cast<T>(*of);
    if constexpr (std::is_floating_point_v<T>) return std::isnan(found);
    return found == static_cast<T>(KINDRED_UNSET);
  } else {
    return found == static_cast<T>(of);
  }
}

#define KINDRED_MEMBER(name)                                                     \
  if constexpr (requires { of.name; })                                           \
    EXPECT_TRUE(is_same_member(found.name, of.name)) << #name " is another one"; \
  else                                                                           \
    missing += " " #name;
#define KINDRED_MEMBERS(Struct, members)                                       \
  template <class Cpp>                                                         \
  void expect_members(const Struct& found, [[maybe_unused]] const Cpp& of,     \
                      const std::string& others = "") {                        \
    std::string missing;                                                       \
    members EXPECT_EQ(missing, others.empty() ? "" : " " + others) << #Struct; \
  }
/// \fn expect_members
/// Expects that all members of a struct are those of C++ of the same names. \param others those
/// that C++ has not
#include <Members.inc>
#undef KINDRED_MEMBER
#undef KINDRED_MEMBERS

/// The statistics of an object, which are \p of beside \p others.
template <class Struct, class Cpp>
Struct expect_statistics(const void* handle, const Cpp& of, const std::string& others = "") {
  const auto found = statistics_of<Struct>(handle);
  expect_members(found, of, others);
  return found;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_MEMBERS_HPP
