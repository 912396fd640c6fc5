// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_PROVE_SPACE_HPP
#define KINDRED_BACKENDS_IMPL_PROVE_SPACE_HPP

#include <kindred/backends/Space.hpp>

#include <string>

namespace Kindred::Impl {

/// \brief Computes a small result on the space and device of \p info, which must otherwise be
/// usable, and checks it; on the host with one thread. For `openmp`, as many threads as
/// `info.concurrency` are started and ended too. Kokkos must be initialised. Fences its own
/// instance; takes microseconds.
///
/// Tests make it fail by `KINDRED_TEST_FAULT=SPACE:FAULT`, with a fault of `Arch::proof_fault`.
/// \return the reason why the space must not be used; empty if its result is right. Does not throw
/// if the device fails
std::string why_space_fails(const SpaceInfo& info);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_PROVE_SPACE_HPP
