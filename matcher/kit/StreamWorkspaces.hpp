// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_STREAM_WORKSPACES_HPP
#define KINDRED_MATCHER_KIT_STREAM_WORKSPACES_HPP

#include <kindred/core/common/Stream.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief One workspace per stream of callers, for up to 64 streams: calls on different streams may
/// run at the same time, so they must not share one. A further stream replaces the workspace
/// that was not used for longest. Not thread-safe.
/// \tparam Workspace its destructor waits for the launches that use it
template <class Workspace>
class StreamWorkspaces {
 public:
  /// The workspace of \p stream; a new one is made of \p arguments.
  template <class... Arguments>
  Workspace& of(const Stream& stream, Arguments&&... arguments) {
    const auto found = std::find_if(m_all.begin(), m_all.end(),
                                    [&](const auto& entry) { return entry.first == stream; });
    if (found != m_all.end()) {
      std::rotate(found, found + 1, m_all.end());
      return *m_all.back().second;
    }
    constexpr std::size_t streams_max = 64;
    if (m_all.size() == streams_max) m_all.erase(m_all.begin());
    m_all.emplace_back(stream, std::make_unique<Workspace>(std::forward<Arguments>(arguments)...));
    return *m_all.back().second;
  }

 private:
  std::vector<std::pair<Stream, std::unique_ptr<Workspace>>> m_all;  ///< the last used one last
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_STREAM_WORKSPACES_HPP
