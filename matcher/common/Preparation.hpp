// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_COMMON_PREPARATION_HPP
#define KINDRED_MATCHER_COMMON_PREPARATION_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Stream.hpp>

#include <optional>

namespace Kindred::Impl {

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
  /// `make(exec_space, memory)`
  template <class Make>
  decltype(auto) operator()(const Make& make) const {
    return with_instance(m_context, m_space, [&](const auto& exec_space) -> decltype(auto) {
      return make(instance_on(exec_space, m_stream), m_context.memory(m_space));
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

#endif  // KINDRED_MATCHER_COMMON_PREPARATION_HPP
