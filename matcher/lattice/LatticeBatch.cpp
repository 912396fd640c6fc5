// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/LatticeBatch.hpp>

#include "OrderedResults.hpp"
#include "bulk/BulkCall.hpp"

#include <kindred/backends/impl/HostInstance.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace {

/// \brief The resources of a worker.
class Worker {
 public:
  /// \param alone whether this is the only worker; otherwise each one computes on its own thread
  Worker(Context& context, std::optional<Space> space, bool alone)
      : m_context(&context), m_space(space), m_bulk(std::make_unique<Bulk>(context)) {
    if (alone) return;
    if (!m_space) m_space = Space::serial;
    m_serial = std::make_unique<Impl::HostInstance>(1);
  }

  LatticeResult run(const LatticeTask& task) {
    std::optional<Impl::SerialHere> here;
    if (m_serial) here.emplace(m_serial->get());
    LatticeResult result;
    const auto start = std::chrono::steady_clock::now();
    try {
      std::visit([&](const auto& work) { result.answer = answer(task, work); }, task.work);
    } catch (...) {
      result.error = std::current_exception();
    }
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

 private:
  Lattice lattice_of(const LatticeTask& task) const {
    return {*m_context, task.dimensions, task.size, task.blocks};
  }
  LatticeStatistics answer(const LatticeTask& task, const AnalyzeLattice&) const {
    return lattice_of(task).statistics();
  }
  GraphStructure answer(const LatticeTask& task, const MeasureLattice&) const {
    return lattice_of(task).measure({m_space});
  }
  std::vector<std::uint64_t> answer(const LatticeTask& task, const FindLatticePath& work) const {
    return lattice_of(task).path(work.ends.from, work.ends.to, {m_space});
  }
  LatticeRows answer(const LatticeTask& task, const BuildLattice&) const {
    return lattice_of(task).rows({m_space});
  }
  LatticeStatistics answer(const LatticeTask& task, const SaveLattice& work) const {
    const Lattice lattice = lattice_of(task);
    lattice.save(work.path, {m_space});
    return lattice.statistics();
  }
  BulkReport answer(const LatticeTask&, const XorLatticeBytes& work) const {
    return m_bulk->xor_elements(work.array, work.key, work.result, {m_space});
  }
  BulkReport answer(const LatticeTask&, const MultiplyLatticeMatrices& work) const {
    return m_bulk->multiply(work.a, work.b, work.c, {m_space});
  }

  Context* m_context;
  std::optional<Space> m_space;
  std::unique_ptr<Bulk> m_bulk;
  std::unique_ptr<Impl::HostInstance> m_serial;
};

/// \throws InvalidArgument for products of other shapes or types than `Bulk::multiply` takes
void check_products(std::span<const LatticeTask> tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto* const work = std::get_if<MultiplyLatticeMatrices>(&tasks[i].work);
    if (work == nullptr) continue;
    const std::string task = "tasks[" + std::to_string(i) + "].";
    const std::string a = task + 'a';
    const std::string b = task + 'b';
    const std::string c = task + 'c';
    (void)Impl::checked({{work->a, a.c_str()}, {work->b, b.c_str()}, {work->c, c.c_str()}});
  }
}

}  // namespace

LatticeBatchReport run_lattices(Context& context, std::span<const LatticeTask> tasks,
                                const LatticeBatchOptions& options) try {
  constexpr int workers_max = 512;
  KINDRED_THROW_IF(options.workers < 0 || options.workers > workers_max,
                   "workers is " + std::to_string(options.workers) +
                       "; it must be 1 … 512, or 0 for the threads of the context");
  check_products(tasks);
  const auto requested =
      static_cast<std::size_t>(options.workers > 0 ? options.workers : context.threads());
  const std::size_t workers = std::min(requested, tasks.size());
  const auto make = [&] {
    return [worker = Worker(context, options.space, workers <= 1),
            tasks](std::size_t task) mutable { return worker.run(tasks[task]); };
  };
  LatticeBatchReport report;
  report.done = Impl::run_in_order<LatticeResult>(tasks.size(), workers, options.stop, make,
                                                  [&](std::size_t task, LatticeResult result) {
                                                    report.failed += result.error ? 1 : 0;
                                                    if (options.on_result)
                                                      options.on_result(task, std::move(result));
                                                  });
  report.cancelled = report.done < tasks.size();
  return report;
} catch (...) {
  Impl::rethrow_translated("Kindred::run_lattices");
}

}  // namespace Kindred
