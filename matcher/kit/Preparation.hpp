// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_PREPARATION_HPP
#define KINDRED_MATCHER_KIT_PREPARATION_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/matcher/Prepared.hpp>

#include <memory>
#include <optional>

namespace Kindred::Impl {

/// What a `Prepared` launches.
class PreparedLaunches {
 public:
  PreparedLaunches() = default;
  PreparedLaunches(const PreparedLaunches&) = delete;
  PreparedLaunches& operator=(const PreparedLaunches&) = delete;
  virtual ~PreparedLaunches() = default;
  virtual void run() = 0;
  virtual void wait() const = 0;
  virtual Space space() const noexcept = 0;
};

/// \brief Launches that were prepared on a space, and the instance on which they run: on a device,
/// the one on which they were prepared. On the host, each run takes one, so that runs on different
/// threads do not wait for each other. \see HostLease
/// \tparam Launches has `run(exec_space)`
template <class ExecutionSpace, class Launches>
class PreparedOn final : public PreparedLaunches {
 public:
  /// \param make `make(exec_space)` returns the launches
  template <class Make>
  PreparedOn(const Context& context, Space space, const ExecutionSpace& exec_space,
             const Make& make)
      : m_context(context),
        m_space(space),
        m_exec_space(exec_space),
        m_launches(make(exec_space)) {}

  void run() override {
    on_instance([&](const ExecutionSpace& exec_space) { m_launches.run(exec_space); });
  }
  void wait() const override {
    on_instance([](const ExecutionSpace& exec_space) {
      Arch::fence(exec_space, "Kindred::Prepared::wait");
    });
  }
  Space space() const noexcept override { return m_space; }

 private:
  template <class Body>
  void on_instance(const Body& body) const {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      const CurrentDeviceOf current(m_context, m_space);
      body(*m_exec_space);
    } else {
      body(HostLease(m_context, m_space).get());
    }
  }

  const Context& m_context;
  Space m_space;
  KeptInstance<ExecutionSpace> m_exec_space;
  Launches m_launches;
};

/// \brief Prepares what `make(exec_space)` returns for \p space. Meanwhile its device is the
/// current one, as checks of memory require. \param stream on which the launches run; none: the
/// stream of \p context \throws SpaceUnavailable
template <class Make>
Prepared prepare_on(const Context& context, Space space, const std::optional<Stream>& stream,
                    const Make& make) {
  if (!context.is_usable(space)) throw SpaceUnavailable(context.info(space).why_not);
  return with_instance(context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    using prepared_type = PreparedOn<ExecutionSpace, decltype(make(exec_space))>;
    return Prepared(
        std::make_unique<prepared_type>(context, space, instance_on(exec_space, stream), make));
  });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_PREPARATION_HPP
