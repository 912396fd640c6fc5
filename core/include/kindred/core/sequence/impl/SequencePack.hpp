// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_PACK_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_PACK_HPP

#include <kindred/core/sequence/impl/SequencePack_Cuda.hpp>
#include <kindred/core/sequence/impl/SequencePack_Host.hpp>

namespace Kindred::Impl {

/// \brief The patterns that one work item of a sequence kernel advances together.
///
/// On the host a thread carries two tiles (64 patterns) and 128 rows at a time; on a device a lane
/// carries one pattern of its warp's tile, eight rows at a time.
template <class ExecutionSpace>
class SequencePack;

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_PACK_HPP
