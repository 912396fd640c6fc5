// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_HANDLE_HPP
#define KINDRED_C_HANDLE_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Cancellation.hpp>

#include <kindred.h>

#include "Errors.hpp"
#include "FunctionTable.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace Kindred::C {

/// What a handle stands for.
enum class Kind : std::uint32_t {
  destroyed,
  context,
  string,
  strings,
  vocabulary,
  query,
  matcher,
  memory,
  pattern,
  predictions,
  predictor,
  index,
  scorer,
  hnsw,
  graph,
  results,
  clusters,
  keyed_index,
  lattice,
  seeds,
  blueprints,
  schedule,
  seed_sequence,
  prepared,
  cancellation
};

/// \brief What a handle points to. Slots are reused, but their memory is never returned, so that a
/// handle that was destroyed can be recognised. All libraries of a process share this layout.
struct Slot {
  const Functions* functions =
      nullptr;  ///< of the implementation that owns the slot; never changes
  std::atomic<Kind> kind{Kind::destroyed};
  void* object = nullptr;
};

/// A slot for \p object. \throws std::bad_alloc
Slot* take_slot(Kind kind, void* object);
/// Makes the slot of a destroyed object available, after those that were destroyed before.
void release_slot(Slot* slot) noexcept;
/// \throws InvalidArgument if \p slot is null or not of \p kind. \param name of the parameter
void check_slot(const Slot* slot, Kind kind, const char* name);

/// \brief Called before a context is created. A process that is forked afterwards has neither the
/// threads nor the devices: there, contexts and what is created from them are refused.
/// \throws SpaceUnavailable in such a process
void check_fork_before_context();

/// Everything that is created from a context keeps it alive.
using SharedContext = std::shared_ptr<Context>;

/// An engine and its context, which is destroyed after it.
template <class T>
struct WithContext {
  SharedContext context;
  T engine;
};

/// The kind of a handle and the class of its object.
template <class Handle>
struct HandleTraits;
#define KINDRED_C_HANDLE(name, type)         \
  template <>                                \
  struct HandleTraits<kindred_##name> {      \
    static constexpr Kind kind = Kind::name; \
    using object_type = type;                \
  }

/// \throws InvalidArgument for a handle of another kind. \param name of the parameter
template <class Handle>
typename HandleTraits<Handle>::object_type& object_of(const Handle* handle, const char* name) {
  const auto* slot = reinterpret_cast<const Slot*>(handle);
  check_slot(slot, HandleTraits<Handle>::kind, name);
  return *static_cast<typename HandleTraits<Handle>::object_type*>(slot->object);
}

/// A handle of \p object.
template <class Handle>
Handle* make_handle(std::unique_ptr<typename HandleTraits<Handle>::object_type> object) {
  Slot* const slot = take_slot(HandleTraits<Handle>::kind, object.get());
  object.release();
  return reinterpret_cast<Handle*>(slot);
}
template <class Handle, class... Arguments>
Handle* make_handle_of(Arguments&&... arguments) {
  return make_handle<Handle>(std::unique_ptr<typename HandleTraits<Handle>::object_type>(
      new typename HandleTraits<Handle>::object_type{std::forward<Arguments>(arguments)...}));
}

/// A handle of an engine, with its context.
template <class Handle, class Engine>
Handle* made_handle(const SharedContext& context, Engine engine) {
  return make_handle_of<Handle>(context, std::move(engine));
}

/// A handle of an engine that other handles may share, with its context.
template <class Handle, class Engine>
Handle* shared_handle(const SharedContext& context, Engine engine) {
  return make_handle_of<Handle>(
      std::make_shared<WithContext<Engine>>(WithContext<Engine>{context, std::move(engine)}));
}

/// A handle of an engine with its context, and `name_of`, which returns the engine.
#define KINDRED_C_ENGINE(name, type)         \
  KINDRED_C_HANDLE(name, WithContext<type>); \
  inline type& name##_of(const kindred_##name* name) { return object_of(name, #name).engine; }

/// Destroys the object of a handle, which cannot be cancelled; null is accepted.
template <class Handle>
kindred_status destroy_handle(Handle* handle, const char* name) noexcept {
  return guarded([&] {
    if (handle == nullptr) return;
    const Impl::CancelPoint::Suspended suspended;
    auto* const object = &object_of(handle, name);
    auto* const slot = reinterpret_cast<Slot*>(handle);
    Kind kind = HandleTraits<Handle>::kind;
    KINDRED_C_REFUSE_IF(!slot->kind.compare_exchange_strong(kind, Kind::destroyed),
                        std::string(name) + " is being destroyed by another thread");
    delete object;
    release_slot(slot);
  });
}

/// The object of a context: what its library is called, too.
struct ContextObject {
  SharedContext context;
};
KINDRED_C_HANDLE(context, ContextObject);

/// The context of a handle.
inline const SharedContext& context_of(const kindred_context* context) {
  return object_of(context, "context").context;
}

}  // namespace Kindred::C

#endif  // KINDRED_C_HANDLE_HPP
