// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_INSTRUCTION_SET_HPP
#define KINDRED_BACKENDS_INSTRUCTION_SET_HPP

#include <kindred/core/common/Public.hpp>

#include <string>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief The instructions that host kernels use in this process.
///
/// The libraries are compiled for a level of x86-64, or for one processor. Those for x86-64-v4 also
/// use additions of newer processors, after a check when the program starts.
struct InstructionSet {
  std::string level;                  ///< `x86-64`, … `x86-64-v4`, or another architecture
  std::vector<std::string> compiled;  ///< additions to it that this build requires
  std::vector<std::string> checked;   ///< additions that it uses because this processor has them
};

/// The instruction set of this process. Needs no `Context`.
InstructionSet instruction_set();

/// \brief Why the libraries cannot run on this processor; null if they can. Every `Context` checks
/// it. A program can do so before anything else: this function runs on any processor.
const char* why_processor_is_unusable() noexcept;

namespace KINDRED_HIDDEN Impl {

/// \brief Why a process cannot follow KINDRED_MAX_LEVEL; empty if it can. \param text its value, or
/// null \param compiled what the libraries are compiled for
std::string problem_of_max_level(const char* text, const InstructionSet& compiled);

}  // namespace Impl

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_INSTRUCTION_SET_HPP
