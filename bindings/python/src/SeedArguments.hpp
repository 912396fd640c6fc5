// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SEED_ARGUMENTS_HPP
#define KINDRED_PYTHON_SEED_ARGUMENTS_HPP

#include <kindred/core/common/Names.hpp>
#include <kindred/matcher/SeedFunctions.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Context.hpp"
#include "DeviceArguments.hpp"
#include "Errors.hpp"
#include "Options.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

// Arguments and results of all functions of seeds.
namespace Kindred::Python {

/// A named tuple or a member of an enumeration of the package.
template <class... Arguments>
nanobind::object named(const char* type, Arguments&&... arguments) {
  static PyObject* package = nullptr;  // which is never released
  if (package == nullptr) package = nanobind::module_::import_("pykindred").release().ptr();
  return nanobind::handle(package).attr(type)(std::forward<Arguments>(arguments)...);
}

/// The items of a tuple that Python made. \throws InvalidType
inline nanobind::tuple tuple_of(nanobind::handle given, const char* option, std::size_t size) {
  if (!nanobind::isinstance<nanobind::tuple>(given) || nanobind::len(given) != size)
    refuse_type(std::string(option) + " is of type " + type_text(given) +
                "; it must be a named tuple of " + std::to_string(size) + " fields");
  return nanobind::borrow<nanobind::tuple>(given);
}

template <class T>
void set_number(T& to, nanobind::handle given, const char* option) {
  if constexpr (std::is_integral_v<T>)
    to = narrow_of<T>(given, option, 0);
  else
    to = number_of(given, option);
}

/// A member of an enumeration, its name or its code. \throws InvalidType, InvalidArgument
template <class Code>
Code code_of(nanobind::handle given, const char* option) {
  constexpr auto& names = enum_names<Code>;
  if (nanobind::isinstance<nanobind::str>(given))
    return static_cast<Code>(choice_of(given, option, names));
  const std::int64_t code = integer_of(given, option, 0);
  if (code >= static_cast<std::int64_t>(names.size()))
    refuse(std::string(option) + " is the code " + std::to_string(code) + "; codes are less than " +
           std::to_string(names.size()));
  return static_cast<Code>(code);
}

/// The rows x of a pass, and the arrays beside them.
class PassRows {
 public:
  PassRows(const Context& context, nanobind::handle like, const Input& x)
      : m_context(context), m_like(like), m_x(x) {
    x.require_widens_to_float32();
    x.require_rank(2, 2);
  }

  /// A new array beside x.
  nanobind::object made(DataType type, std::initializer_list<std::int64_t> shape) const {
    if (m_x.on_device()) return empty_array(m_like, m_x, type, shape);
    if (type == DataType::bfloat16)
      refuse("x is " + m_x.text() + ", and NumPy has no bfloat16: give out");
    double bytes = static_cast<double>(size_of(type));
    for (const std::int64_t extent : shape) bytes *= static_cast<double>(extent);
    check_free_memory(m_context, bytes);
    return empty_array(type, shape);
  }
  nanobind::object made_rows() const { return made(m_x.type(), {m_x.extent(0), m_x.extent(1)}); }

  /// \throws InvalidType for another element type than that of x
  void require_type_of_x(const Borrowed& given) const {
    if (given.type() != m_x.type())
      refuse_type(std::string(given.name()) + " is " + given.text() +
                  "; it must have the element type of x, which is " + m_x.text());
  }
  /// Checks the shape and the place of other rows.
  void require_like(const Borrowed& given) const {
    if (given.rank() != 2 || given.extent(0) != m_x.extent(0) || given.extent(1) != m_x.extent(1))
      refuse(std::string(given.name()) + " is " + given.text() + "; it must be [" +
             std::to_string(m_x.extent(0)) + ", " + std::to_string(m_x.extent(1)) + "]");
    require_same_place(m_x, given);
  }
  void require_output(const Output& y) const {
    require_like(y);
    y.require_widens_to_float32();
  }

 protected:
  const Input& x() const { return m_x; }

 private:
  const Context& m_context;
  nanobind::handle m_like;
  const Input& m_x;
};

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_SEED_ARGUMENTS_HPP
