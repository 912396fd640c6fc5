// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_BULK_ARGUMENTS_HPP
#define KINDRED_PYTHON_BULK_ARGUMENTS_HPP

#include <kindred/core/bulk/ArithmeticKinds.hpp>

#include "Options.hpp"

#include <array>

// Names of operations on whole arrays.
namespace Kindred::Python::Bulks {

inline constexpr std::array<Choice<ElementWise>, 5> operations{{{"add", ElementWise::add},
                                                                {"multiply", ElementWise::multiply},
                                                                {"square", ElementWise::square},
                                                                {"sqrt", ElementWise::square_root},
                                                                {"exp", ElementWise::exponential}}};
inline constexpr std::array<Choice<Reduction>, 5> reductions{{{"sum", Reduction::sum},
                                                              {"min", Reduction::min},
                                                              {"max", Reduction::max},
                                                              {"mean", Reduction::mean},
                                                              {"deviation", Reduction::deviation}}};

}  // namespace Kindred::Python::Bulks

#endif  // KINDRED_PYTHON_BULK_ARGUMENTS_HPP
