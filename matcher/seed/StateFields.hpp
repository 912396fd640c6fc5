// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_STATE_FIELDS_HPP
#define KINDRED_MATCHER_SEED_STATE_FIELDS_HPP

#include <kindred/matcher/SeedState.hpp>

#include <type_traits>

namespace Kindred::Impl {

/// Calls `f(name, array)` for every array of a `SeedState`; the names are those in files.
template <class State, class F>
void for_each_array(State& state, const F& f) {
  f("lifecycle", state.lifecycle);
  f("blueprint", state.blueprint);
  f("epochs", state.epochs);
  f("mode", state.mode);
  f("schedule", state.schedule);
  f("alpha", state.alpha);
  f("parent", state.parent);
  f("checkpoint", state.checkpoint);
  f("evaluation", state.evaluation);
  f("errors", state.errors);
  f("history_from", state.history_from);
  f("history_to", state.history_to);
  f("history_next", state.history_next);
  f("history_count", state.history_count);
}

/// The type of an element in kernels and in files: codes are signed bytes.
template <class T>
using StateElement = typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>,
                                                 std::type_identity<T>>::type;

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_STATE_FIELDS_HPP
