// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_CONTEXT_JSON_HPP
#define KINDRED_BACKENDS_CONTEXT_JSON_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Public.hpp>

#include <span>
#include <string>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief A context, its spaces and what its dispatcher knows of operations, as one line of JSON:
///
/// - `threads`, of the space `openmp`
/// - `library`, unless it is empty: its `name`, and `why` it was chosen
/// - `profile`: its `path`, whether the dispatcher is `calibrated`, and the `calibration`, of which
///   the text is that of `Dispatcher::profile_json`
/// - `dispatcher`: `decisions`, the seconds `taken` by their calls, and those `lost`
///   (\ref Dispatcher::Regret)
/// - `spaces`: for each of `all_spaces` what `SpaceInfo` has, the `threads` that a call may use,
///   and the sizes of `teams`
/// - `operations`: for each of \p operations its `batch_bytes`, and its `spaces`: for each usable
///   one whether the circuit breaker is open (`breaker_open`), and the `crossover`, null if there
///   is none (\ref Dispatcher)
/// \param operations for example `engine_operations()`
/// \param library name of the build of the library that serves the context
/// \param why it was chosen
std::string to_json(const Context& context, std::span<const Operation> operations,
                    std::string_view library = {}, std::string_view why = {});

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_CONTEXT_JSON_HPP
