// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/VectorArray.hpp>
#include <kindred/matcher/VectorIndex.hpp>

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
#include "VectorIndexHandle.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace Vectors {

namespace {

constexpr std::array<Choice<DataType>, 4> elements{{{"float32", DataType::float32},
                                                    {"float16", DataType::float16},
                                                    {"bfloat16", DataType::bfloat16},
                                                    {"int8", DataType::int8}}};

using Rows = VectorRows;

/// \param element None, or the type to which rows of float32 are converted
std::shared_ptr<Shared> made_of(const SharedContext& context, nb::handle rows, nb::handle scales,
                                nb::handle element, const VectorIndexOptions& options) {
  const bool is_int8 = !scales.is_none();
  const Rows given(rows, scales, "rows",
                   is_int8 || !element.is_none() ? Layout::dense : Layout::rows);
  given.input().require_rank(2, 2);
  const DataType wanted =
      element.is_none() ? given.element() : value_of(element, "element", elements);
  const bool converts = wanted != given.element();
  if (converts && given.element() != DataType::float32)
    refuse("element is '" + std::string(to_string(wanted)) + "', and rows is " +
           given.input().text() + "; only rows of float32 are converted");
  if (given.dimension() == 0) refuse("rows is " + given.input().text() + "; a row needs elements");
  const auto shared = [&](const VectorSpan& span) {
    return shared_of<Shared>(context, [&] { return VectorIndex(*context, span, options); });
  };
  if (converts) {
    const std::span<const std::byte> bytes = given.input().host_bytes();
    const VectorArray encoded = unlocked([&] {
      VectorArray out(wanted, bytes.size() / sizeof(float) / given.dimension(), given.dimension());
      encode_rows({reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)},
                  given.dimension(), wanted, out.values(), out.scales());
      return out;
    });
    return shared(encoded.span());
  }
  if (given.is_span()) return shared(given.span());
  // Rows that lie apart or on a device are added.
  const auto made = shared(VectorSpan(given.element(), {}, given.dimension()));
  const ConstArray array = given.input().array();
  unlocked([&] { made->index.add(array); });
  return made;
}

/// The arguments that searches share, alive until the call ends.
class Query {
 public:
  Query(nb::handle queries, nb::handle stream, nb::handle copy)
      : m_given(queries),
        m_stream(stream),
        m_queries(queries, "queries", &m_stream, copying_of(copy)) {
    m_queries.require_type({DataType::float32});
    m_queries.require_rank(1, 2);
  }

  const Input& queries() const noexcept { return m_queries; }
  CallStream& stream() noexcept { return m_stream; }
  bool is_one() const noexcept { return m_queries.rank() == 1; }
  /// 1 for a single query.
  std::int64_t count() const noexcept { return is_one() ? 1 : m_queries.extent(0); }
  /// A new array [count, extent] beside the queries, or [extent] for one query.
  nb::object output(DataType type, std::int64_t extent) const {
    return is_one() ? empty_array(m_given, m_queries, type, {extent})
                    : empty_array(m_given, m_queries, type, {count(), extent});
  }

 private:
  nb::handle m_given;
  CallStream m_stream;
  Input m_queries;
};

/// New or given arrays of scores and ids.
struct RankedOutputs {
  nb::object scores;
  nb::object ids;
  RankedOutputs(const Context& context, const Query& query, nb::handle out, std::int64_t top) {
    if (!out.is_none()) {
      outputs_of(out, top, scores, ids);
      return;
    }
    if (!query.queries().on_device())
      check_free_memory(context,
                        static_cast<double>(query.count()) * static_cast<double>(top) * 12);
    scores = query.output(DataType::float32, top);
    ids = query.output(DataType::int64, top);
  }
};

nb::object search(const Handle& self, nb::handle queries, nb::handle top, nb::handle metric,
                  nb::handle filter, nb::handle space, nb::handle path, nb::handle out,
                  nb::handle stream, nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  SearchOptions options = search_options(metric, space, path);
  Query query(queries, stream, copy);
  const RankedOutputs outputs(*shared->context, query, out, integer_of(top, "top", 1));
  const Filter given_filter(filter);
  given_filter.set(options);
  const Output scores(outputs.scores, "scores", &query.stream());
  const Output ids(outputs.ids, "ids", &query.stream());
  options.stream = query.stream().stream();
  keep_record(unlocked([&] {
    return shared->index.search(query.queries().array(), options, {scores.array(), ids.array()})
        .record;
  }));
  return nb::make_tuple(outputs.scores, outputs.ids);
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
  const ScoreResults found =
      unlocked([&] { return shared->index.search_at_least(given.values(), least, options); });
  keep_record(found.record);
  return ragged_of(found.results);
}

nb::object score_lists(const Handle& self, nb::handle queries, nb::handle lims, nb::handle ids,
                       nb::handle top, nb::handle metric, nb::handle filter, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  SearchOptions options = search_options(metric, space, nb::none());
  const HostQueries given(queries, shared->index.dimension());
  const Filter given_filter(filter);
  given_filter.set(options);
  const std::vector<std::uint64_t> offsets = ids_of(lims, "candidates.lims");
  const std::vector<std::uint64_t> numbers = ids_of(ids, "candidates.ids");
  options.top = top.is_none() ? std::max<std::size_t>(numbers.size(), 1)
                              : static_cast<std::size_t>(integer_of(top, "top", 1));
  const ScoreResults found = unlocked([&] {
    return shared->index.score(given.values(), RaggedSpan<std::uint64_t>{offsets, numbers},
                               options);
  });
  keep_record(found.record);
  return ragged_of(found.results);
}

nb::object score(const Handle& self, nb::handle queries, nb::handle candidates, nb::handle top,
                 nb::handle metric, nb::handle space, nb::handle out, nb::handle stream,
                 nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  SearchOptions options = search_options(metric, space, nb::none());
  Query query(queries, stream, copy);
  const Input lists(candidates, "candidates", &query.stream(), copying_of(copy));
  lists.require_type({DataType::int64});
  lists.require_rank(query.is_one() ? 1 : 2, query.is_one() ? 1 : 2);
  // By default, all candidates.
  const std::int64_t count = top.is_none()
                                 ? std::max<std::int64_t>(lists.extent(lists.rank() - 1), 1)
                                 : integer_of(top, "top", 1);
  const RankedOutputs outputs(*shared->context, query, out, count);
  const Output scores(outputs.scores, "scores", &query.stream());
  const Output ids(outputs.ids, "ids", &query.stream());
  options.stream = query.stream().stream();
  keep_record(unlocked([&] {
    return shared->index
        .score(query.queries().array(), lists.array(), options, {scores.array(), ids.array()})
        .record;
  }));
  return nb::make_tuple(outputs.scores, outputs.ids);
}

nb::object score_all(const Handle& self, nb::handle queries, nb::handle metric, nb::handle space,
                     nb::handle out, nb::handle stream, nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  ScoreOptions options;
  options.metric = metric_of(metric);
  options.space = space_of(space);
  Query query(queries, stream, copy);
  const auto write = [&](nb::handle to) {
    const Output output(to, "out", &query.stream());
    options.stream = query.stream().stream();
    keep_record(unlocked(
        [&] { return shared->index.score_all(query.queries().array(), output.array(), options); }));
  };
  if (!out.is_none()) {
    write(out);
    return nb::borrow(out);
  }
  while (true) {
    const std::uint64_t changes = shared->index.changes();
    const auto size = static_cast<std::int64_t>(shared->index.size());
    if (!query.queries().on_device())
      check_free_memory(*shared->context,
                        static_cast<double>(query.count()) * static_cast<double>(size) * 4);
    const nb::object made = query.output(DataType::float32, size);
    try {
      write(made);
      return made;
    } catch (const InvalidArgument&) {
      if (shared->index.changes() == changes) throw;
      // Another thread has changed the rows since their number was read.
    }
  }
}

/// The id of the first row, and the number of rows.
nb::object add(const Handle& self, nb::handle rows, nb::handle scales) {
  const std::shared_ptr<Shared> shared = self.open();
  const Rows given(rows, scales, "rows", scales.is_none() ? Layout::rows : Layout::dense);
  given.input().require_rank(2, 2);
  given.input().require_columns(shared->index.dimension());
  const RowArray array = given.is_span() ? RowArray(given.span()) : RowArray(given.input().array());
  const std::uint64_t first = unlocked([&] { return shared->index.add(array); });
  return nb::make_tuple(first, given.input().extent(0));
}

nb::object read_rows(const Handle& self, nb::handle ids) {
  const std::shared_ptr<Shared> shared = self.open();
  const std::vector<std::uint64_t> numbers = ids_of(ids, "ids");
  const std::size_t dimension = shared->index.dimension();
  check_free_memory(*shared->context, static_cast<double>(numbers.size()) *
                                          static_cast<double>(dimension) * sizeof(float));
  nb::object made = empty_array(DataType::float32, {static_cast<std::int64_t>(numbers.size()),
                                                    static_cast<std::int64_t>(dimension)});
  const Output out(made, "rows");
  const std::span<float> values = out.array().host_values<float>();
  unlocked([&] { shared->index.rows(numbers, values); });
  return made;
}

void replace(const Handle& self, nb::handle id, nb::handle row, nb::handle scale) {
  const std::shared_ptr<Shared> shared = self.open();
  const auto number = static_cast<std::uint64_t>(integer_of(id, "id", 0));
  nb::object scales = nb::borrow(scale);
  if (!scale.is_none()) {
    const auto value = static_cast<float>(number_of(scale, "scale"));
    scales = array_of(std::span<const float>(&value, 1));
  }
  const Rows given(row, scales, "row", Layout::dense);
  const VectorSpan span = given.span();
  unlocked([&] { shared->index.replace(number, span); });
}

nb::dict statistics(const Handle& self) {
  const std::shared_ptr<Shared> shared = self.open();
  const VectorStatistics found = unlocked([&] { return shared->index.statistics(); });
  nb::dict out;
  out["rows"] = found.rows;
  out["dimension"] = shared->index.dimension();
  out["element"] = std::string(to_string(shared->index.element()));
  out["end_id"] = shared->index.end_id();
  out["removed"] = found.removed;
  out["segments"] = found.segments;
  out["host_bytes"] = found.host_bytes;
  out["device_bytes"] = found.device_bytes;
  out["quantized_bytes"] = found.quantized_bytes;
  return out;
}

}  // namespace

}  // namespace Vectors

void register_vector_index(Module& module) {
  using namespace Vectors;
  Class<Handle> index(module, "VectorIndex");
  define_files(index);
  index
      .def(
          "__init__",
          [](Handle* self, nb::handle rows, nb::handle scales, nb::handle element,
             nb::handle residency, nb::handle quantized_copy, nb::handle context) {
            const VectorIndexOptions options = index_options(residency, quantized_copy);
            new (self)
                Handle{"index", made_of(context_of(context), rows, scales, element, options)};
          },
          nb::arg("rows").none(), nb::arg("scales").none(), nb::arg("element").none(),
          nb::arg("residency").none(), nb::arg("quantized_copy").none(), nb::arg("context").none())
      .def("close", &Handle::close)
      .def("is_closed", &Handle::is_closed)
      .def("size", [](const Handle& self) { return self.open()->index.size(); })
      .def("end_id", [](const Handle& self) { return self.open()->index.end_id(); })
      .def("dimension", [](const Handle& self) { return self.open()->index.dimension(); })
      .def("element",
           [](const Handle& self) { return std::string(to_string(self.open()->index.element())); })
      .def("ids",
           [](const Handle& self) {
             const std::shared_ptr<Shared> shared = self.open();
             const std::vector<std::uint64_t> found = unlocked([&] { return shared->index.ids(); });
             const std::vector<std::int64_t> ids(found.begin(), found.end());
             return array_of(std::span<const std::int64_t>(ids));
           })
      .def("rows", read_rows, nb::arg("ids").none())
      .def("statistics", statistics)
      .def("add", add, nb::arg("rows").none(), nb::arg("scales").none())
      .def(
          "remove",
          [](const Handle& self, nb::handle ids) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::vector<std::uint64_t> numbers = ids_of(ids, "ids");
            unlocked([&] { shared->index.remove(numbers); });
          },
          nb::arg("ids").none())
      .def("replace", replace, nb::arg("id").none(), nb::arg("row").none(), nb::arg("scale").none())
      .def(
          "save",
          [](const Handle& self, nb::handle path) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::string file = path_of(path, "path");
            unlocked([&] { shared->index.save(file); });
          },
          nb::arg("path").none())
      .def("to_bytes",
           [](const Handle& self) {
             const std::shared_ptr<Shared> shared = self.open();
             return bytes_of(unlocked([&] { return shared->index.to_bytes(); }));
           })
      .def("search", search, nb::arg("queries").none(), nb::arg("top").none(),
           nb::arg("metric").none(), nb::arg("filter").none(), nb::arg("space").none(),
           nb::arg("path").none(), nb::arg("out").none(), nb::arg("stream").none(),
           nb::arg("copy").none())
      .def("search_at_least", search_at_least, nb::arg("queries").none(), nb::arg("score").none(),
           nb::arg("metric").none(), nb::arg("filter").none(), nb::arg("space").none(),
           nb::arg("path").none())
      .def("score", score, nb::arg("queries").none(), nb::arg("candidates").none(),
           nb::arg("top").none(), nb::arg("metric").none(), nb::arg("space").none(),
           nb::arg("out").none(), nb::arg("stream").none(), nb::arg("copy").none())
      .def("score_lists", score_lists, nb::arg("queries").none(), nb::arg("lims").none(),
           nb::arg("ids").none(), nb::arg("top").none(), nb::arg("metric").none(),
           nb::arg("filter").none(), nb::arg("space").none())
      .def("score_all", score_all, nb::arg("queries").none(), nb::arg("metric").none(),
           nb::arg("space").none(), nb::arg("out").none(), nb::arg("stream").none(),
           nb::arg("copy").none());
}

}  // namespace Kindred::Python
