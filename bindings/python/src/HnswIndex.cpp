// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/matcher/HnswIndex.hpp>

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
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace Graphs {

namespace {

/// An index with the context that it needs. Calls that change it must not run concurrently with
/// others.
struct Shared {
  Shared(SharedContext owner, HnswIndex made) : context(std::move(owner)), index(std::move(made)) {
    publish();
  }
  /// Copies the numbers that `len` and `repr` read, also in callbacks.
  void publish() noexcept {
    size = index.size();
    end_id = index.end_id();
  }

  SharedContext context;
  HnswIndex index;
  mutable Impl::SharedMutex mutex;
  std::atomic<std::size_t> size{0};
  std::atomic<std::uint64_t> end_id{0};
};
using Handle = EngineHandle<Shared>;

constexpr std::array<Choice<HnswTraversal>, 3> traversals{{{"automatic", HnswTraversal::automatic},
                                                           {"bytes", HnswTraversal::bytes},
                                                           {"floats", HnswTraversal::floats}}};

/// Runs a call that reads the index, without the GIL.
template <class Call>
auto reading(const Shared& shared, const Call& call) {
  return unlocked([&] {
    const auto lock = Impl::cancellable_shared_lock(shared.mutex);
    return call();
  });
}
template <class Call>
auto changing(Shared& shared, const Call& call) {
  return unlocked([&] {
    const auto lock = Impl::cancellable_lock(shared.mutex);
    struct Publish {
      Shared& shared;
      ~Publish() { shared.publish(); }
    } const publish{shared};
    return call();
  });
}

HnswSettings settings_of(nb::handle metric, nb::handle m, nb::handle ef_construction,
                         nb::handle seed, nb::handle traversal) {
  HnswSettings settings;
  settings.metric = metric_of(metric);
  settings.m = static_cast<std::size_t>(integer_of(m, "m", 0));
  settings.ef_construction =
      static_cast<std::size_t>(integer_of(ef_construction, "ef_construction", 0));
  settings.seed = static_cast<std::uint64_t>(integer_of(seed, "seed", 0));
  settings.traversal = value_of(traversal, "traversal", traversals);
  return settings;
}

std::shared_ptr<Shared> made_of(const SharedContext& context, nb::handle rows,
                                const HnswSettings& settings, nb::handle progress) {
  const Input given(rows, "rows", nullptr, Copying::if_needed, Layout::dense);
  given.require_rank(2, 2);
  const std::span<const float> values = given.host_values<float>();
  const auto dimension = static_cast<std::size_t>(given.extent(1));
  std::function<void(std::uint64_t)> report;
  if (!progress.is_none() && PyCallable_Check(progress.ptr()) == 0)
    refuse_type("progress is of type " + type_text(progress) + "; it must be callable");
  std::uint64_t reported = 0;
  if (!progress.is_none())
    report = [&](std::uint64_t count) {  // called by this thread
      if (const Locked locked; locked) progress(count - std::exchange(reported, count));
    };
  return shared_of<Shared>(
      context, [&] { return HnswIndex::build(*context, values, dimension, settings, report); });
}

nb::object search(const Handle& self, nb::handle queries, nb::handle top, nb::handle ef,
                  nb::handle filter, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  HnswSearchOptions options;
  const std::int64_t count = integer_of(top, "top", 1);
  options.top = static_cast<std::size_t>(count);
  options.ef = static_cast<std::size_t>(integer_of(ef, "ef", 0));
  options.space = space_of(space);
  const Filter given_filter(filter);
  given_filter.set(options);
  const HostQueries given(queries, shared->index.dimension());
  check_free_memory(*shared->context,
                    static_cast<double>(given.count()) * static_cast<double>(count) * 12);
  const HnswResults found =
      reading(*shared, [&] { return shared->index.search(given.values(), options); });
  keep_record(found.record);
  const auto output = [&](DataType type) {
    return given.is_one() ? empty_array(type, {count}) : empty_array(type, {given.count(), count});
  };
  nb::object scores = output(DataType::float32);
  nb::object ids = output(DataType::int64);
  const Output scores_out(scores, "scores");
  const Output ids_out(ids, "ids");
  auto* const score = static_cast<float*>(scores_out.array().data());
  auto* const id = static_cast<std::int64_t*>(ids_out.array().data());
  const auto columns = static_cast<std::size_t>(count);
  for (std::size_t query = 0; query < static_cast<std::size_t>(given.count()); ++query) {
    std::copy_n(found.scores.data() + query * found.top, found.top, score + query * columns);
    std::copy_n(found.ids.data() + query * found.top, found.top, id + query * columns);
    std::fill_n(score + query * columns + found.top, columns - found.top,
                padding_score(shared->index.settings().metric));
    std::fill_n(id + query * columns + found.top, columns - found.top, std::int64_t{-1});
  }
  return nb::make_tuple(scores, ids);
}

nb::object add(const Handle& self, nb::handle rows) {
  const std::shared_ptr<Shared> shared = self.open();
  const Input given(rows, "rows", nullptr, Copying::if_needed, Layout::dense);
  given.require_rank(2, 2);
  given.require_columns(shared->index.dimension());
  const std::span<const float> values = given.host_values<float>();
  const std::uint64_t first = changing(*shared, [&] { return shared->index.add(values); });
  return nb::make_tuple(first, given.extent(0));
}

nb::dict statistics(const Handle& self) {
  const std::shared_ptr<Shared> shared = self.open();
  const HnswStatistics found = reading(*shared, [&] { return shared->index.statistics(); });
  nb::dict out;
  out["rows"] = found.rows;
  out["dimension"] = found.dimension;
  out["metric"] = std::string(to_string(found.settings.metric));
  out["m"] = found.settings.m;
  out["ef_construction"] = found.settings.ef_construction;
  out["seed"] = found.settings.seed;
  out["traversal"] = std::string(to_string(found.settings.traversal));
  out["end_id"] = found.end_id;
  out["removed"] = found.removed;
  out["levels"] = found.levels;
  out["links"] = found.links;
  out["unreachable"] = found.unreachable;
  out["bytes"] = found.bytes;
  return out;
}

/// An index of a file.
template <class Load>
Handle loaded(const SharedContext& context, const Load& load) {
  return {"index", shared_of<Shared>(context, load)};
}

}  // namespace

}  // namespace Graphs

void register_hnsw_index(Module& module) {
  using namespace Graphs;
  Class<Handle>(module, "HnswIndex")
      .def(
          "__init__",
          [](Handle* self, nb::handle rows, nb::handle metric, nb::handle m,
             nb::handle ef_construction, nb::handle seed, nb::handle traversal, nb::handle progress,
             nb::handle context) {
            const HnswSettings settings = settings_of(metric, m, ef_construction, seed, traversal);
            new (self) Handle{"index", made_of(context_of(context), rows, settings, progress)};
          },
          nb::arg("rows").none(), nb::arg("metric").none(), nb::arg("m").none(),
          nb::arg("ef_construction").none(), nb::arg("seed").none(), nb::arg("traversal").none(),
          nb::arg("progress").none(), nb::arg("context").none())
      .def_static(
          "load",
          [](nb::handle path, nb::handle context) {
            const std::string file = path_of(path, "path");
            const SharedContext given = context_of(context);
            return loaded(given, [&] { return HnswIndex::load(*given, file); });
          },
          nb::arg("path").none(), nb::arg("context").none())
      .def_static(
          "from_bytes",
          [](nb::handle bytes, nb::handle context) {
            const Input data(bytes, "data", nullptr, Copying::if_needed, Layout::dense);
            const std::span<const std::byte> file = data.host_bytes();
            const SharedContext given = context_of(context);
            return loaded(given, [&] { return HnswIndex::load(*given, file); });
          },
          nb::arg("bytes").none(), nb::arg("context").none())
      .def_static(
          "import_hnswlib",
          [](nb::handle path, nb::handle metric, nb::handle dimension, nb::handle context) {
            const std::string file = path_of(path, "path");
            const Metric given_metric = metric_of(metric);
            const auto columns = static_cast<std::size_t>(integer_of(dimension, "dimension", 1));
            const SharedContext given = context_of(context);
            return loaded(given, [&] {
              return HnswIndex::import_hnswlib(*given, file, given_metric, columns);
            });
          },
          nb::arg("path").none(), nb::arg("metric").none(), nb::arg("dimension").none(),
          nb::arg("context").none())
      .def("close", &Handle::close)
      .def("is_closed", &Handle::is_closed)
      .def("size", [](const Handle& self) { return self.open()->size.load(); })
      .def("end_id", [](const Handle& self) { return self.open()->end_id.load(); })
      .def("dimension", [](const Handle& self) { return self.open()->index.dimension(); })
      .def("metric",
           [](const Handle& self) {
             return std::string(to_string(self.open()->index.settings().metric));
           })
      .def("statistics", statistics)
      .def("add", add, nb::arg("rows").none())
      .def(
          "remove",
          [](const Handle& self, nb::handle ids) {
            const auto shared = self.open();
            const std::vector<std::uint64_t> numbers = ids_of(ids, "ids");
            changing(*shared, [&] { shared->index.remove(numbers); });
          },
          nb::arg("ids").none())
      .def("repair",
           [](const Handle& self) {
             const auto shared = self.open();
             changing(*shared, [&] { shared->index.repair(); });
           })
      .def(
          "contains",
          [](const Handle& self, nb::handle id) {
            const auto shared = self.open();
            const auto number = static_cast<std::uint64_t>(integer_of(id, "id", 0));
            return reading(*shared, [&] { return shared->index.contains(number); });
          },
          nb::arg("id").none())
      .def(
          "row",
          [](const Handle& self, nb::handle id) {
            const auto shared = self.open();
            const auto number = static_cast<std::uint64_t>(integer_of(id, "id", 0));
            const std::vector<float> found =
                reading(*shared, [&] { return shared->index.row(number); });
            return array_of(std::span<const float>(found));
          },
          nb::arg("id").none())
      .def("search", search, nb::arg("queries").none(), nb::arg("top").none(), nb::arg("ef").none(),
           nb::arg("filter").none(), nb::arg("space").none())
      .def(
          "save",
          [](const Handle& self, nb::handle path) {
            const auto shared = self.open();
            const std::string file = path_of(path, "path");
            reading(*shared, [&] { shared->index.save(file); });
          },
          nb::arg("path").none())
      .def("to_bytes",
           [](const Handle& self) {
             const auto shared = self.open();
             return bytes_of(reading(*shared, [&] { return shared->index.to_bytes(); }));
           })
      .def(
          "export_hnswlib",
          [](const Handle& self, nb::handle path) {
            const auto shared = self.open();
            const std::string file = path_of(path, "path");
            reading(*shared, [&] { shared->index.export_hnswlib(file); });
          },
          nb::arg("path").none());
}

}  // namespace Kindred::Python
