// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_PREPARED_HPP
#define KINDRED_PYTHON_PREPARED_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/matcher/Prepared.hpp>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "DeviceArguments.hpp"
#include "Engines.hpp"
#include "Options.hpp"

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

// Calls on arrays that run at once, or are prepared: checked and partitioned once.
namespace Kindred::Python {

/// Objects that are never moved; the first ones need no allocation.
template <class T, std::size_t few>
class Unmoved {
 public:
  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    if (m_size == few) return m_more.emplace_back(std::forward<Arguments>(arguments)...);
    return m_few[m_size++].emplace(std::forward<Arguments>(arguments)...);
  }

 private:
  std::array<std::optional<T>, few> m_few;
  std::size_t m_size = 0;
  std::list<T> m_more;
};

/// \brief The arrays of a call, where they lie, and what orders it. A prepared call keeps it.
class ArrayCall {
 public:
  ArrayCall(Context& context, nanobind::handle space, nanobind::handle stream, Copying copying)
      : m_context(context),
        m_space(space_of(space)),
        m_has_stream(!stream.is_none()),
        m_order(stream),
        m_copying(copying) {}

  Context& context() const noexcept { return m_context; }
  std::optional<Space> space() const noexcept { return m_space; }
  std::optional<Stream> stream() const noexcept { return m_order.stream(); }
  /// Whether it reads its arrays later.
  bool prepares() const noexcept { return m_copying == Copying::absent; }

  /// \throws InvalidArgument, SpaceUnavailable for an array that lies elsewhere than the first one
  const Input& input(nanobind::handle given, const char* name, Layout layout = Layout::rows) {
    return placed(given, m_inputs.emplace(given, name, &m_order, m_copying, layout));
  }
  /// \throws as `input`
  const Output& output(nanobind::handle given, const char* name) {
    return placed(given, m_outputs.emplace(given, name, &m_order));
  }
  /// The name of an item of a list, such as `arrays[3]`.
  const char* name_of_item(const char* list, std::size_t i) {
    return m_names.emplace_back(std::string(list) + "[" + std::to_string(i) + "]").c_str();
  }
  /// A new array beside the first one. \throws OutOfMemory
  nanobind::object made(DataType type, std::span<const std::int64_t> shape) const;
  nanobind::object made(DataType type, std::initializer_list<std::int64_t> shape) const {
    return made(type, std::span(shape.begin(), shape.size()));
  }
  /// \brief Bytes on the device until the call ends, of the library of the first array; none if no
  /// array of that library can be made here.
  Array workspace(std::size_t bytes);

  BorrowedArrays borrowed;   ///< of a prepared call
  nanobind::object results;  ///< what the call returns

 private:
  template <class One>
  const One& placed(nanobind::handle given, const One& one) {
    if (m_first != nullptr) {
      require_same_place(*m_first, one);
      return one;
    }
    require_place(m_context, one, m_space, m_has_stream);
    m_first = &one;
    m_like = given;
    return one;
  }

  Context& m_context;
  std::optional<Space> m_space;
  bool m_has_stream;
  CallStream m_order;
  Copying m_copying;
  std::list<std::string> m_names;
  Unmoved<Input, 4> m_inputs;
  Unmoved<Output, 3> m_outputs;
  const Borrowed* m_first = nullptr;
  nanobind::handle m_like;  // while the call is made
  nanobind::object m_workspace;
};

namespace PreparedCalls {

/// \brief A prepared call with its arrays. Runs of several threads follow each other. Made and
/// destroyed with the GIL held.
class Call {
 public:
  Call(std::unique_ptr<ArrayCall> arrays, Prepared call)
      : m_arrays(std::move(arrays)), m_call(std::move(call)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  /// The arrays of a call that still runs are not released. What belongs to a lost device, or to
  /// the process from which this one was forked, is never released.
  ~Call() {
    const Unlocked guard(false);
    try {
      m_call->wait();
      m_call.reset();
    } catch (const Error&) {
      [[maybe_unused]] const auto* const kept = new Prepared(std::move(*m_call));
    }
  }

  Space space() const noexcept { return m_call->space(); }
  void run() {
    const std::lock_guard lock(m_mutex);
    m_call->run();
  }
  void wait() {
    const std::lock_guard lock(m_mutex);
    m_call->wait();
  }
  int traverse(visitproc visit, void* arg) const { return m_arrays->borrowed.traverse(visit, arg); }

 private:
  std::unique_ptr<ArrayCall> m_arrays;
  std::optional<Prepared> m_call;
  Impl::Mutex m_mutex;
};

struct Shared {
  Shared(SharedContext of, std::unique_ptr<ArrayCall> arrays, Prepared call)
      : context(std::move(of)), prepared(std::move(arrays), std::move(call)) {}
  int traverse(visitproc visit, void* arg) const { return prepared.traverse(visit, arg); }

  SharedContext context;
  Call prepared;
};
using Handle = EngineHandle<Shared>;

}  // namespace PreparedCalls

/// \brief What a call returns, or `(prepared, results)`. \param name of the prepared call
/// \param body `body(call)` runs the call and returns nothing, or returns the prepared one
template <class Body>
nanobind::object run_or_prepare(const char* name, const SharedContext& context,
                                nanobind::handle space, nanobind::handle stream,
                                nanobind::handle copy, const Body& body) {
  const Copying copying = copying_of(copy);
  if (copying != Copying::absent) {
    ArrayCall call(*context, space, stream, copying);
    body(call);
    return std::move(call.results);
  }
  auto call = std::make_unique<ArrayCall>(*context, space, stream, copying);
  std::optional<Prepared> prepared;
  {
    const BorrowedArrays::Scope kept(call->borrowed);
    prepared = body(*call);
  }
  const nanobind::object results = std::move(call->results);
  return nanobind::make_tuple(
      PreparedCalls::Handle(name, std::make_shared<PreparedCalls::Shared>(context, std::move(call),
                                                                          std::move(*prepared))),
      results);
}

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_PREPARED_HPP
