// SPDX-License-Identifier: Apache-2.0
// Every function of kindred.h, by its list: null pointers, handles of another kind or destroyed,
// sizes of structs, and sizes of arrays that exceed the memory. Every function that is described,
// too: enumerators and numbers out of range.
#include "ArgumentStorage.hpp"
#include "CSupport.hpp"
#include "ValidHandles.hpp"
#include "ValidStructs.hpp"

#include <FunctionTable.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
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
inline constexpr bool is_handle = is_element<T*, Handles::All>;
template <class T>
inline constexpr bool has_struct_size = requires(T* pointer) {
  pointer->struct_size;
};
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

/// A pointer of type T with a fault, to something valid in \p storage.
template <class T>
T pointer(std::string_view name, Fault fault, const Excluded* excluded, Storage& storage) {
  using Pointed = std::remove_const_t<std::remove_pointer_t<T>>;
  const auto stored = reinterpret_cast<T>(storage.bytes);
  if constexpr (is_handle<Pointed>) {
    const bool is_vocabulary = std::is_same_v<Pointed, kindred_vocabulary>;
    void* other =
        is_vocabulary ? static_cast<void*>(valid<kindred_query>()) : valid<kindred_vocabulary>();
    if (fault == Fault::other_kind) return static_cast<Pointed*>(other);
    if (fault == Fault::destroyed) return static_cast<Pointed*>(destroyed_handle());
    return valid<Pointed>();
  } else if constexpr (std::is_void_v<Pointed>) {
    if (name == "statistics") storage.put(valid_struct<kindred_hnsw_statistics>());
    if (name == "statistics" || name == "options") return stored;
    if (name != "handle") return nullptr;
    // Of a kind that has the function, or of one that has none.
    if (fault == Fault::other_kind) return valid<kindred_string>();
    if (fault == Fault::destroyed) return destroyed_handle();
    if constexpr (std::is_same_v<T, void*>)
      return valid<kindred_prepared>();
    else
      return valid<kindred_hnsw>();
  } else if constexpr (std::is_same_v<Pointed, char>) {
    if (name == "path") return storage.path.data();
    storage.put('a');
  } else if constexpr (std::is_same_v<Pointed, DLTensor>) {
    if (name == "scales" || name == "scale") return nullptr;  // of int8 alone
    storage.put(tensor_of(name, storage));
  } else if constexpr (std::is_pointer_v<Pointed>) {
    using Element = std::remove_const_t<std::remove_pointer_t<Pointed>>;
    storage.put(storage.bytes + 1024);
    if constexpr (has_struct_size<Element>) storage.put(valid_struct<Element>(), 1024);
    if (fault == Fault::excluded) excluded->set(storage.bytes + 1024);
    if constexpr (std::is_same_v<Element, DLTensor>)
      storage.put(kindred_tensor(storage.bytes + 2048, KINDRED_FLOAT32, 2, storage.shape), 1024);
  } else if constexpr (std::is_same_v<Pointed, kindred_text>) {
    storage.put(kindred_text{"a", 1});
  } else if constexpr (std::is_same_v<Pointed, kindred_seed_state>) {
    storage.put(dormant);
  } else if constexpr (has_struct_size<Pointed>) {
    storage.put(valid_struct<Pointed>());
    if (fault == Fault::struct_size_0) storage.put(std::size_t{0});
    if (fault == Fault::struct_size_odd) storage.put(sizeof(Pointed) - 1);
    if (fault == Fault::struct_size_huge) storage.put(std::size_t{1} << 40U);
    if (fault == Fault::larger_with_values || fault == Fault::larger_with_zeros)
      storage.put(sizeof(Pointed) + 16);
    if (fault == Fault::larger_with_values) storage.bytes[sizeof(Pointed) + 3] = 1;
    if (fault == Fault::excluded) excluded->set(storage.bytes);
  } else if constexpr (std::is_arithmetic_v<Pointed>) {
    if (name == "offsets" || name == "patterns") storage.put(Pointed{1}, sizeof(Pointed));  // 0, 1
  }
  return stored;
}

/// An argument of type T with a fault, in \p storage.
template <class T>
T argument(std::string_view name, Fault fault, const Excluded* excluded, Storage& storage) {
  if constexpr (std::is_pointer_v<T>) {
    if (fault == Fault::null) return nullptr;
    if constexpr (std::is_function_v<std::remove_pointer_t<T>>)
      return &Stub<T>::call;
    else
      return pointer<T>(name, fault, excluded, storage);
  } else if constexpr (std::is_floating_point_v<T>) {
    return T(0.5);
  } else {
    if (fault == Fault::excluded) return static_cast<T>(excluded->argument);
    if constexpr (std::is_same_v<T, std::size_t>) {
      if (fault == Fault::size_max) return std::numeric_limits<T>::max();
      if (name == "struct_size") return 8;
      return name == "position" || name == "number" || name == "index" ? 0 : 1;
    }
    if (name == "dimensions" || name == "size") return T{2};
    return name == "times" || name == "count" ? T{1} : T{};
  }
}

std::vector<std::string> names_of(std::string list) {
  std::ranges::replace_if(
      list, [](char c) { return c == '(' || c == ',' || c == ')'; }, ' ');
  std::istringstream words(list);
  return {std::istream_iterator<std::string>(words), {}};
}

struct Outcome {
  bool failed = false;
  kindred_status status = KINDRED_OK;
  std::string message;
};

struct Parameter {
  std::string name;
  char kind;  ///< of Functions.inc
  bool is_handle;
  bool is_constant;  ///< points to a constant
  bool is_sized_struct;
  bool is_array_size;
};
template <class P>
Parameter parameter_of(const std::string& name, char kind) {
  using Pointed = std::remove_pointer_t<P>;
  const bool is_sized = std::is_pointer_v<P> && has_struct_size<std::remove_const_t<Pointed>>;
  return {name,
          kind,
          name == "handle" || is_handle<std::remove_const_t<Pointed>>,
          std::is_const_v<Pointed>,
          is_sized,
          std::is_same_v<P, std::size_t> && !plain_numbers.contains(name)};
}

/// A function of the header, which can be called with a fault in one of its arguments.
struct Function {
  std::string name;
  std::vector<Parameter> parameters;
  std::function<Outcome(std::size_t position, Fault fault, const Excluded* excluded)> call;
};

template <class R, class... P>
Function function_of(R (*function)(P...) noexcept, const char* name, const char* arguments,
                     const char* kinds) {
  const std::vector<std::string> names = names_of(arguments);
  const auto with_indices = [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto call = [function, names](std::size_t position, Fault fault,
                                        [[maybe_unused]] const Excluded* excluded) {
      const auto storage = std::make_unique<Storage[]>(sizeof...(P) + 1);
      const R returned = function(
          argument<P>(names[I], I == position ? fault : Fault::none, excluded, storage[I])...);
      Outcome out;
      if constexpr (std::is_same_v<R, kindred_status>)
        out = {returned != KINDRED_OK, returned, ""};
      else
        out = {returned == R{}, KINDRED_INVALID, ""};
      if (out.failed) out.message = kindred_last_error();
      return out;
    };
    return Function{name, {parameter_of<P>(names[I], kinds[I])...}, call};
  };
  return with_indices(std::index_sequence_for<P...>());
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

/// Calls `body(function, parameter, call)` for every parameter of every function; `call(fault)`
/// calls the function with a fault in the argument.
template <class Body>
void for_each_parameter(const Body& body) {
  for (const Function& function : functions())
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const Parameter& parameter = function.parameters[i];
      SCOPED_TRACE(function.name + ", " + parameter.name);
      body(function, parameter, [&](Fault fault) { return function.call(i, fault, nullptr); });
    }
}

/// Expects an invalid argument, with \p words in the message.
void expect_invalid(const Outcome& outcome, const std::string& words) {
  EXPECT_TRUE(outcome.failed);
  EXPECT_EQ(outcome.status, KINDRED_INVALID) << outcome.message;
  EXPECT_TRUE(contains(outcome.message, words)) << outcome.message;
}

TEST(CBadInput, RequiredPointersAreNotNullAndOthersMayBe) {
  std::size_t checked = 0;
  for_each_parameter([&](const Function& function, const Parameter& parameter, const auto& call) {
    const std::string words = parameter.name + " is NULL";
    if (parameter.kind == 'p') {
      expect_invalid(call(Fault::null), words);
      ++checked;
    } else if (parameter.kind == 'o' && !changes_the_fixture(function)) {
      const Outcome outcome = call(Fault::null);
      EXPECT_FALSE(contains(outcome.message, words)) << outcome.message;
    }
  });
  EXPECT_GT(checked, 200U);
}

TEST(CBadInput, HandlesOfAnotherKindAndDestroyedOnesAreRefused) {
  for_each_parameter([&](const Function& function, const Parameter& parameter, const auto& call) {
    if (!parameter.is_handle) return;
    if (function.name != "kindred_destroy")
      expect_invalid(call(Fault::other_kind), parameter.name + " is a handle of the kind");
    expect_invalid(call(Fault::destroyed), parameter.name + " was destroyed");
  });
}

TEST(CBadInput, SizesOfStructsAreChecked) {
  for_each_parameter([&](const Function& function, const Parameter& parameter, const auto& call) {
    if (!parameter.is_sized_struct || function.name == "kindred_modifiers_engram") return;
    for (const Fault fault :
         {Fault::struct_size_0, Fault::struct_size_odd, Fault::struct_size_huge})
      expect_invalid(call(fault), "struct_size");
    if (parameter.is_constant) expect_invalid(call(Fault::larger_with_values), "does not know");
    const Outcome larger = call(Fault::larger_with_zeros);
    EXPECT_FALSE(contains(larger.message, "struct_size")) << larger.message;
    EXPECT_FALSE(contains(larger.message, "does not know")) << larger.message;
  });
}

TEST(CBadInput, SizesBeyondTheMemoryAreRefused) {
  for_each_parameter([&](const Function&, const Parameter& parameter, const auto& call) {
    if (!parameter.is_array_size) return;
    const Outcome outcome = call(Fault::size_max);
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
    const auto function = std::ranges::find(functions(), excluded.function, &Function::name);
    ASSERT_NE(function, functions().end());
    const auto& parameters = function->parameters;
    const auto position = std::ranges::find(parameters, excluded.parameter, &Parameter::name);
    ASSERT_NE(position, parameters.end());
    const Outcome outcome = function->call(static_cast<std::size_t>(position - parameters.begin()),
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

TEST(CBadInput, StatusesHaveNames) {
  for (std::int32_t status = KINDRED_INTERNAL; status <= KINDRED_OK; ++status)
    EXPECT_TRUE(std::string(kindred_status_name(status)).starts_with("KINDRED_"));
  EXPECT_STREQ(kindred_status_name(1), "unknown status");
}

}  // namespace
}  // namespace Kindred::Testing
