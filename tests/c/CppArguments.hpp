// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_CPP_ARGUMENTS_HPP
#define KINDRED_TESTS_C_CPP_ARGUMENTS_HPP

#include <Arguments.hpp>
#include <Bulk.hpp>
#include <Context.hpp>
#include <Graph.hpp>
#include <Lattice.hpp>
#include <Layers.hpp>
#include <Patterns.hpp>
#include <Predictions.hpp>
#include <Rows.hpp>
#include <Seeds.hpp>
#include <Sequences.hpp>
#include <Vector.hpp>

#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/RankFusion.hpp>
#include <kindred/matcher/SeedFunctions.hpp>

/// What calls in C++ get where those in C get options and tensors. Test_OptionsOfC.cpp tests that
/// every member of the options arrives.
namespace Kindred::C {

inline SeedMetrics seed_metrics(const kindred_seed_metrics* given) {
  return seed_metrics(given, "metrics");
}
// Those that no header declares: they are for generated sources only.
#define KINDRED_OPTION(Struct, Cpp, function, name, set, member, wanted)
#define KINDRED_OPTIONS(Struct, Cpp, function) Cpp function(const Struct* given);
#include <Options.inc>
#undef KINDRED_OPTIONS

}  // namespace Kindred::C

namespace Kindred::Testing {

using C::MemoryOptions;
using C::Spreading;
#define KINDRED_OPTIONS(Struct, Cpp, function)                        \
  inline Cpp cpp_of(const Struct& given) {                            \
    return static_cast<Cpp (*)(const Struct*)>(&C::function)(&given); \
  }
#include <Options.inc>
#undef KINDRED_OPTION
#undef KINDRED_OPTIONS

inline Array array_of(const DLTensor* tensor) { return C::output_array_of(tensor, "array"); }

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_CPP_ARGUMENTS_HPP
