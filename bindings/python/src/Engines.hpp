// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_ENGINES_HPP
#define KINDRED_PYTHON_ENGINES_HPP

#include <kindred/core/common/Error.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"

#include <memory>
#include <string>
#include <utility>

namespace Kindred::Python {

/// \brief What the Python object of an engine holds. A call keeps the engine alive, even
/// if another thread closes the object meanwhile.
/// \tparam Shared the engine and the context that it needs, declared before it
template <class Shared>
class EngineHandle {
 public:
  /// \param arrays of the caller that the engine uses in place
  EngineHandle(const char* name, std::shared_ptr<Shared> shared,
               std::shared_ptr<const BorrowedArrays> arrays = nullptr)
      : m_name(name), m_shared(std::move(shared)), m_arrays(std::move(arrays)) {
    if constexpr (requires { m_shared->context; }) {
      if (m_shared->context != nullptr) m_kept.add(callbacks_of(*m_shared->context));
    }
  }

  /// \throws Error if it is closed
  const std::shared_ptr<Shared>& open() const {
    if (m_shared == nullptr) throw Error("the " + std::string(m_name) + " is closed");
    return m_shared;
  }
  void close() { m_shared.reset(); }
  bool is_closed() const noexcept { return m_shared == nullptr; }

  /// What the engine may call. It is kept while this object exists, also once it is closed: calls
  /// of other threads may still run.
  const Kept& kept() const noexcept { return m_kept; }
  void keep(const Kept& objects) { m_kept.add(objects); }

  int traverse(visitproc visit, void* arg) const {
    // What a call or another object shares is not that of this object alone.
    if (m_shared.use_count() == 1) {
      if constexpr (requires { m_shared->traverse(visit, arg); }) {
        if (const int result = m_shared->traverse(visit, arg)) return result;
      }
      if (m_arrays != nullptr) {
        if (const int result = m_arrays->traverse(visit, arg)) return result;
      }
    }
    return m_kept.traverse(visit, arg);
  }
  void clear() {
    if (m_arrays != nullptr || requires(visitproc visit) { m_shared->traverse(visit, nullptr); })
      close();
    m_kept.clear();
  }

 private:
  const char* m_name;
  std::shared_ptr<Shared> m_shared;
  std::shared_ptr<const BorrowedArrays> m_arrays;
  Kept m_kept;
};

/// \brief The engine that `make()` returns with its context. Both are made and destroyed without
/// the GIL. \tparam Shared a struct that begins with them
template <class Shared, class Make>
std::shared_ptr<Shared> shared_of(const SharedContext& context, const Make& make) {
  return unlocked([&] {
    return std::shared_ptr<Shared>(new Shared{context, make()}, UnlockedDelete());
  });
}

// One function per file of an engine, which adds its classes and functions.
void register_callback(Module& module);
void register_vector_index(Module& module);
void register_hnsw_index(Module& module);
void register_row_functions(Module& module);
void register_vocabulary(Module& module);
void register_prepared_query(Module& module);
void register_difflib(Module& module);
void register_sequence_matcher(Module& module);
void register_pattern_memory(Module& module);
void register_spreading_engine(Module& module);
void register_bulk(Module& module);
void register_prepared(Module& module);
void register_prepared_score(Module& module);
void register_lattice(Module& module);
void register_layers(Module& module);
void register_seed_functions(Module& module);
void register_seed_layer(Module& module);
void register_seed_sequence(Module& module);
void register_keyed_vector_index(Module& module);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_ENGINES_HPP
