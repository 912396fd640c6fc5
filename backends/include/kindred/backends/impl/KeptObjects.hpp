// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_KEPT_OBJECTS_HPP
#define KINDRED_BACKENDS_IMPL_KEPT_OBJECTS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Mutex.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <typeindex>
#include <typeinfo>

namespace Kindred::Impl {

/// \brief Objects that functions of engines keep in a context between calls, one per type, such as
/// workspaces. They are destroyed before the memory and the instances of the context. Thread-safe.
class KeptObjects {
 public:
  /// The object of the type \p Object, which is made by the first call.
  template <class Object>
  Object& get() {
    const std::lock_guard lock(m_mutex);
    std::shared_ptr<void>& object = m_objects[std::type_index(typeid(Object))];
    if (object == nullptr) object = std::make_shared<Object>();
    return *static_cast<Object*>(object.get());
  }

 private:
  Mutex m_mutex;
  std::map<std::type_index, std::shared_ptr<void>> m_objects;
};

/// The objects that are kept in \p context.
KeptObjects& kept_objects(const Context& context);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_KEPT_OBJECTS_HPP
