// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_SEQUENCE_KATO_WORKLOADS_HPP
#define KINDRED_PERF_SEQUENCE_KATO_WORKLOADS_HPP

#include <kindred/core/common/Ragged.hpp>

#include "common/Data.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace Kindred::Perf {

/// \brief How one of KATO's own generators draws patterns: events of different symbols, sorted.
struct KatoGenerator {
  std::string name;          ///< `baseline`: the script it is taken from
  std::uint32_t vocabulary;  ///< strings and vectors
  std::uint32_t strings;     ///< the first ones: what the query of `baseline` is drawn from
  bool zipf;                 ///< symbols with weight (s + 1)^−0.8, else uniform
  std::size_t events_least, events_most;
  std::size_t symbols_least, symbols_most;  ///< of an event
};

/// `baseline` (benchmarks/baseline.py), `data` (data_generator) and `gpu` (the GPU tests').
const std::array<KatoGenerator, 3>& kato_generators();

/// \p count patterns; the first ones of a larger set are those of a smaller one.
SymbolRows kato_patterns(const KatoGenerator& generator, std::size_t count, std::uint64_t seed);

/// \brief A query as the script makes it: ten sorted symbols (`baseline`), or 30 – 70 % of the
/// symbols of a pattern's first events and up to three others.
Ragged<Symbol> kato_query(const KatoGenerator& generator, std::uint64_t seed);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_SEQUENCE_KATO_WORKLOADS_HPP
