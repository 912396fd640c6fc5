// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_HNSW_INDEX_BODIES_HPP
#define KINDRED_PYTHON_HNSW_INDEX_BODIES_HPP

#include <kindred/core/common/SharedMutex.hpp>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <utility>

// What is special of HnswIndex.
namespace Kindred::Python::Graphs {

namespace {

/// An index with the context that it needs. Calls that change it must not run concurrently with
/// others.
struct Shared {
  Shared(SharedContext owner, HnswIndex made) : context(std::move(owner)), hnsw(std::move(made)) {
    publish();
  }
  /// Copies the numbers that `len` and `repr` read, also in callbacks.
  void publish() noexcept {
    size = hnsw.size();
    end_id = hnsw.end_id();
  }

  SharedContext context;
  HnswIndex hnsw;
  mutable Impl::SharedMutex mutex;
  std::atomic<std::size_t> size{0};
  std::atomic<std::uint64_t> end_id{0};
};
using Handle = EngineHandle<Shared>;

/// Runs a call that reads the index, without the GIL.
template <class Call>
auto reading(const Shared& shared, const Call& call) {
  return unlocked([&] {
    const auto lock = Impl::cancellable_shared_lock(shared.mutex);
    return call();
  });
}
template <class Call>
auto changing(Shared& shared, const Call& call) {
  return unlocked([&] {
    const auto lock = Impl::cancellable_lock(shared.mutex);
    struct Publish {
      Shared& shared;
      ~Publish() { shared.publish(); }
    } const publish{shared};
    return call();
  });
}

std::size_t size(const Handle& self) { return self.open()->size.load(); }
std::uint64_t end_id(const Handle& self) { return self.open()->end_id.load(); }
std::string metric(const Handle& self) {
  return std::string(to_string(self.open()->hnsw.settings().metric));
}

}  // namespace

}  // namespace Kindred::Python::Graphs

#endif  // KINDRED_PYTHON_HNSW_INDEX_BODIES_HPP
