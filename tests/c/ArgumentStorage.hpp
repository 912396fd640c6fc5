// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_ARGUMENT_STORAGE_HPP
#define KINDRED_TESTS_C_ARGUMENT_STORAGE_HPP

#include <kindred.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

namespace Kindred::Testing {

/// A function of a type.
template <class Function>
struct Stub;
template <class R, class... P>
struct Stub<R (*)(P...)> {
  static R call(P...) { return R{}; }
};

inline std::string unused_path() {
  static const std::string path = [] {
    return (std::filesystem::temp_directory_path() / "kindred-absent" / "file").string();
  }();
  return path;
}

/// Storage of the arguments of a call.
struct Storage {
  alignas(64) unsigned char bytes[8192] = {};
  std::int64_t shape[2] = {1, 2};
  std::string path = unused_path();
  template <class T>
  void put(const T& value, std::size_t at = 0) {
    std::memcpy(bytes + at, &value, sizeof(value));
  }
};

/// A tensor that fits the fixture: an index of rows of two numbers, lists of the default length, no
/// edges and no sources.
inline DLTensor tensor_of(std::string_view name, Storage& storage) {
  struct Known {
    std::string_view name;
    std::uint32_t type;
    std::int32_t ndim;
    std::int64_t shape[2];
  };
  constexpr Known all[] = {
      {"scores", KINDRED_FLOAT32, 2, {1, 10}},     {"ids", KINDRED_INT64, 2, {1, 10}},
      {"candidates", KINDRED_INT64, 2, {1, 2}},    {"found", KINDRED_INT64, 2, {1, 2}},
      {"truth", KINDRED_INT64, 2, {1, 2}},         {"offsets", KINDRED_INT64, 1, {2, 0}},
      {"ends", KINDRED_INT32, 1, {0, 0}},          {"nodes", KINDRED_INT32, 1, {0, 0}},
      {"values", KINDRED_FLOAT32, 1, {0, 0}},      {"out_nodes", KINDRED_INT32, 2, {1, 10}},
      {"out_values", KINDRED_FLOAT32, 2, {1, 10}}, {"results", KINDRED_FLOAT32, 1, {1, 0}},
      {"dalpha", KINDRED_FLOAT32, 1, {1, 0}},      {"b", KINDRED_FLOAT32, 2, {2, 2}}};
  Known used{name, KINDRED_FLOAT32, 2, {1, 2}};
  for (const Known& known : all)
    if (known.name == name) used = known;
  std::copy(std::begin(used.shape), std::end(used.shape), storage.shape);
  return kindred_tensor(storage.bytes + 1024, used.type, used.ndim, storage.shape);
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_ARGUMENT_STORAGE_HPP
