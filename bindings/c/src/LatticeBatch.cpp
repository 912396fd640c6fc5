// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/LatticeBatch.hpp>

#include "Bulk.hpp"
#include "Lattice.hpp"

#include <deque>
#include <memory>

namespace Kindred::C {

namespace {

enum class LatticeWork { analyze, measure, find_path, build, save, xor_bytes, multiply };

/// An array of one product or transformation. \throws InvalidArgument on a device
template <class Void>
BasicArray<Void> in_host_memory(const BasicArray<Void>& array, const std::string& name) {
  KINDRED_C_REFUSE_IF(array.on_device(), name + " is " + to_string(ConstArray(array)) +
                                             "; the arrays of a task must be in host memory");
  return array;
}

/// The tasks of a batch, and what they refer to.
class LatticeTasks {
 public:
  LatticeTasks(const kindred_lattice_task* const* tasks, std::size_t count) {
    for (const kindred_lattice_task* task : span_of(tasks, count, "tasks")) add(task);
  }

  std::span<const LatticeTask> tasks() const { return m_tasks; }
  std::int32_t work(std::size_t task) const { return m_work[task]; }

 private:
  void add(const kindred_lattice_task* task) {
    const std::string name = "tasks[" + std::to_string(m_tasks.size()) + "]";
    require(task, name.c_str());
    const kindred_lattice_task given =
        options_of(task, kindred_lattice_task KINDRED_LATTICE_TASK_INIT, name.c_str());
    check_reserved(given.reserved, name.c_str());
    LatticeTask out;
    out.dimensions = given.dimensions;
    out.size = given.size;
    switch (enum_of<LatticeWork>(given.work, 7, (name + ".work").c_str())) {
      case LatticeWork::analyze:
        out.work = AnalyzeLattice();
        break;
      case LatticeWork::measure:
        out.work = MeasureLattice();
        break;
      case LatticeWork::find_path:
        out.work = FindLatticePath{{given.ends.from, given.ends.to}};
        out.blocks.nodes =
            span_of(given.blocked_nodes, given.node_count, (name + ".blocked_nodes").c_str());
        m_edges.push_back(
            pairs_of(given.blocked_edges, given.edge_count, (name + ".blocked_edges").c_str()));
        out.blocks.edges = m_edges.back();
        break;
      case LatticeWork::build:
        out.work = BuildLattice();
        break;
      case LatticeWork::save:
        KINDRED_C_REFUSE_IF(given.path == nullptr || *given.path == '\0',
                            name + ".path is not given");
        out.work = SaveLattice{given.path};
        break;
      case LatticeWork::xor_bytes:
      case LatticeWork::multiply:
        add_arrays(given, name, out);
        break;
    }
    m_tasks.push_back(std::move(out));
    m_work.push_back(given.work);
  }

  static void add_arrays(const kindred_lattice_task& given, const std::string& name,
                         LatticeTask& out) {
    const auto operand = [&](const DLTensor* tensor, const std::string& of) {
      return in_host_memory(array_of(tensor, of.c_str()), of);
    };
    const ConstArray a = operand(given.a, name + ".a");
    const ConstArray b = operand(given.b, name + ".b");
    const std::string result = name + ".c";
    const Array c = in_host_memory(output_array_of(given.c, result.c_str()), result);
    if (given.work == KINDRED_LATTICE_XOR_BYTES) {
      out.work = XorLatticeBytes{a.host_values<std::uint8_t>(), b.host_values<std::uint8_t>(),
                                 c.host_values<std::uint8_t>()};
    } else {
      out.work = MultiplyLatticeMatrices{a, b, c};
    }
  }

  std::vector<LatticeTask> m_tasks;
  std::vector<std::int32_t> m_work;
  std::deque<std::vector<LatticePair>> m_edges;
};

/// The result of a task for the callback, which receives pointers into it.
class TaskResult {
 public:
  TaskResult(LatticeResult result, std::int32_t work) {
    m_result.work = work;
    m_result.seconds = result.seconds;
    m_result.error = "";
    if (result.error) {
      m_result.status = guarded([&] { std::rethrow_exception(result.error); });
      m_error = C::kindred_last_error();
      m_result.error = m_error.c_str();
      return;
    }
    std::visit([this](const auto& answer) { set(answer); }, result.answer);
  }
  TaskResult(const TaskResult&) = delete;
  TaskResult& operator=(const TaskResult&) = delete;
  ~TaskResult() { destroy_handle(m_nodes, "nodes"); }

  const kindred_lattice_result* get() const { return &m_result; }

 private:
  void set(const std::monostate&) {}
  void set(const LatticeMetrics& answer) {
    m_metrics = metrics_of(answer);
    m_result.metrics = &m_metrics;
  }
  void set(const GraphStructure& answer) {
    m_structure = structure_of(answer);
    m_result.structure = &m_structure;
  }
  void set(const std::vector<std::uint64_t>& answer) {
    set_nodes(rows_of_nodes({0, answer.size()}, answer));
  }
  void set(const LatticeRows& answer) {
    Results rows = rows_of_nodes(answer.offsets, answer.ends);
    rows.record = record_of(answer.record);
    set_record(rows.record);
    set_nodes(std::move(rows));
  }
  void set(const BulkReport& answer) {
    m_report = bulk_report_of(answer);
    m_result.report = &m_report;
    set_record(record_of(answer.record));
  }
  void set_nodes(Results rows) {
    m_nodes = make_handle_of<kindred_results>(std::move(rows));
    m_result.nodes = m_nodes;
  }
  void set_record(const kindred_record& record) {
    m_record = record;
    m_result.record = &m_record;
  }

  kindred_lattice_result m_result{sizeof(kindred_lattice_result),
                                  KINDRED_OK,
                                  0,
                                  0,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr};
  std::string m_error;
  kindred_lattice_metrics m_metrics{};
  kindred_graph_structure m_structure{};
  kindred_bulk_report m_report{};
  kindred_record m_record{};
  kindred_results* m_nodes = nullptr;
};

}  // namespace

kindred_status kindred_run_lattices(kindred_context* context,
                                    const kindred_lattice_task* const* tasks, std::size_t count,
                                    const kindred_lattice_batch_options* options,
                                    kindred_lattice_callback on_result, void* user,
                                    std::uint64_t* failed) noexcept {
  return guarded([&] {
    const SharedContext object = context_of(context);
    const kindred_lattice_batch_options given = options_of(
        options, kindred_lattice_batch_options KINDRED_LATTICE_BATCH_OPTIONS_INIT, "options");
    LatticeBatchOptions batch;
    batch.workers = given.workers;
    batch.space = space_option(given.space);
    const LatticeTasks list(tasks, count);
    if (on_result != nullptr)
      batch.on_result = [&](std::size_t task, LatticeResult result) {
        const TaskResult answer(std::move(result), list.work(task));
        cancel_if(on_result(user, task, answer.get()), "on_result");
      };
    const LatticeBatchReport report = run_lattices(*object, list.tasks(), batch);
    write_optional(failed, std::uint64_t{report.failed});
  });
}

}  // namespace Kindred::C
