// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_STATE_FIELDS_HPP
#define KINDRED_MATCHER_SEED_STATE_FIELDS_HPP

#include <kindred/matcher/SeedState.hpp>

#include <type_traits>

namespace Kindred::Impl {

/// Calls `f(name, array, field)` for every array of a `SeedState`, with its name in files and the
/// field of \p view that kernels take for it.
template <class State, class View, class F>
void for_each_array(State& state, View& view, const F& f) {
  f("lifecycle", state.lifecycle, view.lifecycle);
  f("blueprint", state.blueprint, view.blueprint);
  f("epochs", state.epochs, view.epochs);
  f("mode", state.mode, view.mode);
  f("schedule", state.schedule, view.schedule);
  f("alpha", state.alpha, view.alpha);
  f("parent", state.parent, view.parent);
  f("checkpoint", state.checkpoint, view.checkpoint);
  f("evaluation", state.evaluation, view.evaluation);
  f("errors", state.errors, view.errors);
  f("history_from", state.history_from, view.from);
  f("history_to", state.history_to, view.to);
  f("history_next", state.history_next, view.cursor);
  f("history_count", state.history_count, view.transitions);
}
/// For readers of files, which have no kernels.
struct NoFields {
  struct {
  } lifecycle, blueprint, epochs, mode, schedule, alpha, parent, checkpoint, evaluation, errors,
      from, to, cursor, transitions;
};
/// The same without fields: calls `f(name, array)`.
template <class State, class F>
void for_each_array(State& state, const F& f) {
  const NoFields none{};
  for_each_array(state, none, [&](const char* name, auto& array, const auto&) { f(name, array); });
}

/// The type of an element in kernels and in files: codes are signed bytes.
template <class T>
using StateElement = typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>,
                                                 std::type_identity<T>>::type;

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_STATE_FIELDS_HPP
