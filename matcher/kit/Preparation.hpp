// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_PREPARATION_HPP
#define KINDRED_MATCHER_KIT_PREPARATION_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Stream.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace Kindred::Impl {

/// \brief Launches that were prepared on a space, and the instance on which they run: on a device,
/// the one on which they were prepared. On the host, each run takes one, so that runs on different
/// threads do not wait for each other. \see HostLease
/// \tparam Base declares `run` and `wait`
/// \tparam Launches has `run(exec_space)`, and `wait_label`, the name of the fence of `wait`
template <class Base, class ExecutionSpace, class Launches>
class PreparedOn final : public Base {
 public:
  /// \param arguments of \p Launches after \p exec_space
  template <class... Arguments>
  PreparedOn(const Context& context, Space space, const ExecutionSpace& exec_space,
             Arguments&&... arguments)
      : m_context(context),
        m_space(space),
        m_exec_space(exec_space),
        m_launches(exec_space, std::forward<Arguments>(arguments)...) {}

  void run() override {
    on_instance([&](const ExecutionSpace& exec_space) { m_launches.run(exec_space); });
  }
  void wait() const override {
    on_instance(
        [](const ExecutionSpace& exec_space) { Arch::fence(exec_space, Launches::wait_label); });
  }

 private:
  template <class Body>
  void on_instance(const Body& body) const {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      const Arch::DeviceUse use;
      body(m_exec_space);
    } else {
      body(HostLease(m_context, m_space).get());
    }
  }

  const Context& m_context;
  Space m_space;
  ExecutionSpace m_exec_space;
  Launches m_launches;
};

/// \brief A usable space on which launches are prepared. While this exists, its device is the
/// current one, as checks of memory require.
class Preparation {
 public:
  /// \param stream on which the launches run; none: the stream of \p context
  /// \throws SpaceUnavailable
  Preparation(Context& context, Space space, const std::optional<Stream>& stream)
      : m_context(context),
        m_stream(stream),
        m_space(usable(context, space)),
        m_current(context, space) {}

  Space space() const noexcept { return m_space; }
  /// Prepares \p Launches, constructed from an instance, a memory resource and \p arguments.
  template <class Base, template <class> class Launches, class... Arguments>
  std::unique_ptr<Base> launches(Arguments&&... arguments) const {
    return with_instance(
        m_context, m_space,
        [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) -> std::unique_ptr<Base> {
          using prepared_type = PreparedOn<Base, ExecutionSpace, Launches<ExecutionSpace>>;
          return std::make_unique<prepared_type>(
              m_context, m_space, instance_on(exec_space, m_stream), m_context.memory(m_space),
              std::forward<Arguments>(arguments)...);
        });
  }

 private:
  static Space usable(const Context& context, Space space) {
    if (!context.is_usable(space)) throw SpaceUnavailable(context.info(space).why_not);
    return space;
  }

  Context& m_context;
  const std::optional<Stream>& m_stream;
  Space m_space;
  CurrentDeviceOf m_current;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_PREPARATION_HPP
