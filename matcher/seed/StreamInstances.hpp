// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_STREAM_INSTANCES_HPP
#define KINDRED_MATCHER_SEED_STREAM_INSTANCES_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <optional>

namespace Kindred::Impl {

/// \brief The instances of a layer on streams of callers, each with the workspace of its backward
/// passes: those of the streams that were used last, and of pinned ones.
///
/// An instance is fenced before it is dropped, so that \ref wait may forget its stream.
template <class ExecutionSpace>
class StreamInstances {
 public:
  using Workspace = Buffer<std::byte, typename ExecutionSpace::memory_space>;
  static constexpr std::size_t kept_max = 16;

  /// The instance on \p stream, or \p exec_space if there is none.
  ExecutionSpace on(const ExecutionSpace& exec_space, const std::optional<Stream>& stream) {
    return stream ? *found(exec_space, *stream).instance : exec_space;
  }
  /// The workspace of calls on \p stream, or on the instance of the context.
  Workspace& workspace(const ExecutionSpace& exec_space, const std::optional<Stream>& stream) {
    return stream ? found(exec_space, *stream).workspace : m_own_workspace;
  }
  /// Keeps the instance on \p stream while the returned object exists: later work on it is not
  /// launched by a call of the layer.
  std::shared_ptr<const void> pin(const ExecutionSpace& exec_space, const Stream& stream) {
    return found(exec_space, stream).pin;
  }
  /// Fences all instances that are kept.
  void wait() const {
    for (const Kept& kept : m_kept) Arch::fence(*kept.instance, "Kindred::SeedLayer::wait");
  }
  std::size_t size() const noexcept { return m_kept.size(); }

 private:
  struct Kept {
    Kept(const Stream& given, const ExecutionSpace& exec_space)
        : stream(given), instance(exec_space) {}

    Stream stream;
    KeptInstance<ExecutionSpace> instance;
    Workspace workspace = {};
    std::shared_ptr<const void> pin = std::make_shared<char>();
  };

  Kept& found(const ExecutionSpace& exec_space, const Stream& stream) {
    const auto at = std::find_if(m_kept.begin(), m_kept.end(),
                                 [&](const Kept& kept) { return kept.stream == stream; });
    if (at != m_kept.end()) {
      m_kept.splice(m_kept.begin(), m_kept, at);
      return m_kept.front();
    }
    m_kept.emplace_front(stream, instance_on(exec_space, stream));
    for (auto last = m_kept.end(); m_kept.size() > kept_max && last != std::next(m_kept.begin());) {
      --last;
      if (last->pin.use_count() > 1) continue;
      Arch::fence(*last->instance, "Kindred::SeedLayer::wait");
      last = m_kept.erase(last);
    }
    return m_kept.front();
  }

  std::list<Kept> m_kept;  ///< by their last use
  Workspace m_own_workspace;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_STREAM_INSTANCES_HPP
