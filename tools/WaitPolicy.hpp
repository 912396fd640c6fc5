// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_WAIT_POLICY_HPP
#define KINDRED_TOOLS_WAIT_POLICY_HPP

namespace Kindred::Tools {

/// \brief Makes idle threads of the OpenMP runtime sleep after a few tens of microseconds, unless
/// the environment already says how they wait.
///
/// By default they spin for milliseconds, and whenever another process needs one of the processors
/// every parallel region then waits for a thread that does not run. The runtime reads its settings
/// when it is loaded, so this executes the program again, in the same process, with the variables
/// set. Returns where there is nothing to set, or where the program cannot be executed again.
/// \param argv of `main`
void wait_passively(char** argv) noexcept;

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_WAIT_POLICY_HPP
