// SPDX-License-Identifier: Apache-2.0
#include "Handle.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/Quotes.hpp>

#include "Arguments.hpp"
#include "Generic.hpp"

#include <pthread.h>

#include <array>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <string>

namespace Kindred::C {

namespace {

/// Slots that were destroyed last are not reused while there are fewer than this.
constexpr std::size_t free_min = 1024;

constexpr std::array kind_names{
    "destroyed",  "context",  "string",        "strings",  "vocabulary",
    "query",      "matcher",  "memory",        "pattern",  "predictions",
    "predictor",  "index",    "scorer",        "hnsw",     "graph",
    "results",    "clusters", "keyed_index",   "lattice",  "seeds",
    "blueprints", "schedule", "seed_sequence", "prepared", "cancellation"};
static_assert(kind_names.size() == static_cast<std::size_t>(Kind::cancellation) + 1);

/// Whether this process was forked from one that had created a context.
std::atomic<bool> is_forked{false};

void refuse_in_forked_process(const char* name) {
  if (is_forked.load(std::memory_order_relaxed))
    throw SpaceUnavailable(
        std::string(name) +
        " cannot be used here: this process was forked from one that had created "
        "a context, and has neither its threads nor its devices; fork before the "
        "first context, or start a new program");
}

/// Whether objects of this kind need no context.
bool is_plain(Kind kind) {
  return kind == Kind::string || kind == Kind::strings || kind == Kind::vocabulary ||
         kind == Kind::query || kind == Kind::pattern || kind == Kind::predictions ||
         kind == Kind::results || kind == Kind::clusters || kind == Kind::blueprints ||
         kind == Kind::schedule || kind == Kind::cancellation;
}

struct Slots {
  Impl::PlainMutex mutex;
  std::deque<Slot> all;
  std::deque<Slot*> free;  ///< the first one was destroyed first
};

Slots& slots() {
  static auto* const pool = new Slots;  // handles may be used until the process ends
  // No other thread holds the mutex in a process that is forked, or it would be held there forever.
  static const int registered = pthread_atfork(
      [] { slots().mutex.lock(); }, [] { slots().mutex.unlock(); }, [] { slots().mutex.unlock(); });
  if (registered != 0) throw std::bad_alloc();
  return *pool;
}

/// Such as `kindred_index`; of a slot that is none, text that says so.
std::string name_of(Kind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return number < kind_names.size() ? std::string("kindred_") + kind_names[number] : "of no object";
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
  slot->object = nullptr;
  try {
    const std::lock_guard lock(pool.mutex);
    pool.free.push_back(slot);
  } catch (...) {
    return;  // not reused
  }
}

void check_fork_before_context() {
  refuse_in_forked_process("context");
  static const int registered = pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
  if (registered != 0) throw std::bad_alloc();
}

void check_slot(const Slot* slot, Kind kind, const char* name) {
  require(slot, name);
  const Kind actual = slot->kind.load(std::memory_order_acquire);
  if (actual == kind) {
    if (!is_plain(kind)) refuse_in_forked_process(name);
    return;
  }
  KINDRED_C_REFUSE_IF(
      actual == Kind::destroyed,
      std::string(name) + " was destroyed; it must be a handle of the kind " + name_of(kind));
  refuse(std::string(name) + " is a handle of the kind " + name_of(actual) +
         "; it must be one of the kind " + name_of(kind));
}

Kind kind_of(const void* handle) noexcept {
  return handle == nullptr ? Kind::destroyed
                           : static_cast<const Slot*>(handle)->kind.load(std::memory_order_acquire);
}

kindred_status refuse_kind(const void* handle, std::initializer_list<Kind> kinds) noexcept {
  return guarded([&] {
    require(handle, "handle");
    std::string expected;
    for (const Kind kind : kinds) expected += (expected.empty() ? "" : ", ") + name_of(kind);
    const Kind actual = kind_of(handle);
    refuse((actual == Kind::destroyed ? "handle was destroyed"
                                      : "handle is a handle of the kind " + name_of(actual)) +
           "; it must be one of the kinds " + expected);
  });
}

bool is_named(const char* name, const char* of_struct) noexcept {
  return name != nullptr && std::strcmp(name, of_struct) == 0;
}

kindred_status refuse_struct(const char* name, const void* options) noexcept {
  return guarded([&] {
    require_all({{name, "name"}, {options, "options"}});
    refuse("name is " + in_quotes(name) +
           "; it must be that of a struct that calls read, such as 'kindred_search_options'");
  });
}

}  // namespace Kindred::C
