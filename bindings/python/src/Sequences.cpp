// SPDX-License-Identifier: Apache-2.0
#include "Sequences.hpp"

#include <kindred/matcher/CodePoints.hpp>

#include "Calls.hpp"
#include "Errors.hpp"

namespace nb = nanobind;

namespace Kindred::Python {

namespace {

/// Numbers of items that are no characters begin behind the code points and their bytes
/// (`BadBytes::keep`).
constexpr Symbol first_number = 0x200000;

void append_code_points_of(nb::handle text, std::vector<Symbol>& out) {
  const Py_ssize_t length = PyUnicode_GetLength(text.ptr());
  if (length < 0) throw nb::python_error();
  const std::size_t begin = out.size();
  out.resize(begin + static_cast<std::size_t>(length));
  static_assert(sizeof(Symbol) == sizeof(Py_UCS4));
  if (length > 0 && PyUnicode_AsUCS4(text.ptr(), reinterpret_cast<Py_UCS4*>(out.data() + begin),
                                     length, 0) == nullptr)
    throw nb::python_error();
}

bool is_text_or_bytearray(nb::handle given) {
  return is_text(given) || PyByteArray_Check(given.ptr()) != 0;
}

bool is_array(nb::handle given) {
  return PyObject_CheckBuffer(given.ptr()) != 0 || nb::hasattr(given, "__dlpack__");
}

/// Whether \p given is an `array.array` of characters, which are items like those of a list.
bool has_characters(nb::handle given) {
  const nb::object typecode = nb::getattr(given, "typecode", nb::none());
  if (PyUnicode_Check(typecode.ptr()) == 0) return false;
  const std::string_view code = nb::str(typecode).c_str();
  return code == "u" || code == "w";
}

}  // namespace

Symbol Alphabet::number(nb::handle item, const char* name) {
  if (PyUnicode_Check(item.ptr()) != 0 && PyUnicode_GetLength(item.ptr()) == 1)
    return PyUnicode_ReadChar(item.ptr(), 0);
  PyObject* const known = PyDict_GetItemWithError(m_numbers.ptr(), item.ptr());
  if (known != nullptr) return static_cast<Symbol>(PyLong_AsUnsignedLong(known));
  const std::size_t next = first_number + nb::len(m_numbers);
  if (PyErr_Occurred() == nullptr) {
    const nb::object made = nb::steal(PyLong_FromSize_t(next));
    if (PyDict_SetItem(m_numbers.ptr(), item.ptr(), made.ptr()) == 0)
      return static_cast<Symbol>(next);
  }
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
  PyErr_Clear();
  refuse_type(std::string(name) + " has an item of type " + type_text(item) +
              ", which is not hashable");
}

void append_sequence(nb::handle given, const char* name, Alphabet& alphabet,
                     std::vector<Symbol>& out) {
  if (PyUnicode_Check(given.ptr()) != 0) {
    append_code_points_of(given, out);
    return;
  }
  if (is_array(given) && !has_characters(given)) {
    const Input array(given, name, nullptr, Copying::if_needed, Layout::dense);
    array.require_type({DataType::uint32, DataType::uint8});
    array.require_rank(1, 1);
    if (array.type() == DataType::uint8) {
      const auto bytes = array.host_values<std::uint8_t>();
      out.insert(out.end(), bytes.begin(), bytes.end());
    } else {
      const auto symbols = array.host_values<Symbol>();
      out.insert(out.end(), symbols.begin(), symbols.end());
    }
    return;
  }
  if (PySequence_Check(given.ptr()) == 0)
    refuse_type(std::string(name) + " is of type " + type_text(given) +
                "; a sequence is a str, bytes, an array of uint32 or a sequence of hashable items");
  ItemLoop loop;
  for (const nb::handle item : given) {
    loop.next();
    out.push_back(alphabet.number(item, name));
  }
}

std::optional<TextSpan> borrowed_text(nb::handle given) {
  const auto span_of = [](const void* data, Py_ssize_t size,
                          std::uint32_t symbol_bytes) -> std::optional<TextSpan> {
    if (data == nullptr) throw nb::python_error();
    if (size >= Py_ssize_t{1} << 31U) return {};  // refused where it is read
    return TextSpan{data, static_cast<std::uint32_t>(size), symbol_bytes};
  };
  PyObject* const object = given.ptr();
  if (PyUnicode_Check(object) != 0) {
#ifdef Py_LIMITED_API
    // ASCII is its own UTF-8.
    Py_ssize_t size = 0;
    const char* const data = PyUnicode_AsUTF8AndSize(object, &size);
    if (data == nullptr) PyErr_Clear();  // a surrogate
    if (data == nullptr || size != PyUnicode_GetLength(object)) return {};
    return span_of(data, size, 1);
#else
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(object) != 0) throw nb::python_error();
#endif
    return span_of(PyUnicode_DATA(object), PyUnicode_GET_LENGTH(object),
                   static_cast<std::uint32_t>(PyUnicode_KIND(object)));
#endif
  }
  if (PyBytes_Check(object) != 0) return span_of(PyBytes_AsString(object), PyBytes_Size(object), 1);
  if (PyByteArray_Check(object) != 0)
    return span_of(PyByteArray_AsString(object), PyByteArray_Size(object), 1);
  return {};
}

Sequences::Sequences(nb::handle given, const char* name) {
  if (nb::hasattr(given, "offsets") && nb::hasattr(given, "symbols")) {
    m_offsets = std::make_unique<Input>(given.attr("offsets"), "offsets", nullptr,
                                        Copying::if_needed, Layout::dense);
    m_symbols = std::make_unique<Input>(given.attr("symbols"), "symbols", nullptr,
                                        Copying::if_needed, Layout::dense);
    m_offsets->require_rank(1, 1);
    m_symbols->require_rank(1, 1);
    const std::span<const std::int64_t> offsets = m_offsets->host_values<std::int64_t>();
    const std::span<const Symbol> symbols = m_symbols->host_values<Symbol>();
    for (const std::int64_t lim : offsets)
      if (lim < 0) refuse("offsets has the negative number " + std::to_string(lim));
    if (!offsets.empty() && static_cast<std::size_t>(offsets.back()) != symbols.size())
      refuse("offsets ends at " + std::to_string(offsets.back()) + ", and symbols has " +
             std::to_string(symbols.size()) + " elements");
    // The library checks that they ascend.
    m_span = {{reinterpret_cast<const std::uint64_t*>(offsets.data()), offsets.size()}, symbols};
    return;
  }
  Alphabet none;
  if (is_text_or_bytearray(given) || is_array(given)) {
    m_is_one = true;
    append_sequence(given, name, none, m_made.values);
    m_made.close_row();
  } else {
    if (PySequence_Check(given.ptr()) == 0 && PyIter_Check(given.ptr()) == 0)
      refuse_type(std::string(name) + " is of type " + type_text(given) +
                  "; it must be a str, bytes, or a collection of such sequences");
    ItemLoop loop;
    for (const nb::handle item : given) {
      loop.next();
      if (!is_text_or_bytearray(item) && !is_array(item))
        refuse_type(std::string(name) + " has an item of type " + type_text(item) +
                    "; items are str, bytes or arrays of uint32. Vocabulary.encode makes "
                    "sequences of words");
      append_sequence(item, name, none, m_made.values);
      m_made.close_row();
    }
  }
  m_span = m_made;
}

std::string bytes_of_text(nb::handle text, const char* name) {
  if (PyUnicode_Check(text.ptr()) != 0) {
    Py_ssize_t size = 0;
    const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (data != nullptr) return {data, static_cast<std::size_t>(size)};
    PyErr_Clear();
    const nb::object encoded =
        nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
    if (!encoded.is_valid()) {
      PyErr_Clear();
      refuse(std::string(name) + " has a text with a surrogate that stands for no byte");
    }
    return {PyBytes_AsString(encoded.ptr()), static_cast<std::size_t>(PyBytes_Size(encoded.ptr()))};
  }
  if (PyBytes_Check(text.ptr()) == 0)
    refuse_type(std::string(name) + " is of type " + type_text(text) +
                "; a text is a str or bytes");
  return {PyBytes_AsString(text.ptr()), static_cast<std::size_t>(PyBytes_Size(text.ptr()))};
}

nb::object text_of_bytes(std::string_view bytes) {
  nb::object text = nb::steal(str_of(bytes));
  if (!text.is_valid()) throw nb::python_error();
  return text;
}

}  // namespace Kindred::Python
