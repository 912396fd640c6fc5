// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_MAX_LEVEL_HPP
#define KINDRED_BACKENDS_IMPL_MAX_LEVEL_HPP

#include <kindred/backends/InstructionSet.hpp>

#include <string>

namespace Kindred::Impl {

/// \brief Why a process cannot follow KINDRED_MAX_LEVEL; empty if it can. \param text its value, or
/// null \param compiled what the libraries are compiled for
std::string problem_of_max_level(const char* text, const InstructionSet& compiled);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_MAX_LEVEL_HPP
