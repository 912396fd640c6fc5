// SPDX-License-Identifier: Apache-2.0
// Every function of kindred.h, by its list: null pointers, handles of another kind or destroyed,
// sizes of structs, and sizes of arrays that exceed the memory. Every function that is described,
// too: enumerators and numbers out of range.
#include "ArgumentStorage.hpp"
#include "CSupport.hpp"
#include "ValidHandles.hpp"
#include "ValidStructs.hpp"

#include <FunctionTable.hpp>
#include <TempFolder.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

namespace Kindred::Testing {
namespace {

template <class T, class Tuple>
inline constexpr bool is_element = false;
template <class T, class... Elements>
inline constexpr bool is_element<T, std::tuple<Elements...>> = (std::is_same_v<T, Elements> || ...);
template <class T>
inline constexpr bool is_handle = is_element<T*, decltype(std::declval<Handles>().all())>;
template <class T>
inline constexpr bool has_struct_size = requires(T* pointer) {
  pointer->struct_size;
};
template <class T>
inline constexpr bool is_array_size = std::is_same_v<T, std::size_t>;
/// Parameters of 64 bits that are no sizes.
const std::set<std::string_view> plain_numbers{"index", "id",        "times", "node", "from",
                                               "to",    "edges_max", "limit", "seed", "offset"};

/// How an argument differs from a valid one.
enum class Fault {
  none,
  null,
  other_kind,
  destroyed,
  struct_size_0,
  struct_size_odd,
  struct_size_huge,
  larger_with_values,
  larger_with_zeros,
  size_max,
  excluded
};

/// What a description excludes: a value of an argument, or of a member of its struct.
struct Excluded {
  std::string function;
  std::string parameter;
  std::string named;  ///< in the message
  std::string value;
  std::function<void(void*)> set;  ///< of a struct
  std::int64_t argument = 0;
};

const std::vector<Excluded>& all_excluded() {
#define KINDRED_BAD_ARGUMENT(function, parameter, value) \
  {#function, #parameter, #parameter, #value, nullptr, value},
#define KINDRED_BAD_MEMBER(function, parameter, type, init, member, value) \
  {#function, #parameter, #member, #value, [](void* given) {               \
     const type defaults = init;                                           \
     auto& changed = *static_cast<type*>(given);                           \
     if (changed.struct_size < sizeof(type)) changed = defaults;           \
     changed.member = static_cast<decltype(type::member)>(value);          \
   }},
  static const std::vector<Excluded> all{
#include <BadInput.inc>
  };
#undef KINDRED_BAD_ARGUMENT
#undef KINDRED_BAD_MEMBER
  return all;
}

void* destroyed_handle() {
  kindred_vocabulary* vocabulary = nullptr;
  ok(kindred_vocabulary_create(nullptr, 0, &vocabulary));
  ok(kindred_destroy(vocabulary));
  return vocabulary;
}

/// An argument of type T with a fault, in \p storage.
template <class T>
T argument(std::string_view name, Fault fault, const Excluded* excluded, Storage& storage) {
  if constexpr (std::is_integral_v<T>) {
    if (fault == Fault::excluded) return static_cast<T>(excluded->argument);
  }
  if constexpr (std::is_pointer_v<T>) {
    using Pointed = std::remove_const_t<std::remove_pointer_t<T>>;
    if (fault == Fault::null) return nullptr;
    if constexpr (std::is_function_v<std::remove_pointer_t<T>>) {
      return &Stub<T>::call;
    } else if constexpr (is_handle<Pointed>) {
      if (fault == Fault::other_kind) {
        if constexpr (std::is_same_v<Pointed, kindred_vocabulary>)
          return reinterpret_cast<Pointed*>(handles().query);
        else
          return reinterpret_cast<Pointed*>(handles().vocabulary);
      }
      if (fault == Fault::destroyed) return static_cast<Pointed*>(destroyed_handle());
      return std::get<Pointed*>(handles().all());
    } else if constexpr (std::is_void_v<Pointed>) {
      if (name == "statistics") {
        const auto statistics = valid_struct<kindred_hnsw_statistics>();
        std::memcpy(storage.bytes, &statistics, sizeof(statistics));
      }
      if (name == "statistics" || name == "options") return storage.bytes;
      if (name != "handle") return nullptr;
      // Of a kind that has the function, or of one that has none.
      if (fault == Fault::other_kind) return handles().string;
      if (fault == Fault::destroyed) return destroyed_handle();
      if constexpr (std::is_same_v<T, void*>)
        return handles().prepared;
      else
        return handles().hnsw;
    } else if constexpr (std::is_same_v<Pointed, char>) {
      if (name == "path") return storage.path.data();
      storage.bytes[0] = 'a';
      return reinterpret_cast<T>(storage.bytes);
    } else if constexpr (std::is_same_v<Pointed, DLTensor>) {
      if (name == "scales" || name == "scale") return nullptr;  // of int8 alone
      const DLTensor tensor = tensor_of(name, storage);
      std::memcpy(storage.bytes, &tensor, sizeof(tensor));
      return reinterpret_cast<T>(storage.bytes);
    } else if constexpr (std::is_pointer_v<Pointed>) {
      const void* const first = storage.bytes + 1024;
      std::memcpy(storage.bytes, &first, sizeof(first));
      using Element = std::remove_const_t<std::remove_pointer_t<Pointed>>;
      if constexpr (has_struct_size<Element>) {
        const Element element = valid_struct<Element>();
        std::memcpy(storage.bytes + 1024, &element, sizeof(element));
      }
      if constexpr (std::is_same_v<Element, DLTensor>) {
        const DLTensor tensor =
            kindred_tensor(storage.bytes + 2048, KINDRED_FLOAT32, 2, storage.shape);
        std::memcpy(storage.bytes + 1024, &tensor, sizeof(tensor));
      }
      return reinterpret_cast<T>(storage.bytes);
    } else if constexpr (std::is_same_v<Pointed, kindred_text>) {
      const kindred_text text{"a", 1};
      std::memcpy(storage.bytes, &text, sizeof(text));
      return reinterpret_cast<T>(storage.bytes);
    } else if constexpr (has_struct_size<Pointed>) {
      const Pointed valid = valid_struct<Pointed>();
      std::memcpy(storage.bytes, &valid, sizeof(valid));
      if (fault == Fault::struct_size_0) set_size(storage, 0);
      if (fault == Fault::struct_size_odd) set_size(storage, sizeof(Pointed) - 1);
      if (fault == Fault::struct_size_huge) set_size(storage, std::size_t{1} << 40U);
      if (fault == Fault::larger_with_values || fault == Fault::larger_with_zeros) {
        set_size(storage, sizeof(Pointed) + 16);
        if (fault == Fault::larger_with_values) storage.bytes[sizeof(Pointed) + 3] = 1;
      }
      if (fault == Fault::excluded) excluded->set(storage.bytes);
      return reinterpret_cast<T>(storage.bytes);
    } else {
      if constexpr (std::is_arithmetic_v<Pointed>) {
        const Pointed offsets[] = {0, 1};
        if (name == "offsets" || name == "patterns")
          std::memcpy(storage.bytes, offsets, sizeof(offsets));
      }
      if constexpr (std::is_same_v<Pointed, kindred_seed_state>) set_dormant(storage.bytes);
      return reinterpret_cast<T>(storage.bytes);
    }
  } else if constexpr (is_array_size<T>) {
    if (fault == Fault::size_max) return std::numeric_limits<T>::max();
    if (name == "struct_size") return 8;
    return name == "position" || name == "number" || name == "index" ? 0 : 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    return T(0.5);
  } else {
    if (name == "dimensions" || name == "size") return T{2};
    return name == "times" || name == "count" ? T{1} : T{};
  }
}

std::vector<std::string> names_of(std::string list) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : list) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::exchange(word, {}));
    }
  }
  return out;
}

struct Outcome {
  bool failed = false;
  kindred_status status = KINDRED_OK;
  std::string message;
};

/// A function of the header, which can be called with a fault in one of its arguments.
struct Function {
  std::string name;
  std::vector<std::string> parameters;
  std::string kinds;
  std::function<Outcome(std::size_t position, Fault fault, const Excluded* excluded)> call_with;
  std::vector<bool> handle;        ///< whether a parameter is a handle
  std::vector<bool> constant;      ///< whether it points to a constant
  std::vector<bool> sized_struct;  ///< whether it is a struct with `struct_size`
  std::vector<bool> array_size;    ///< whether it is the size of an array

  Outcome call(std::size_t position, Fault fault, const Excluded* excluded = nullptr) const {
    return call_with(position, fault, excluded);
  }
};

template <class R, class... P, std::size_t... I>
Outcome call_with(R (*function)(P...) noexcept, const std::vector<std::string>& names,
                  std::size_t position, Fault fault, [[maybe_unused]] const Excluded* excluded,
                  std::index_sequence<I...>) {
  const auto storage = std::make_unique<Storage[]>(sizeof...(P) + 1);
  const R returned =
      function(argument<P>(names[I], I == position ? fault : Fault::none, excluded, storage[I])...);
  Outcome out;
  if constexpr (std::is_same_v<R, kindred_status>) {
    out.failed = returned != KINDRED_OK;
    out.status = returned;
  } else {
    out.failed = returned == R{};
    out.status = KINDRED_INVALID;
  }
  if (out.failed) out.message = kindred_last_error();
  return out;
}

template <class R, class... P>
Function function_of(R (*function)(P...) noexcept, const char* name, const char* arguments,
                     const char* kinds) {
  Function out;
  out.name = name;
  out.parameters = names_of(arguments);
  out.kinds = kinds;
  out.call_with = [function, names = out.parameters](std::size_t position, Fault fault,
                                                     const Excluded* excluded) {
    return call_with(function, names, position, fault, excluded, std::index_sequence_for<P...>());
  };
  out.handle = {is_handle<std::remove_const_t<std::remove_pointer_t<P>>>...};
  for (std::size_t i = 0; i < out.parameters.size(); ++i)
    out.handle[i] = out.handle[i] || out.parameters[i] == "handle";
  out.constant = {std::is_const_v<std::remove_pointer_t<P>>...};
  out.sized_struct = {
      (std::is_pointer_v<P> && has_struct_size<std::remove_const_t<std::remove_pointer_t<P>>>)...};
  out.array_size = {is_array_size<P>...};
  return out;
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
#define KINDRED_C_FUNCTION(type, name, parameters, arguments, handle, kinds) \
  function_of(&::name, #name, #arguments, kinds),
#define KINDRED_C_CHOOSING_FUNCTION KINDRED_C_FUNCTION
#include <Functions.inc>
#undef KINDRED_C_FUNCTION
#undef KINDRED_C_CHOOSING_FUNCTION
  };
  return all;
}

/// Trains, calibrates or sets something for the thread: slow, or not repeatable.
bool changes_the_fixture(const Function& function) {
  return function.name == "kindred_context_calibrate" ||
         function.name == "kindred_set_cancellation" ||
         function.name == "kindred_context_save_profile" ||
         function.name == "kindred_memory_forget";
}

/// Calls `body(function, i)` for every parameter i of every function.
template <class Body>
void for_each_parameter(const Body& body) {
  for (const Function& function : functions())
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      SCOPED_TRACE(function.name + ", " + function.parameters[i]);
      body(function, i);
    }
}

/// Expects that a fault in argument \p i is an invalid argument, with \p words in the message.
void expect_invalid(const Function& function, std::size_t i, Fault fault,
                    const std::string& words) {
  const Outcome outcome = function.call(i, fault);
  EXPECT_TRUE(outcome.failed);
  EXPECT_EQ(outcome.status, KINDRED_INVALID) << outcome.message;
  EXPECT_TRUE(contains(outcome.message, words)) << outcome.message;
}

TEST(CBadInput, RequiredPointersAreNotNullAndOthersMayBe) {
  std::size_t checked = 0;
  for_each_parameter([&](const Function& function, std::size_t i) {
    const std::string words = function.parameters[i] + " is NULL";
    if (function.kinds[i] == 'p') {
      expect_invalid(function, i, Fault::null, words);
      ++checked;
    } else if (function.kinds[i] == 'o' && !changes_the_fixture(function)) {
      const Outcome outcome = function.call(i, Fault::null);
      EXPECT_FALSE(contains(outcome.message, words)) << outcome.message;
    }
  });
  EXPECT_GT(checked, 200U);
}

TEST(CBadInput, HandlesOfAnotherKindAndDestroyedOnesAreRefused) {
  for_each_parameter([&](const Function& function, std::size_t i) {
    if (!function.handle[i]) return;
    const std::string& name = function.parameters[i];
    if (function.name != "kindred_destroy")
      expect_invalid(function, i, Fault::other_kind, name + " is a handle of the kind");
    expect_invalid(function, i, Fault::destroyed, name + " was destroyed");
  });
}

TEST(CBadInput, SizesOfStructsAreChecked) {
  for_each_parameter([&](const Function& function, std::size_t i) {
    if (!function.sized_struct[i] || function.name == "kindred_modifiers_engram") return;
    for (const Fault fault :
         {Fault::struct_size_0, Fault::struct_size_odd, Fault::struct_size_huge})
      expect_invalid(function, i, fault, "struct_size");
    if (function.constant[i])
      expect_invalid(function, i, Fault::larger_with_values, "does not know");
    const Outcome larger = function.call(i, Fault::larger_with_zeros);
    EXPECT_FALSE(contains(larger.message, "struct_size")) << larger.message;
    EXPECT_FALSE(contains(larger.message, "does not know")) << larger.message;
  });
}

TEST(CBadInput, SizesBeyondTheMemoryAreRefused) {
  for_each_parameter([&](const Function& function, std::size_t i) {
    if (!function.array_size[i] || plain_numbers.contains(function.parameters[i])) return;
    const Outcome outcome = function.call(i, Fault::size_max);
    EXPECT_TRUE(outcome.failed);
    EXPECT_TRUE(outcome.status == KINDRED_INVALID || outcome.status == KINDRED_NO_MEMORY ||
                outcome.status == KINDRED_NOT_FOUND)
        << outcome.status << ": " << outcome.message;
    EXPECT_FALSE(outcome.message.empty());
  });
}

TEST(CBadInput, WhatDescriptionsExcludeIsRefused) {
  for (const Excluded& excluded : all_excluded()) {
    SCOPED_TRACE(excluded.function + ", " + excluded.named + " is " + excluded.value);
    const auto function =
        std::find_if(functions().begin(), functions().end(),
                     [&](const auto& one) { return one.name == excluded.function; });
    ASSERT_NE(function, functions().end());
    const auto& names = function->parameters;
    const auto position = std::find(names.begin(), names.end(), excluded.parameter);
    ASSERT_NE(position, names.end());
    const Outcome outcome = function->call(static_cast<std::size_t>(position - names.begin()),
                                           Fault::excluded, &excluded);
    EXPECT_TRUE(outcome.failed);
    if (outcome.status == KINDRED_NOT_FOUND || outcome.status == KINDRED_CORRUPT)
      continue;  // of a file, which was read before
    EXPECT_EQ(outcome.status, KINDRED_INVALID) << outcome.message;
    const std::string named = excluded.named.substr(0, excluded.named.find("_size"));
    EXPECT_TRUE(contains(outcome.message, named) ||
                (named == "top" && contains(outcome.message, "scores")))
        << outcome.message;
  }
}

TEST(CBadInput, AHandleIsDestroyedOnce) {
  kindred_vocabulary* vocabulary = nullptr;
  ok(kindred_vocabulary_create(nullptr, 0, &vocabulary));
  ok(kindred_destroy(vocabulary));
  expect_refused(kindred_destroy(vocabulary), "was destroyed");
  ok(kindred_destroy(nullptr));
}

TEST(CBadInput, StatusesHaveNames) {
  for (std::int32_t status = KINDRED_INTERNAL; status <= KINDRED_OK; ++status)
    EXPECT_TRUE(std::string(kindred_status_name(status)).starts_with("KINDRED_"));
  EXPECT_STREQ(kindred_status_name(1), "unknown status");
}

}  // namespace
}  // namespace Kindred::Testing
