// SPDX-License-Identifier: Apache-2.0
#include "Handle.hpp"

#include <array>
#include <deque>
#include <mutex>
#include <string>

namespace Kindred::C {

namespace {

/// Slots that were destroyed last are not reused while there are fewer than this.
constexpr std::size_t free_min = 1024;

constexpr std::array<const char*, 18> kind_names{
    "destroyed object", "context",     "string",  "vocabulary", "query", "matcher", "memory",
    "pattern",          "predictions", "index",   "scorer",     "hnsw",  "graph",   "results",
    "clusters",         "bulk",        "lattice", "seeds"};

struct Slots {
  std::mutex mutex;
  std::deque<Slot> all;
  std::deque<Slot*> free;  ///< the first one was destroyed first
};

Slots& slots() {
  static auto* const pool = new Slots;  // handles may be used until the process ends
  return *pool;
}

}  // namespace

Slot* take_slot(Kind kind, void* object) {
  Slots& pool = slots();
  const std::lock_guard lock(pool.mutex);
  Slot* slot = nullptr;
  if (pool.free.size() >= free_min) {
    slot = pool.free.front();
    pool.free.pop_front();
  } else {
    slot = &pool.all.emplace_back();
    slot->functions = &own_functions();
  }
  slot->object = object;
  slot->kind.store(kind, std::memory_order_release);
  return slot;
}

void release_slot(Slot* slot) noexcept {
  Slots& pool = slots();
  const std::lock_guard lock(pool.mutex);
  slot->object = nullptr;
  try {
    pool.free.push_back(slot);
  } catch (...) {
    return;  // not reused
  }
}

void check_slot(const Slot* slot, Kind kind, const char* name) {
  require(slot, name);
  const Kind actual = slot->kind.load(std::memory_order_acquire);
  if (actual == kind) return;
  const char* const expected = kind_names[static_cast<std::size_t>(kind)];
  const auto number = static_cast<std::size_t>(actual);
  refuse_if(
      actual == Kind::destroyed,
      std::string(name) + " was destroyed; it must be a handle of the kind kindred_" + expected);
  refuse_if(true, std::string(name) + " is a handle of the kind " +
                      (number < kind_names.size() ? std::string("kindred_") + kind_names[number]
                                                  : std::string("of no object")) +
                      "; it must be one of the kind kindred_" + expected);
}

}  // namespace Kindred::C
