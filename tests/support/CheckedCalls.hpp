// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_CHECKED_CALLS_HPP
#define KINDRED_TESTS_SUPPORT_CHECKED_CALLS_HPP

#include <gmock/gmock.h>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>

#include <new>

#include "MessageOf.hpp"
#include "Support.hpp"

namespace Kindred::Testing {

/// \brief The arguments of a call of a kernel, by the names that its messages use. One of them can
/// be wrong in one way.
class Arguments {
 public:
  enum class Fault : std::uint8_t { too_short, too_long, misaligned, null, out_of_range };
  struct Wrong {
    std::string name;
    Fault fault;
  };

  Arguments() = default;
  explicit Arguments(Wrong wrong) : m_wrong(std::move(wrong)) {}

  /// An array of at least \p size elements.
  template <class T>
  ArrayView<T, HostSpace> array(std::string name, std::size_t size, T value = T(),
                                std::size_t alignment = alignof(T)) {
    if (size > 0) offer(name, Fault::too_short);
    return filled(std::move(name), size, value, alignment);
  }
  /// An array of exactly \p size elements.
  template <class T>
  ArrayView<T, HostSpace> exact(std::string name, std::size_t size, T value = T()) {
    offer(name, Fault::too_long);
    return array<T>(std::move(name), size, value);
  }
  /// An array whose size determines those of others.
  template <class T>
  ArrayView<T, HostSpace> sizing(std::string name, std::size_t size, T value = T()) {
    return filled(std::move(name), size, value, alignof(T));
  }
  /// An array behind a pointer.
  template <class T>
  T* pointer(std::string name, std::size_t size, std::size_t alignment = alignof(T)) {
    offer(name, Fault::null);
    if (is_wrong(name, Fault::null)) return nullptr;
    return filled(std::move(name), size, T(), alignment).data();
  }
  /// A number, or \p wrong.
  template <class T>
  T number(std::string name, T valid, std::type_identity_t<T> wrong) {
    offer(name, Fault::out_of_range);
    return is_wrong(name, Fault::out_of_range) ? wrong : valid;
  }
  /// An array that is not checked.
  template <class T>
  ArrayView<T, HostSpace> plain(std::size_t size, T value = T()) {
    return ArrayView<T, HostSpace>(take(size, value), size);
  }

  /// Every way in which an argument of the call can be wrong.
  const std::vector<Wrong>& offered() const { return m_offered; }

 private:
  static constexpr std::size_t alignment_max = 64;
  struct Free {
    void operator()(std::byte* data) const {
      ::operator delete (data, std::align_val_t{alignment_max});
    }
  };

  void offer(const std::string& name, Fault fault) { m_offered.push_back({name, fault}); }
  bool is_wrong(std::string_view name, Fault fault) const {
    return m_wrong.name == name && m_wrong.fault == fault;
  }
  /// Space behind the elements is for calls that write beyond an array that is too short.
  template <class T>
  T* take(std::size_t size, T value) {
    constexpr std::size_t spare = 4096;
    m_memory.emplace_back(static_cast<std::byte*>(
        ::operator new (size * sizeof(T) + spare, std::align_val_t{alignment_max})));
    T* data = reinterpret_cast<T*>(m_memory.back().get());
    std::uninitialized_fill_n(data, size + spare / 2 / sizeof(T), value);
    return data;
  }
  template <class T>
  ArrayView<T, HostSpace> filled(std::string name, std::size_t size, T value,
                                 std::size_t alignment) {
    if (alignment > 1) offer(name, Fault::misaligned);
    T* data = take(size, value);
    if (is_wrong(name, Fault::too_short)) --size;
    if (is_wrong(name, Fault::too_long)) ++size;
    if (is_wrong(name, Fault::misaligned))
      data = reinterpret_cast<T*>(reinterpret_cast<std::byte*>(data) + alignment / 2);
    return ArrayView<T, HostSpace>(data, size);
  }

  Wrong m_wrong;
  std::vector<Wrong> m_offered;
  std::vector<std::unique_ptr<std::byte, Free>> m_memory;
};

/// A function of core and a call of it.
struct CheckedCall {
  const char* function;
  std::function<void(const HostSpace& exec_space, Arguments& arguments)> call;
  bool runs_on_hosts = true;
};

/// \brief Expects that the call passes with valid arguments, and that each argument that can be
/// wrong is named by an `InvalidArgument`.
inline void expect_checked(const CheckedCall& checked) {
  SCOPED_TRACE(checked.function);
  const HostSpace& exec_space = Impl::host_instance(Testing::context(), Space::serial);
  const auto call = [&](Arguments& arguments) {
    checked.call(exec_space, arguments);
    exec_space.fence("Kindred::Testing::checked_call");
  };
  Arguments valid;
  if (checked.runs_on_hosts) {
    ASSERT_NO_THROW(call(valid));
  } else {
    try {
      checked.call(exec_space, valid);
    } catch (const Error&) {
    }
  }
  EXPECT_FALSE(valid.offered().empty());
  for (const Arguments::Wrong& one : valid.offered()) {
    SCOPED_TRACE(one.name + ", fault " + std::to_string(static_cast<int>(one.fault)));
    Arguments wrong(one);
    EXPECT_THAT(
        message_of<InvalidArgument>([&] { call(wrong); }),
        ::testing::StartsWith("Kindred::" + std::string(checked.function) + ": " + one.name + " "));
  }
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_CHECKED_CALLS_HPP
