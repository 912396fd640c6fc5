// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/LatticeBatch.hpp>

#include "Bulk.hpp"
#include "Lattice.hpp"

#include <memory>

namespace Kindred::C {

namespace {

LatticeTask task_of(const kindred_lattice_task* task, const std::string& name) {
  require(task, name.c_str());
  const kindred_lattice_task given =
      options_of(task, kindred_lattice_task KINDRED_LATTICE_TASK_INIT, name.c_str());
  check_reserved(given.reserved, name.c_str());
  const auto in_host_memory = [](const auto& array, const std::string& of) {
    KINDRED_C_REFUSE_IF(array.on_device(), of + " is " + to_string(ConstArray(array)) +
                                               "; the arrays of a task must be in host memory");
    return array;
  };
  const auto operand = [&](const DLTensor* tensor, const std::string& of) {
    return in_host_memory(array_of(tensor, of.c_str()), of);
  };
  const auto result = [&] {
    const std::string of = name + ".c";
    return in_host_memory(output_array_of(given.c, of.c_str()), of);
  };
  LatticeTask out{given.dimensions, given.size, {}, {}};
  switch (given.work) {
    case KINDRED_LATTICE_ANALYZE:
      out.work = AnalyzeLattice();
      break;
    case KINDRED_LATTICE_MEASURE:
      out.work = MeasureLattice();
      break;
    case KINDRED_LATTICE_FIND_PATH:
      out.work = FindLatticePath{{given.ends.from, given.ends.to}};
      out.blocks = {
          span_of(given.blocked_nodes, given.node_count, (name + ".blocked_nodes").c_str()),
          pairs_of(given.blocked_edges, given.edge_count, (name + ".blocked_edges").c_str())};
      break;
    case KINDRED_LATTICE_BUILD:
      out.work = BuildLattice();
      break;
    case KINDRED_LATTICE_SAVE:
      KINDRED_C_REFUSE_IF(given.path == nullptr || *given.path == '\0',
                          name + ".path is not given");
      out.work = SaveLattice{given.path};
      break;
    case KINDRED_LATTICE_XOR_BYTES:
      out.work = XorLatticeBytes{operand(given.a, name + ".a").host_values<std::uint8_t>(),
                                 operand(given.b, name + ".b").host_values<std::uint8_t>(),
                                 result().host_values<std::uint8_t>()};
      break;
    case KINDRED_LATTICE_MULTIPLY:
      out.work = MultiplyLatticeMatrices{operand(given.a, name + ".a"),
                                         operand(given.b, name + ".b"), result()};
      break;
    default:
      enum_of<std::int32_t>(given.work, 7, (name + ".work").c_str());
  }
  return out;
}

/// Calls a callback with a result, which refers to variables here.
int called(kindred_lattice_callback on_result, void* user, std::size_t task, std::size_t work,
           const LatticeResult& result) {
  kindred_lattice_result out = KINDRED_LATTICE_RESULT_INIT;
  out.work = static_cast<std::int32_t>(work);
  out.seconds = result.seconds;
  std::string error;
  if (result.error) {
    out.status = guarded([&] { std::rethrow_exception(result.error); });
    error = C::kindred_last_error();
  }
  out.error = error.c_str();
  kindred_lattice_statistics statistics;
  kindred_graph_structure structure;
  kindred_bulk_report report;
  kindred_record record;
  Results nodes;
  if (const auto* const found = std::get_if<LatticeStatistics>(&result.answer)) {
    statistics = lattice_statistics(*found);
    out.statistics = &statistics;
  } else if (const auto* const found = std::get_if<GraphStructure>(&result.answer)) {
    structure = graph_structure(*found);
    out.structure = &structure;
  } else if (const auto* const found = std::get_if<BulkReport>(&result.answer)) {
    report = bulk_report_of(*found);
    out.report = &report;
    record = record_of(found->record);
    out.record = &record;
  } else if (const auto* const found = std::get_if<LatticeRows>(&result.answer)) {
    nodes = results_of(*found);
    record = nodes.record;
    out.record = &record;
  } else if (const auto* const found = std::get_if<std::vector<std::uint64_t>>(&result.answer)) {
    nodes = results_of(Ragged<std::uint64_t>{{0, found->size()}, *found});
  }
  std::unique_ptr<kindred_results, decltype(&kindred_destroy)> handle(nullptr, &kindred_destroy);
  if (nodes.offsets.size() > 1) {
    handle.reset(make_handle_of<kindred_results>(std::move(nodes)));
    out.nodes = handle.get();
  }
  return on_result(user, task, &out);
}

}  // namespace

kindred_status kindred_run_lattices(kindred_context* context,
                                    const kindred_lattice_task* const* tasks, std::size_t count,
                                    const kindred_lattice_batch_options* options,
                                    kindred_lattice_callback on_result, void* user,
                                    std::uint64_t* failed) noexcept {
  return guarded([&] {
    const SharedContext object = context_of(context);
    LatticeBatchOptions batch = lattice_batch_options(options);
    std::vector<LatticeTask> list;
    for (const kindred_lattice_task* task : span_of(tasks, count, "tasks"))
      list.push_back(task_of(task, "tasks[" + std::to_string(list.size()) + "]"));
    if (on_result != nullptr)
      batch.on_result = [&](std::size_t task, const LatticeResult& result) {
        cancel_if(called(on_result, user, task, list[task].work.index(), result), "on_result");
      };
    const LatticeBatchReport report = run_lattices(*object, list, batch);
    write_optional(failed, std::uint64_t{report.failed});
  });
}

}  // namespace Kindred::C
