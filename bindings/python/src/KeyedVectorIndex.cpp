// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/KeyedVectorIndex.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "Results.hpp"
#include "Texts.hpp"
#include "VectorArguments.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace KeyedVectors {

namespace {

struct Shared {
  SharedContext context;
  KeyedVectorIndex index;
};
using Handle = EngineHandle<Shared>;

/// \brief Keys of Python for the time of a call: uint64 or int64 [n], uint8 [n, width], or a list
/// or tuple of ints, or of str and bytes.
class Keys {
 public:
  /// \param kind of a list without keys \throws InvalidType, InvalidArgument
  Keys(nb::handle given, const char* name, KeyKind kind) : m_kind(kind) {
    if (nb::isinstance<nb::list>(given) || nb::isinstance<nb::tuple>(given)) {
      m_owner = nb::steal(PySequence_Tuple(given.ptr()));  // the texts in it must not be released
      if (!m_owner.is_valid()) throw nb::python_error();
      read_items(name);
      return;
    }
    m_array.emplace(given, name, nullptr, Copying::if_needed, Layout::dense);
    m_array->require_type({DataType::uint64, DataType::int64, DataType::uint8});
    if (m_array->type() == DataType::uint8) {
      m_array->require_rank(2, 2);
      if (m_array->extent(1) == 0)
        refuse(std::string(name) + " is " + m_array->text() + "; keys of one width have bytes");
      m_kind = KeyKind::bytes;
      return;
    }
    m_array->require_rank(1, 1);
    m_kind = KeyKind::integer;
    if (m_array->type() == DataType::int64)
      for (const std::int64_t key : m_array->host_values<std::int64_t>())
        if (key < 0)
          refuse(std::string(name) + " has the number " + std::to_string(key) +
                 "; keys are not negative");
  }

  KeySpan span() const {
    if (m_array) {
      const std::span<const std::byte> bytes = m_array->host_bytes();
      if (m_kind == KeyKind::bytes)
        return bytes.empty()
                   ? KeySpan(KeyKind::bytes)
                   : KeySpan::of_width(bytes, static_cast<std::size_t>(m_array->extent(1)));
      return std::span(reinterpret_cast<const std::uint64_t*>(bytes.data()),
                       bytes.size() / sizeof(std::uint64_t));
    }
    if (m_kind == KeyKind::integer) return std::span<const std::uint64_t>(m_integers);
    return std::span<const std::string_view>(m_texts);
  }

 private:
  void read_items(const char* name) {
    bool is_first = true;
    for (const nb::handle item : nb::borrow<nb::tuple>(m_owner)) {
      const KeyKind kind = is_text(item) ? KeyKind::bytes : KeyKind::integer;
      if (kind == KeyKind::integer && PyIndex_Check(item.ptr()) == 0)
        refuse_type(std::string(name) + " has an item of type " + type_text(item) +
                    "; keys are ints, or str and bytes");
      if (!is_first && kind != m_kind)
        refuse_type(std::string(name) + " has ints and texts; all keys must be of one kind");
      is_first = false;
      m_kind = kind;
      kind == KeyKind::bytes ? read_text(item) : read_integer(item, name);
    }
  }
  void read_text(nb::handle item) {
    if (PyBytes_Check(item.ptr()) != 0) {
      m_texts.emplace_back(PyBytes_AsString(item.ptr()),
                           static_cast<std::size_t>(PyBytes_Size(item.ptr())));
      return;
    }
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (text == nullptr) throw nb::python_error();
    m_texts.emplace_back(text, static_cast<std::size_t>(size));
  }
  void read_integer(nb::handle item, const char* name) {
    const nb::object index = nb::steal(PyNumber_Index(item.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    const unsigned long long value = PyLong_AsUnsignedLongLong(index.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(std::string(name) + " has the number " + nb::cast<std::string>(nb::str(index)) +
             "; keys are from 0 to 2⁶⁴ − 1");
    }
    m_integers.push_back(value);
  }

  KeyKind m_kind;
  nb::object m_owner;
  std::optional<Input> m_array;
  std::vector<std::uint64_t> m_integers;
  std::vector<std::string_view> m_texts;
};

/// Adds a key to the end of the results: a number, or bytes.
class KeyResults {
 public:
  explicit KeyResults(KeyKind kind) : m_kind(kind) {}
  void add(const KeySpan& keys, std::size_t i) {
    if (m_kind == KeyKind::integer) {
      m_integers.push_back(static_cast<std::int64_t>(keys.integer(i)));
    } else {
      const std::string_view key = keys.bytes(i);
      m_texts.append(nb::bytes(key.data(), key.size()));
    }
  }
  void add_none() {
    if (m_kind == KeyKind::integer) {
      m_integers.push_back(0);
    } else {
      m_texts.append(nb::bytes("", 0));
    }
  }
  /// int64 [n], the bits of the keys, or a list of bytes.
  nb::object results() const {
    if (m_kind == KeyKind::integer) return array_of(std::span<const std::int64_t>(m_integers));
    return m_texts;
  }

 private:
  KeyKind m_kind;
  std::vector<std::int64_t> m_integers;
  nb::list m_texts;
};

/// `(scores, ids, keys, is_one)`: float32 and int64 [count · top], `KeyResults` likewise, and
/// whether there is one query
nb::object search(const Handle& self, nb::handle queries, nb::handle top, nb::handle metric,
                  nb::handle filter, nb::handle space, nb::handle path) {
  const std::shared_ptr<Shared> shared = self.open();
  SearchOptions options = search_options(metric, space, path);
  const std::int64_t columns = integer_of(top, "top", 1);
  options.top = static_cast<std::size_t>(columns);
  const Filter given_filter(filter);
  given_filter.set(options);
  const HostQueries given(queries, shared->index.dimension());
  check_free_memory(*shared->context,
                    static_cast<double>(given.count()) * static_cast<double>(columns) * 20);
  const KeyedSearchResults found =
      unlocked([&] { return shared->index.search(given.values(), options); });
  keep_record(found.record);
  std::vector<float> scores;
  std::vector<std::int64_t> ids;
  KeyResults keys(found.keys.kind);
  const KeySpan found_keys = found.keys.span();
  for (std::size_t query = 0; query < static_cast<std::size_t>(given.count()); ++query) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i) {
      const std::size_t place = query * found.top + i;
      const bool exists = i < found.top && found.ids[place] >= 0;
      scores.push_back(exists ? found.scores[place] : padding_score(options.metric));
      ids.push_back(exists ? found.ids[place] : -1);
      exists ? keys.add(found_keys, place) : keys.add_none();
    }
  }
  return nb::make_tuple(array_of(std::span<const float>(scores)),
                        array_of(std::span<const std::int64_t>(ids)), keys.results(),
                        given.is_one());
}

/// `(lims, ids, scores, keys)`
nb::object ragged_with_keys(const KeyedScoreResults& found) {
  keep_record(found.record);
  const nb::object rows = ragged_of(found.results);
  KeyResults keys(found.keys.kind);
  const KeySpan found_keys = found.keys.span();
  for (std::size_t i = 0; i < found_keys.size(); ++i) keys.add(found_keys, i);
  return nb::make_tuple(rows[0], rows[1], rows[2], keys.results());
}

nb::object search_at_least(const Handle& self, nb::handle queries, nb::handle score,
                           nb::handle metric, nb::handle filter, nb::handle space,
                           nb::handle path) {
  const std::shared_ptr<Shared> shared = self.open();
  SearchOptions options = search_options(metric, space, path);
  const auto least = static_cast<float>(number_of(score, "score"));
  const HostQueries given(queries, shared->index.dimension());
  const Filter given_filter(filter);
  given_filter.set(options);
  return ragged_with_keys(
      unlocked([&] { return shared->index.search_at_least(given.values(), least, options); }));
}

nb::object score(const Handle& self, nb::handle queries, nb::handle candidates, nb::handle top,
                 nb::handle metric, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  SearchOptions options = search_options(metric, space, nb::none());
  const HostQueries given(queries, shared->index.dimension());
  if (!nb::isinstance<nb::list>(candidates))
    refuse_type("candidates is of type " + type_text(candidates) +
                "; it must be a list of keys per query");
  std::deque<Keys> lists;
  std::vector<KeySpan> spans;
  std::size_t most = 1;
  for (const nb::handle one : candidates) {
    spans.push_back(lists.emplace_back(one, "candidates", shared->index.key_kind()).span());
    most = std::max(most, spans.back().size());
  }
  options.top = top.is_none() ? most : static_cast<std::size_t>(integer_of(top, "top", 1));
  return ragged_with_keys(
      unlocked([&] { return shared->index.score(given.values(), spans, options); }));
}

}  // namespace

}  // namespace KeyedVectors

void register_keyed_vector_index(Module& module) {
  using namespace KeyedVectors;
  Class<Handle> index(module, "KeyedVectorIndex");
  define_files(index);
  index
      .def(
          "__init__",
          [](Handle* self, nb::handle keys, nb::handle rows, nb::handle scales,
             nb::handle residency, nb::handle quantized_copy, nb::handle context) {
            const VectorIndexOptions options = index_options(residency, quantized_copy);
            const SharedContext shared = context_of(context);
            const Keys given(keys, "keys", KeyKind::integer);
            const VectorRows vectors(rows, scales, "rows", Layout::dense);
            vectors.input().require_rank(2, 2);
            if (vectors.dimension() == 0)
              refuse("rows is " + vectors.input().text() + "; a row needs elements");
            new (self)
                Handle{"index", shared_of<Shared>(shared, [&] {
                         return KeyedVectorIndex(*shared, given.span(), vectors.span(), options);
                       })};
          },
          nb::arg("keys").none(), nb::arg("rows").none(), nb::arg("scales").none(),
          nb::arg("residency").none(), nb::arg("quantized_copy").none(), nb::arg("context").none())
      .def("close", &Handle::close)
      .def("is_closed", &Handle::is_closed)
      .def("size", [](const Handle& self) { return self.open()->index.size(); })
      .def("dimension", [](const Handle& self) { return self.open()->index.dimension(); })
      .def("element",
           [](const Handle& self) { return std::string(to_string(self.open()->index.element())); })
      .def("key_kind",
           [](const Handle& self) { return std::string(to_string(self.open()->index.key_kind())); })
      .def("key_bytes",
           [](const Handle& self) {
             const std::shared_ptr<Shared> shared = self.open();
             return unlocked([&] { return shared->index.key_bytes(); });
           })
      .def("end_id", [](const Handle& self) { return self.open()->index.vectors().end_id(); })
      .def(
          "upsert",
          [](const Handle& self, nb::handle keys, nb::handle rows, nb::handle scales) {
            const std::shared_ptr<Shared> shared = self.open();
            const Keys given(keys, "keys", shared->index.key_kind());
            const VectorRows vectors(rows, scales, "rows", Layout::dense);
            vectors.input().require_rank(2, 2);
            vectors.input().require_columns(shared->index.dimension());
            const UpsertCounts counts =
                unlocked([&] { return shared->index.upsert(given.span(), vectors.span()); });
            return nb::make_tuple(counts.added, counts.replaced);
          },
          nb::arg("keys").none(), nb::arg("rows").none(), nb::arg("scales").none())
      .def(
          "remove",
          [](const Handle& self, nb::handle keys) {
            const std::shared_ptr<Shared> shared = self.open();
            const Keys given(keys, "keys", shared->index.key_kind());
            unlocked([&] { shared->index.remove(given.span()); });
          },
          nb::arg("keys").none())
      .def(
          "find",
          [](const Handle& self, nb::handle keys) {
            const std::shared_ptr<Shared> shared = self.open();
            const Keys given(keys, "keys", shared->index.key_kind());
            const std::vector<std::int64_t> found =
                unlocked([&] { return shared->index.find(given.span()); });
            return array_of(std::span<const std::int64_t>(found));
          },
          nb::arg("keys").none())
      .def("search", search, nb::arg("queries").none(), nb::arg("top").none(),
           nb::arg("metric").none(), nb::arg("filter").none(), nb::arg("space").none(),
           nb::arg("path").none())
      .def("search_at_least", search_at_least, nb::arg("queries").none(), nb::arg("score").none(),
           nb::arg("metric").none(), nb::arg("filter").none(), nb::arg("space").none(),
           nb::arg("path").none())
      .def("score", score, nb::arg("queries").none(), nb::arg("candidates").none(),
           nb::arg("top").none(), nb::arg("metric").none(), nb::arg("space").none())
      .def(
          "save",
          [](const Handle& self, nb::handle path) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::string file = path_of(path, "path");
            unlocked([&] { shared->index.save(file); });
          },
          nb::arg("path").none())
      .def("to_bytes", [](const Handle& self) {
        const std::shared_ptr<Shared> shared = self.open();
        return bytes_of(unlocked([&] { return shared->index.to_bytes(); }));
      });
}

}  // namespace Kindred::Python
