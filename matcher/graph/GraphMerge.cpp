// SPDX-License-Identifier: Apache-2.0
#include "GraphStore.hpp"

#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/backends/impl/StartThreads.hpp>
#include <kindred/core/arch/Process.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace Kindred::Impl {

namespace {

/// The number of rebuilt rows and edges.
double changed_size(const GraphSnapshot& graph) {
  const auto size = [](const DeltaRows<Kokkos::HostSpace>& delta) {
    return static_cast<double>(delta.rows.sources.size() + delta.rows.row_nodes.size());
  };
  return std::max(size(graph.delta()->in), size(graph.delta()->out));
}

}  // namespace

/// After a failed merge, not before twice as much has changed.
bool GraphStore::is_due(const GraphSnapshot& graph) const {
  const double size = changed_size(graph);
  const auto whole = static_cast<double>(graph.base()->edges() + graph.base()->nodes());
  return size > 0 && size > m_options.merge_share * whole && size >= 2 * m_failed;
}

void GraphStore::merge_if_due(EngineLock<TimedMutex>& updates) {
  if (!is_due(*snapshot())) return;
  if (!m_options.background_merge) {
    updates.unlock();
    return merge_quietly();
  }
  if (m_merges_beside) return;  // the thread looks again after its merge
  try {
    if (m_thread.joinable()) m_thread.join();  // it ends
    m_thread = start_thread("the thread that merges", [this] { merge_while_due(); });
    m_merges_beside = true;
  } catch (const std::exception& error) {
    log(LogLevel::warning, "the rows were not merged: ", error);
  }
}

void GraphStore::merge_while_due() {
  for (bool goes_on = true; goes_on;) {
    merge_quietly();
    const std::lock_guard lock(m_updates);
    goes_on = m_merges_beside = !m_stop && is_due(*snapshot());
  }
}

void GraphStore::merge_quietly() noexcept {
  try {
    merge();
  } catch (const std::exception& error) {
    log(LogLevel::info, "the rebuilt rows are not merged yet: ", error);
  } catch (...) {
    return;  // of a callback
  }
}

void GraphStore::log(LogLevel level, const char* what, const std::exception& error) const noexcept {
  try {
    m_context->log(level, std::string(what) + error.what());
  } catch (const std::exception&) {
    return;  // the logged change or merge is not affected
  }
}

void GraphStore::merge() {
  Arch::require_usable_process();
  const CallbackDelay callbacks_wait;  // until the merge has ended: they may merge, too
  std::unique_lock lock(m_updates);
  for (const CancelPoint point; m_merging;) {
    // ThreadSanitizer of GCC 12 knows only waits for the system clock.
    m_merged.wait_until(lock, std::chrono::system_clock::now() + cancel_interval);
    if (!point.is_needed()) continue;
    lock.unlock();  // the check may take as long as it likes
    point.check();
    lock.lock();
  }
  const auto from = snapshot();
  if (from->nodes() == from->base()->nodes() && from->delta()->bytes() == 0) return;
  MemoryResource& memory = m_context->memory(Space::serial);
  m_recorded = {};
  m_merging = true;
  lock.unlock();
  const auto end = [&](double failed) {
    m_merging = false;
    m_failed = failed;
    m_merged.notify_all();
  };
  try {
    BothRows<Kokkos::HostSpace> rows;
    const GraphView<Kokkos::HostSpace>& view = from->host();
    rows.in = joined_rows(memory, view.in, from->form());
    rows.out = joined_rows(memory, view.out, from->form());
    const auto base = std::make_shared<const BuiltGraph>(*m_context, std::move(rows), from->form(),
                                                         m_options.residency, nullptr);
    if (!base->resident().contains(Space::cuda) && from->resident().contains(Space::cuda)) {
      throw OutOfMemory("cuda", base->host().bytes(), "Kindred::SpreadingEngine::merge",
                        "the graphs before and after the merge do not fit into memory together");
    }
    const std::lock_guard publishing(m_updates);
    const auto now = snapshot();
    const GraphView<Kokkos::HostSpace>& now_view = now->host();
    const auto delta = std::make_shared<HostDelta>();
    delta->in = delta_rows(memory, rows_of(now_view.in, m_recorded.in, now->form()), base->nodes());
    delta->out =
        delta_rows(memory, rows_of(now_view.out, m_recorded.out, now->form()), base->nodes());
    m_snapshot.set(std::make_shared<GraphSnapshot>(
        *m_context, base, delta, now->table(), now->nodes(), now->edges(), now->outside_unit()));
    ++m_merges;
    end(0);
  } catch (...) {
    const std::lock_guard failing(m_updates);
    end(changed_size(*snapshot()));
    throw;
  }
}

}  // namespace Kindred::Impl
