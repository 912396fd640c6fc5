// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_DLPACK_HPP
#define KINDRED_PYTHON_DLPACK_HPP

#include <cstdint>

// The structs of DLPack 1.0 that a consumer reads (github.com/dmlc/dlpack, Apache-2.0).
namespace Kindred::Python::DLPack {

struct Device {
  std::int32_t type;
  std::int32_t id;
};
inline constexpr std::int32_t cpu = 1;
inline constexpr std::int32_t cuda = 2;
inline constexpr std::int32_t cuda_host = 3;  // page-locked memory of the host

struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t rank;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: no gaps
  std::uint64_t byte_offset;
};

/// In a capsule named "dltensor".
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

/// In a capsule named "dltensor_versioned".
struct VersionedTensor {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*deleter)(VersionedTensor*);
  std::uint64_t flags;
  Tensor tensor;
};
inline constexpr std::uint64_t read_only = 1;

/// Functions of a library that exports its arrays without calls of Python, in a capsule named
/// "dlpack_exchange_api" that a type has as `__dlpack_c_exchange_api__` (DLPack 1.3).
struct ExchangeFunctions {
  std::uint32_t major;
  std::uint32_t minor;
  ExchangeFunctions* older;
  void (*allocate)();
  void (*to_managed)();
  void (*from_managed)();
  /// Describes an array, which keeps the memory, the shape and the strides; null: not available.
  int (*describe)(void* object, Tensor* out);
  int (*current_stream)(std::int32_t type, std::int32_t device, void** out);
};

}  // namespace Kindred::Python::DLPack

#endif  // KINDRED_PYTHON_DLPACK_HPP
