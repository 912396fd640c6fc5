// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_KEPT_OBJECTS_HPP
#define KINDRED_BACKENDS_IMPL_KEPT_OBJECTS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Mutex.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <typeinfo>
#include <utility>

namespace Kindred::Impl {

/// \brief Objects that functions of engines keep in a context between calls, one per type, such as
/// workspaces. They are destroyed before the memory and the instances of the context. Thread-safe;
/// takes a lock only to make an object.
class KeptObjects {
 public:
  /// The object of the type \p Object, which the first call makes of \p arguments.
  template <class Object, class... Arguments>
  Object& get(Arguments&&... arguments) {
    if (void* const found = find(typeid(Object))) return *static_cast<Object*>(found);
    const std::lock_guard lock(m_mutex);
    if (void* const found = find(typeid(Object))) return *static_cast<Object*>(found);
    const auto made = std::make_shared<Object>(std::forward<Arguments>(arguments)...);
    m_list.reset(new Kept{typeid(Object), made, std::move(m_list)});
    m_first.store(m_list.get(), std::memory_order_release);
    return *made;
  }

 private:
  struct Kept {
    const std::type_info& type;
    std::shared_ptr<void> object;
    std::unique_ptr<Kept> next;
  };
  void* find(const std::type_info& type) const noexcept {
    for (const Kept* one = m_first.load(std::memory_order_acquire); one != nullptr;
         one = one->next.get())
      if (one->type == type) return one->object.get();
    return nullptr;
  }

  Mutex m_mutex;
  std::unique_ptr<Kept> m_list;
  std::atomic<const Kept*> m_first{nullptr};  ///< of `m_list`
};

/// The objects that are kept in \p context.
KeptObjects& kept_objects(const Context& context);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_KEPT_OBJECTS_HPP
