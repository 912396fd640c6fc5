// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_KEY_ARGUMENTS_HPP
#define KINDRED_PYTHON_KEY_ARGUMENTS_HPP

#include <kindred/matcher/KeyedVectorIndex.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Context.hpp"
#include "Errors.hpp"
#include "NumPy.hpp"
#include "Results.hpp"
#include "Texts.hpp"
#include "VectorArguments.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Keys of Python.
namespace Kindred::Python {

/// \brief Keys of Python for the time of a call: uint64 or int64 [n], uint8 [n, width], or a list
/// or tuple of ints, or of str and bytes.
class Keys {
 public:
  /// \param kind of a list without keys \throws InvalidType, InvalidArgument
  Keys(nanobind::handle given, const char* name, KeyKind kind) : m_kind(kind) {
    if (nanobind::isinstance<nanobind::list>(given) ||
        nanobind::isinstance<nanobind::tuple>(given)) {
      // The texts in it must not be released.
      m_owner = nanobind::steal(PySequence_Tuple(given.ptr()));
      if (!m_owner.is_valid()) throw nanobind::python_error();
      for (const nanobind::handle item : nanobind::borrow<nanobind::tuple>(m_owner))
        read(item, name);
      return;
    }
    m_array.emplace(given, name, nullptr, Copying::if_needed, Layout::dense);
    m_array->require_type({DataType::uint64, DataType::int64, DataType::uint8});
    m_kind = m_array->type() == DataType::uint8 ? KeyKind::bytes : KeyKind::integer;
    const std::size_t rank = m_kind == KeyKind::bytes ? 2 : 1;
    m_array->require_rank(rank, rank);
    if (m_kind == KeyKind::bytes && m_array->extent(1) == 0)
      refuse(std::string(name) + " is " + m_array->text() + "; keys of one width have bytes");
    if (m_array->type() == DataType::int64)
      for (const std::int64_t key : m_array->host_values<std::int64_t>())
        if (key < 0) refuse_number(name, std::to_string(key) + "; keys are not negative");
  }

  KeySpan span() const {
    if (!m_array) {
      if (m_kind == KeyKind::integer) return std::span<const std::uint64_t>(m_integers);
      return std::span<const std::string_view>(m_texts);
    }
    const std::span<const std::byte> bytes = m_array->host_bytes();
    if (m_kind == KeyKind::bytes)
      return bytes.empty() ? KeySpan(KeyKind::bytes)
                           : KeySpan::of_width(bytes, static_cast<std::size_t>(m_array->extent(1)));
    return std::span(reinterpret_cast<const std::uint64_t*>(bytes.data()),
                     bytes.size() / sizeof(std::uint64_t));
  }

 private:
  void read(nanobind::handle item, const char* name) {
    const KeyKind kind = is_text(item) ? KeyKind::bytes : KeyKind::integer;
    if (kind == KeyKind::integer && PyIndex_Check(item.ptr()) == 0) refuse_item(name, item);
    if (kind != m_kind && !(m_integers.empty() && m_texts.empty()))
      refuse_type(std::string(name) + " has ints and texts; all keys must be of one kind");
    m_kind = kind;
    kind == KeyKind::bytes ? read_text(item) : read_integer(item, name);
  }
  void read_text(nanobind::handle item) {
    const bool is_bytes = PyBytes_Check(item.ptr()) != 0;
    Py_ssize_t size = is_bytes ? PyBytes_Size(item.ptr()) : 0;
    const char* const text =
        is_bytes ? PyBytes_AsString(item.ptr()) : PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (text == nullptr) throw nanobind::python_error();
    m_texts.emplace_back(text, static_cast<std::size_t>(size));
  }
  void read_integer(nanobind::handle item, const char* name) {
    const nanobind::object index = nanobind::steal(PyNumber_Index(item.ptr()));
    if (!index.is_valid()) {
      PyErr_Clear();
      refuse_item(name, item);
    }
    m_integers.push_back(PyLong_AsUnsignedLongLong(index.ptr()));
    if (PyErr_Occurred() == nullptr) return;
    PyErr_Clear();
    refuse_number(
        name, nanobind::cast<std::string>(nanobind::str(index)) + "; keys are from 0 to 2⁶⁴ − 1");
  }
  [[noreturn]] static void refuse_item(const char* name, nanobind::handle item) {
    refuse_type(std::string(name) + " has an item of type " + type_text(item) +
                "; keys are ints, or str and bytes");
  }
  [[noreturn]] static void refuse_number(const char* name, const std::string& number) {
    refuse(std::string(name) + " has the number " + number);
  }

  KeyKind m_kind;
  nanobind::object m_owner;
  std::optional<Input> m_array;
  std::vector<std::uint64_t> m_integers;
  std::vector<std::string_view> m_texts;
};

/// A list of keys per query.
class KeyLists {
 public:
  KeyLists(nanobind::handle given, KeyKind kind) {
    if (!nanobind::isinstance<nanobind::list>(given))
      refuse_type("candidates is of type " + type_text(given) +
                  "; it must be a list of keys per query");
    for (const nanobind::handle one : given)
      m_spans.push_back(m_lists.emplace_back(one, "candidates", kind).span());
  }
  std::span<const KeySpan> spans() const noexcept { return m_spans; }
  /// The number of keys of the longest list, at least 1.
  std::size_t longest() const noexcept {
    std::size_t most = 1;
    for (const KeySpan& one : m_spans) most = std::max(most, one.size());
    return most;
  }

 private:
  std::deque<Keys> m_lists;
  std::vector<KeySpan> m_spans;
};

/// Keys as an array of NumPy, of uint64 or of objects of type bytes.
inline nanobind::object array_of(const KeyList& keys) {
  if (keys.kind == KeyKind::integer) return array_of(std::span<const std::uint64_t>(keys.integers));
  nanobind::list texts;
  const KeySpan span = keys.span();
  for (std::size_t i = 0; i < span.size(); ++i)
    texts.append(nanobind::bytes(span.bytes(i).data(), span.bytes(i).size()));
  nanobind::object made = numpy().empty(span.size(), "O");
  made[nanobind::ellipsis()] = texts;
  return made;
}

/// `(scores, keys, ids)`, all of one shape.
inline nanobind::object ranking_of(const RankedOutputs& found, const KeyList& keys) {
  const nanobind::object made = found.made();
  const nanobind::object scores = made[0];
  return nanobind::make_tuple(scores, array_of(keys).attr("reshape")(scores.attr("shape")),
                              made[1]);
}

/// `(offsets, ids, scores, keys)`
inline nanobind::object ragged_of(const KeyedScoreResults& found) {
  return ragged_of(found.results) + nanobind::make_tuple(array_of(found.keys));
}

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_KEY_ARGUMENTS_HPP
