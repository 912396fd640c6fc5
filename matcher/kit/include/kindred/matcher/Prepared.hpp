// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREPARED_HPP
#define KINDRED_MATCHER_PREPARED_HPP

#include <kindred/backends/Space.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>

#include <memory>

namespace KINDRED_PUBLIC Kindred {

namespace Impl {
class PreparedLaunches;
}

/// \brief A prepared call on memory of one space, validated and partitioned once: a run allocates,
/// copies and fences nothing. The functions that begin with `prepare_` make it. Not thread-safe.
///
/// The arrays of the call must outlive it, as must the context and the stream.
class Prepared {
 public:
  /// Launches the work. Does not fence on a device; on the host, the result is complete on return.
  /// \throws SpaceUnavailable in a forked process; Cancelled, of launches on a device only before
  /// they begin
  void run() const;
  /// Fences the instance. \throws SpaceUnavailable in a forked process
  void wait() const;
  /// Where it runs.
  Space space() const noexcept;

  explicit Prepared(std::unique_ptr<Impl::PreparedLaunches> launches) noexcept;

 private:
  Impl::OwnedState<Impl::PreparedLaunches> m_launches;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PREPARED_HPP
