// SPDX-License-Identifier: Apache-2.0
// Every member of the structs of options that are described arrives in C++, and the defaults are
// those of C++. make_rows.py writes the rows.
#include "ArgumentStorage.hpp"
#include "CSupport.hpp"
#include "CppArguments.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

namespace Kindred::C {

namespace {

/// A number for what an option is; 3 for arrays and functions of the rows, -1 where none is given.
double as_number(const std::string& text) { return static_cast<double>(text.size()); }
double as_number(const Stream& stream) {
  return *static_cast<const std::uint8_t*>(stream.handle());
}
double as_number(const Array& array) {
  return array.data() == nullptr ? -1 : *static_cast<const std::uint8_t*>(array.data());
}
double as_number(std::chrono::milliseconds duration) {
  return static_cast<double>(duration.count());
}
template <class R, class... P>
double as_number(const std::function<R(P...)>& function) {
  return function ? 3 : -1;
}
template <class T>
double as_number(const std::optional<T>& value);
template <class T>
double as_number(const T& value) {
  if constexpr (requires { value.empty(); })
    return value.empty() ? -1 : static_cast<double>(value.front());
  else
    return static_cast<double>(value);
}
template <class T>
double as_number(const std::optional<T>& value) {
  return value ? as_number(*value) : -1;
}

/// What the rows point to.
template <class T>
constexpr T two[] = {3, 3};
std::uint8_t byte = 3;
void* const pointed = &byte;
DLTensor* tensor() {
  static std::int64_t shape[] = {1};
  static DLTensor one = kindred_tensor(&byte, KINDRED_UINT8, 1, shape);
  return &one;
}
using Testing::Stub;

struct Row {
  const char* name;
  double wanted;
  double arrived;
  double by_default;
  double by_default_of_cpp;
};

/// \brief The row of a member that \p set changes. \param get what it is in C++
template <class Struct, class Cpp, class Set, class Get>
Row row_of(const char* name, Cpp (*copied)(const Struct*), Struct given, const Set& set,
           const Get& get, double wanted) {
  set(given);
  return {name, wanted, get(copied(&given)), get(copied(nullptr)), get(Cpp())};
}

/// A struct of C with its defaults. Those of metrics are a parameter of other functions.
template <class Struct>
Struct defaults(const char* name) {
  Struct out{};
  if (::kindred_init(name, &out, sizeof(out)) != KINDRED_OK) out.struct_size = sizeof(out);
  return out;
}

TEST(COptions, ArriveInCppAndHaveItsDefaults) {
#define KINDRED_OPTIONS(Struct, Cpp, function)
#define KINDRED_OPTION(Struct, Cpp, function, name, set, member, wanted)  \
  row_of<Struct, Cpp>(                                                    \
      #Struct "::" #name, static_cast<Cpp (*)(const Struct*)>(&function), \
      defaults<Struct>(#Struct), [](Struct& given) { set; },              \
      [](const Cpp& out) { return as_number(out.member); }, wanted),
  const Row rows[] = {
#include <Options.inc>
  };
  EXPECT_GT(std::size(rows), 100U);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.arrived, row.wanted);
    EXPECT_NE(row.by_default, row.wanted) << "the row sets the default";
    EXPECT_EQ(row.by_default, row.by_default_of_cpp);
  }
}

}  // namespace
}  // namespace Kindred::C
