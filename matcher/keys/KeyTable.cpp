// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/KeyTable.hpp>

#include "StoredKeys.hpp"
#include "storage/SectionFile.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace Kindred {

namespace {
constexpr const char* kind_of_file = "keys";
}

struct KINDRED_HIDDEN KeyTable::State {
  explicit State(Impl::KeyStore given) : store(std::move(given)) { publish(); }
  static std::unique_ptr<State> of_file(const Impl::SectionFile& file);
  void write(Impl::SectionWriter& writer) const;

  void publish() noexcept {
    size = store.size();
    bytes = store.bytes();
  }
  /// Calls `change(store)`, alone; an exception leaves the keys as they were. \throws Cancelled
  template <class Change>
  void change(const Change& change) {
    const auto lock = Impl::cancellable_lock(mutex);
    change(store);
    publish();
  }

  Impl::KeyStore store;
  mutable Impl::SharedMutex mutex{Impl::SharedMutex::InChild::usable};
  std::atomic<std::size_t> size{0};
  std::atomic<std::uint64_t> bytes{0};
};

std::unique_ptr<KeyTable::State> KeyTable::State::of_file(const Impl::SectionFile& file) {
  if (file.commits() != 1) file.fail(0, "a table of keys must have exactly one commit");
  const Impl::SectionChecks checks(file, 0, 1);
  const std::span<const std::uint64_t> ids = checks.section<std::uint64_t>("key.id");
  checks.all<std::uint64_t>(
      "key.id", ids.size(), "ids must ascend and be below 2⁶³", [&](std::size_t i) {
        return ids[i] < Impl::KeyStore::id_limit && (i == 0 || ids[i] > ids[i - 1]);
      });
  return std::make_unique<State>(
      Impl::read_keys(checks, ids.size(), [&](std::size_t i) { return ids[i]; }));
}

void KeyTable::State::write(Impl::SectionWriter& writer) const {
  KeyList keys;
  keys.kind = store.kind();
  std::vector<std::uint64_t> ids;
  ids.reserve(store.size());
  for (const std::size_t slot : Impl::slots_by_id(store)) {
    store.append_key(slot, keys);
    ids.push_back(store.id(slot));
  }
  Impl::write_keys(writer, keys);
  writer.write<std::uint64_t>("key.id", ids);
  writer.commit();
}

KeyTable::KeyTable(KeyKind kind) try : m_state(std::make_unique<State>(Impl::KeyStore(kind))) {
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyTable");
}
KeyTable::KeyTable(std::unique_ptr<State> state) : m_state(std::move(state)) {}
KeyKind KeyTable::kind() const noexcept { return m_state->store.kind(); }

std::size_t KeyTable::size() const noexcept { return m_state->size; }
std::uint64_t KeyTable::bytes() const noexcept { return m_state->bytes; }

void KeyTable::add(const KeySpan& keys, std::span<const std::uint64_t> ids) try {
  m_state->change([&](Impl::KeyStore& store) {
    Impl::require_kind(keys, store.kind());
    KINDRED_THROW_IF(ids.size() != keys.size(), std::to_string(ids.size()) + " ids are given for " +
                                                    std::to_string(keys.size()) +
                                                    " keys; there must be one per key");
    const auto add_one = [&](std::size_t i) {
      KINDRED_THROW_IF(ids[i] >= Impl::KeyStore::id_limit,
                       "the id of " + Impl::key_message(keys, i) + " is " + std::to_string(ids[i]) +
                           "; ids must be below 2⁶³");
      KINDRED_THROW_IF(store.find(keys, i).has_value(),
                       Impl::key_message(keys, i) + " is already there, or is listed twice");
      KINDRED_THROW_IF(store.find_id(ids[i]).has_value(),
                       "id " + std::to_string(ids[i]) + " already has a key, or is listed twice");
      store.add(keys, i, ids[i]);
    };
    const std::size_t before = store.size();
    try {
      for (std::size_t i = 0; i < keys.size(); ++i) add_one(i);
    } catch (...) {
      store.shrink(before);
      throw;
    }
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyTable::add");
}

void KeyTable::remove(const KeySpan& keys) try {
  m_state->change([&](Impl::KeyStore& store) {
    for (const std::uint64_t id : Impl::ids_to_remove(keys, Impl::ids_of(store, keys)))
      store.remove(*store.find_id(id));
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyTable::remove");
}

std::vector<std::int64_t> KeyTable::find(const KeySpan& keys) const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  return Impl::ids_of(m_state->store, keys);
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyTable::find");
}

KeyList KeyTable::keys(std::span<const std::int64_t> ids) const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  const Impl::KeyStore& store = m_state->store;
  KeyList keys;
  keys.kind = store.kind();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto slot = ids[i] < 0 ? std::nullopt : store.find_id(static_cast<std::uint64_t>(ids[i]));
    if (!slot) {
      throw NotFound("id " + std::to_string(ids[i]) + " at " + std::to_string(i) +
                     " of the list has no key");
    }
    store.append_key(*slot, keys);
  }
  return keys;
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyTable::keys");
}

void KeyTable::save(const std::string& path) const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  Impl::SectionWriter writer(path, kind_of_file);
  m_state->write(writer);
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyTable::save");
}

std::vector<std::byte> KeyTable::to_bytes() const {
  return Impl::translating_out_of_memory("Kindred::KeyTable::to_bytes", [&] {
    const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
    std::vector<std::byte> bytes;
    Impl::SectionWriter writer(bytes, kind_of_file);
    m_state->write(writer);
    return bytes;
  });
}

KeyTable KeyTable::load(const std::string& path) try {
  return KeyTable(State::of_file(Impl::SectionFile(path, kind_of_file, 1)));
} catch (...) {
  Impl::rethrow_translated("Kindred::KeyTable::load");
}

KeyTable KeyTable::from_bytes(std::span<const std::byte> bytes) {
  return Impl::translating_out_of_memory("Kindred::KeyTable::from_bytes", [&] {
    return KeyTable(State::of_file(Impl::SectionFile(bytes, kind_of_file, 1)));
  });
}

}  // namespace Kindred
