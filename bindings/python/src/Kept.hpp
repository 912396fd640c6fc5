// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_KEPT_HPP
#define KINDRED_PYTHON_KEPT_HPP

#include <nanobind/nanobind.h>

#include <concepts>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

// Objects of Python that objects of the extension keep, and how its cyclic garbage collector finds
// them.
namespace Kindred::Python {

/// \brief A type whose objects keep objects of Python: `traverse` visits each once per reference,
/// and `clear` drops them.
template <class T>
concept Keeping = requires(T& object, visitproc visit, void* argument) {
  { object.traverse(visit, argument) } -> std::same_as<int>;
  object.clear();
};

/// The slots that make a type take part in cyclic garbage collection.
template <Keeping T>
struct CollectedSlots {
  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    // An object exists before its constructor has run.
    if (!nanobind::inst_ready(self)) return 0;
    return nanobind::inst_ptr<T>(self)->traverse(visit, arg);
  }
  static int clear(PyObject* self) {
    if (nanobind::inst_ready(self)) nanobind::inst_ptr<T>(self)->clear();
    return 0;
  }
  static inline PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                                       {0, nullptr}};
};

/// References to objects of Python. Must be destroyed with the GIL held.
class Kept {
 public:
  void add(nanobind::object object) { m_objects.push_back(std::move(object)); }
  void add(const Kept& other) {
    m_objects.insert(m_objects.end(), other.m_objects.begin(), other.m_objects.end());
  }
  int traverse(visitproc visit, void* arg) const {
    for (const nanobind::object& object : m_objects) Py_VISIT(object.ptr());
    return 0;
  }
  void clear() { std::exchange(m_objects, {}).clear(); }

 private:
  std::vector<nanobind::object> m_objects;
};

/// \brief A function of Python that threads of Kindred call, as a function of C++ reaches it.
///
/// It is kept by an object of Python, the owner, and every object of the extension that may cause a
/// call keeps the owner. Once the owner is gone, or the interpreter ends, a call does nothing.
class Callback {
 public:
  /// Where a function of C++ finds the function. Both are borrowed, and used with the GIL held.
  struct Target {
    PyObject* owner = nullptr;
    PyObject* function = nullptr;
  };
  using SharedTarget = std::shared_ptr<Target>;

  /// A new owner of \p function.
  static std::pair<nanobind::object, SharedTarget> made(nanobind::handle function);
  /// \brief Calls the function of \p target with `arguments()`, a tuple that is made with the GIL.
  /// What the function raises is reported as unraisable.
  static void call(const Target& target, const std::function<nanobind::tuple()>& arguments);

  Callback(Callback&&) noexcept = default;
  Callback& operator=(Callback&&) = delete;
  ~Callback() { clear(); }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(m_function.ptr());
    return 0;
  }
  void clear() {
    if (m_target != nullptr) *m_target = {};
    m_target.reset();
    m_function.reset();
  }

 private:
  Callback(nanobind::handle function, SharedTarget target)
      : m_function(nanobind::borrow(function)), m_target(std::move(target)) {}

  nanobind::object m_function;
  SharedTarget m_target;
};

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_KEPT_HPP
