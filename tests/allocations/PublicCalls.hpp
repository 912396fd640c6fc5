// SPDX-License-Identifier: Apache-2.0
// Runs a public call with its n-th allocation failing, for every n.
#ifndef KINDRED_TESTS_ALLOCATIONS_PUBLIC_CALLS_HPP
#define KINDRED_TESTS_ALLOCATIONS_PUBLIC_CALLS_HPP

#include "ColumnsOf.hpp"
#include "ResultText.hpp"
#include "TempFolder.hpp"
#include "VectorValues.hpp"

#include <typeinfo>

namespace Kindred::Testing {

/// Which allocations of the process fail.
enum class Failing : std::uint8_t {
  one,  ///< the n-th only: memory is missing for a moment
  rest  ///< the n-th and all later ones: memory has run out
};

/// \brief While it exists, calls of `operator new` fail, on all threads and in all forms: those
/// that throw and those that return null.
class FailingAllocations {
 public:
  /// \param nth counted from 1, from now on
  FailingAllocations(std::size_t nth, Failing which) noexcept;
  ~FailingAllocations() { end(); }
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  /// From now on allocations succeed. Returns whether one has failed.
  bool end() noexcept;
};

/// The context of these tests, without a saved calibration.
inline Context& shared_context() {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): ends with the process
  static Context* const shared = new Context({.threads = 2, .load_profile = false});
  return *shared;
}

inline const std::vector<Space>& host_spaces() {
  static const std::vector<Space> both{Space::serial, Space::openmp};
  return both;
}

/// For calls that belong to no object or return nothing.
struct Nothing {};

/// A result that is where a pointer points: a copy would allocate.
template <class T>
struct Pointed {
  const T* output;
};

/// What a call wrote to a file, and the number of files in its folder.
struct Written {
  const TempFolder* folder;
  const char* name;
};

/// Arguments that a call takes by value: the caller would allocate their copies.
template <class T>
struct Copies {
  explicit Copies(const T& value) : left(2000, value) {}
  T take() {
    T value = std::move(left.back());
    left.pop_back();
    return value;
  }
  std::vector<T> left;
};

inline std::string text_of(Nothing) { return {}; }
template <class T>
std::string text_of(const Pointed<T>& pointed) {
  return text_of(*pointed.output);
}
template <class T>
std::string text_of(const Copies<T>&) {
  return {};
}
inline std::string text_of(const Written& written) {
  return read_all(*written.folder / written.name) + std::to_string(written.folder->names().size());
}

/// The first allocations fail one by one; of a call with many, about one in ten of the later.
inline std::size_t next_allocation(std::size_t nth) { return nth + 1 + nth / 10; }

/// \brief Checks `call(object)`, for objects that \p make returns, with its n-th allocation failing
/// and with all from the n-th on: it throws `OutOfMemory` and leaves the object as it was, or
/// succeeds with the right result.
/// \param name of the call, for messages
template <class Make, class Call>
void expect_typed(const std::string& name, const Make& make, const Call& call) {
  SCOPED_TRACE(name);
  using object_type = std::decay_t<std::invoke_result_t<const Make&>>;
  using returned_type = std::invoke_result_t<const Call&, object_type&>;
  using result_type =
      std::conditional_t<std::is_void_v<returned_type>, Nothing, std::decay_t<returned_type>>;
  const auto run = [&](object_type& object) -> result_type {
    if constexpr (std::is_void_v<returned_type>) {
      call(object);
      return {};
    } else {
      return call(object);
    }
  };
  std::optional<object_type> object(make());
  const std::string before = text_of(*object);
  const std::string right = text_of(run(*object));
  const std::string after = text_of(*object);
  for (const Failing which : {Failing::one, Failing::rest}) {
    object.reset();
    object.emplace(make());
    constexpr std::size_t most = 1'000'000;  // no call of these tests allocates as often
    for (std::size_t nth = 1;; nth = next_allocation(nth)) {
      ASSERT_LT(nth, most) << "the call does not end";
      std::optional<result_type> result;
      const char* other = nullptr;
      FailingAllocations failing(nth, which);
      try {
        result.emplace(run(*object));
      } catch (const OutOfMemory&) {
      } catch (const std::exception& error) {
        other = typeid(error).name();
      }
      const bool has_failed = failing.end();
      const std::string when = "allocation " + std::to_string(nth) +
                               (which == Failing::rest ? " and all later ones" : "");
      ASSERT_EQ(other, nullptr) << other << " instead of OutOfMemory, " << when;
      if (result) {
        ASSERT_TRUE(text_of(*result) == right) << "another result, " << when;
        ASSERT_TRUE(text_of(*object) == after) << "another object, " << when;
        result.reset();
        object.reset();
        object.emplace(make());
      } else {
        ASSERT_TRUE(has_failed) << "OutOfMemory, but memory was not missing, " << when;
        ASSERT_TRUE(text_of(*object) == before) << "a changed object, " << when;
      }
      if (!has_failed) break;
    }
  }
}

/// The same for a call that belongs to no object.
template <class Call>
void expect_typed(const std::string& name, const Call& call) {
  expect_typed(
      name, [] { return Nothing(); }, [&](Nothing&) { return call(); });
}

/// The same for a call that writes to \p output, which is compared.
template <class Output, class Call>
void expect_written(const std::string& name, const Output& output, const Call& call) {
  expect_typed(name, [&] {
    call();
    return Pointed<Output>{&output};
  });
}

/// Checks calls of objects that \p make returns: `expect(name, call)`, and
/// `expect(name, output, call)` for a call that writes to an output.
template <class Make>
class TypedCalls {
 public:
  explicit TypedCalls(Make make) : m_make(std::move(make)) {}

  template <class Call>
  void operator()(const std::string& name, const Call& call) const {
    expect_typed(name, m_make, call);
  }
  template <class Output, class Call>
  void operator()(const std::string& name, const Output& output, const Call& call) const {
    expect_typed(name, m_make, [&](auto& object) {
      call(object);
      return Pointed<Output>{&output};
    });
  }
  /// Saves, loads and copies to bytes. \param load loads from a path or from bytes
  template <class Load>
  void files(const Load& load) const {
    const TempFolder folder;
    const std::string path = folder / "object";
    const auto object = m_make();
    object.save(path);
    expect_written("save", Written{&folder, "object"}, [&] { object.save(path); });
    expect_typed("load", [&] { return load(path); });
    if constexpr (requires { object.to_bytes(); }) {
      expect_typed("to_bytes", [&] { return object.to_bytes(); });
      const std::vector<std::byte> bytes = object.to_bytes();
      expect_typed("load bytes", [&] { return load(bytes); });
    }
  }

 private:
  Make m_make;
};

inline std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_ALLOCATIONS_PUBLIC_CALLS_HPP
