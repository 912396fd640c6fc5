// SPDX-License-Identifier: Apache-2.0
#include "Arguments.hpp"

#include <kindred/core/common/Error.hpp>

namespace Kindred::C {

namespace {

std::optional<DataType> data_type_of_bits(const DLDataType& type) {
  if (type.lanes != 1) return {};
  const auto of = [&](DataType b8, DataType b16, DataType b32,
                      DataType b64) -> std::optional<DataType> {
    switch (type.bits) {
      case 8:
        return b8;
      case 16:
        return b16;
      case 32:
        return b32;
      case 64:
        return b64;
      default:
        return {};
    }
  };
  switch (type.code) {
    case kDLInt:
      return of(DataType::int8, DataType::int16, DataType::int32, DataType::int64);
    case kDLUInt:
      return of(DataType::uint8, DataType::uint16, DataType::uint32, DataType::uint64);
    case kDLFloat:
      if (type.bits == 16) return DataType::float16;
      if (type.bits == 32) return DataType::float32;
      if (type.bits == 64) return DataType::float64;
      return {};
    case kDLBfloat:
      if (type.bits == 16) return DataType::bfloat16;
      return {};
    case kDLBool:
      if (type.bits == 8) return DataType::boolean;
      return {};
    default:
      return {};
  }
}

template <class Void>
BasicArray<Void> array_of_tensor(const DLTensor* tensor, const char* name) {
  require(tensor, name);
  const auto refuse = [&](const std::string& what) { C::refuse(std::string(name) + what); };
  if (tensor->ndim < 1 || tensor->ndim > static_cast<std::int32_t>(ConstArray::rank_max))
    refuse(" has " + std::to_string(tensor->ndim) + " dimensions; 1 to 4 are supported");
  if (tensor->shape == nullptr) refuse(" has no shape");
  const std::optional<DataType> type = data_type_of_bits(tensor->dtype);
  if (!type)
    refuse(" has elements of the DLPack code " + std::to_string(tensor->dtype.code) + ", " +
           std::to_string(tensor->dtype.bits) + " bits and " + std::to_string(tensor->dtype.lanes) +
           " lanes, which are not supported");
  std::int32_t device = 0;
  std::memcpy(&device, &tensor->device.device_type, sizeof(device));
  const bool on_device = device == kDLCUDA || device == kDLCUDAManaged;
  if (!on_device && device != kDLCPU && device != kDLCUDAHost)
    refuse(" is on a device of the DLPack type " + std::to_string(device) +
           "; supported are kDLCPU, kDLCUDAHost, kDLCUDA and kDLCUDAManaged");
  const auto rank = static_cast<std::size_t>(tensor->ndim);
  void* data = tensor->data;
  if (data != nullptr) data = static_cast<std::byte*>(data) + tensor->byte_offset;
  if (reinterpret_cast<std::uintptr_t>(data) % size_of(*type) != 0)
    refuse(" is not aligned to its elements of " + std::to_string(size_of(*type)) + " bytes");
  std::span<const std::int64_t> strides;
  if (tensor->strides != nullptr) strides = {tensor->strides, rank};
  try {
    return BasicArray<Void>(data, *type, std::span<const std::int64_t>(tensor->shape, rank),
                            strides, on_device ? ArrayMemory::device : ArrayMemory::host,
                            on_device ? tensor->device.device_id : 0);
  } catch (const InvalidArgument& error) {
    refuse(std::string(": ") + error.what());
  }
  return {};
}

template <class Void, class Tensor>
std::vector<BasicArray<Void>> arrays_of_tensors(std::span<Tensor* const> tensors,
                                                const std::string& name) {
  std::vector<BasicArray<Void>> out;
  out.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i)
    out.push_back(
        array_of_tensor<Void>(tensors[i], (name + "[" + std::to_string(i) + "]").c_str()));
  return out;
}

/// A matrix without gaps in host memory.
void check_matrix(const ConstArray& array, const char* name, DataType type, std::uint64_t columns) {
  const auto refuse = [&](const std::string& what) {
    C::refuse(std::string(name) + " is " + to_string(array) + what);
  };
  if (array.type() != type)
    refuse("; it must have elements of type " + std::string(to_string(type)));
  if (array.on_device()) refuse("; it must be in host memory");
  if (array.rank() > 2) refuse("; it must have one row per query, or be one row");
  if (static_cast<std::uint64_t>(array.extent(array.rank() - 1)) != columns)
    refuse("; a row must have " + std::to_string(columns) + " elements");
  if (!array.is_contiguous()) refuse(" with gaps; its elements must be contiguous");
}

std::uint64_t rows_of_array(const ConstArray& array) {
  return array.rank() == 1 ? 1 : static_cast<std::uint64_t>(array.extent(0));
}
void check_output_matrix(const ConstArray& array, const char* name, DataType type,
                         std::uint64_t rows, std::uint64_t columns) {
  check_matrix(array, name, type, columns);
  KINDRED_C_REFUSE_IF(rows_of_array(array) != rows, std::string(name) + " is " + to_string(array) +
                                                        "; it must have " + std::to_string(rows) +
                                                        " rows");
}

/// The element type of rows, of which those of int8 have scales.
DataType row_element_of(const ConstArray& array, const DLTensor* scales, const char* name) {
  KINDRED_C_REFUSE_IF(!is_vector_element(array.type()),
                      std::string(name) + " is " + to_string(array) +
                          "; rows have elements of type float32, float16, bfloat16 or int8");
  const bool have_scales = array.type() == DataType::int8;
  KINDRED_C_REFUSE_IF(have_scales && scales == nullptr,
                      std::string(name) +
                          " has elements of type int8, and scales is NULL; give "
                          "one scale per row");
  KINDRED_C_REFUSE_IF(!have_scales && scales != nullptr, "scales are given, but the elements of " +
                                                             std::string(name) + " are not int8");
  return array.type();
}

}  // namespace

void check_struct_size(std::size_t size, const char* name) {
  KINDRED_C_REFUSE_IF(
      size < sizeof(std::size_t) || size > struct_size_max || size % sizeof(std::size_t) != 0,
      std::string(name) + ".struct_size is " + std::to_string(size) +
          "; it must be the size of the struct: initialise it by its KINDRED_..._INIT");
}

std::optional<Space> space_option(std::int32_t space) {
  if (space == KINDRED_SPACE_ANY) return {};
  return space_argument(space);
}

Space space_argument(std::int32_t space) {
  KINDRED_C_REFUSE_IF(
      space < 0 || space >= static_cast<std::int32_t>(space_count),
      "space is " + std::to_string(space) +
          "; it must be KINDRED_SPACE_SERIAL (0), KINDRED_SPACE_OPENMP (1), KINDRED_SPACE_CUDA (2) "
          "or, in options, KINDRED_SPACE_ANY (-1)");
  return static_cast<Space>(space);
}

Residency residency_option(std::int32_t residency) {
  return enum_of<Residency>(residency, 4, "residency");
}

int threads_argument(std::int32_t threads) {
  KINDRED_C_REFUSE_IF(threads < 0,
                      "threads is " + std::to_string(threads) +
                          "; it must be a number of threads, or 0 for all of the machine");
  return threads;
}

std::optional<Stream> stream_option(std::int32_t has_stream, void* stream) {
  KINDRED_C_REFUSE_IF(has_stream != 0 && has_stream != 1,
                      "has_stream is " + std::to_string(has_stream) + "; it must be 0 or 1");
  KINDRED_C_REFUSE_IF(has_stream == 0 && stream != nullptr,
                      "stream is given, but has_stream is 0; set it to 1 to use the stream");
  if (has_stream == 0) return {};
  return Stream::cuda(stream);
}

void check_reserved(std::int32_t reserved, const char* name) {
  KINDRED_C_REFUSE_IF(reserved != 0, std::string(name) + ".reserved is " +
                                         std::to_string(reserved) + "; it must be 0");
}

std::vector<std::string_view> texts_of(const kindred_text* texts, std::size_t count,
                                       const char* name) {
  const std::span<const kindred_text> given = span_of(texts, count, name);
  std::vector<std::string_view> out;
  out.reserve(count);
  for (const kindred_text& text : given) out.push_back(text_of(text.data, text.size, name));
  return out;
}

std::string path_of(const char* path, const char* name) {
  require(path, name);
  KINDRED_C_REFUSE_IF(*path == '\0', std::string(name) + " is empty");
  return path;
}

std::uint64_t check_row_offsets(const std::uint64_t* offsets, std::size_t rows, const char* name) {
  KINDRED_C_REFUSE_IF(
      rows >= static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 8,
      std::to_string(rows) + " rows exceed the memory");
  require(offsets, name);
  KINDRED_C_REFUSE_IF(offsets[0] != 0, std::string(name) + "[0] is " + std::to_string(offsets[0]) +
                                           "; it must be 0");
  for (std::size_t row = 0; row < rows; ++row)
    KINDRED_C_REFUSE_IF(offsets[row + 1] < offsets[row],
                        std::string(name) + "[" + std::to_string(row + 1) + "] is " +
                            std::to_string(offsets[row + 1]) + ", less than the one before it, " +
                            std::to_string(offsets[row]));
  return offsets[rows];
}

ConstArray array_of(const DLTensor* tensor, const char* name) {
  return array_of_tensor<const void>(tensor, name);
}
Array output_array_of(const DLTensor* tensor, const char* name) {
  return array_of_tensor<void>(tensor, name);
}

void check_columns(const Array& array, const char* name, std::size_t top) {
  KINDRED_C_REFUSE_IF(static_cast<std::uint64_t>(array.extent(array.rank() - 1)) != top,
                      std::string(name) + " is " + to_string(ConstArray(array)) +
                          "; a row must have `top` elements, " + std::to_string(top));
}

std::optional<ConstArray> optional_array_of(const DLTensor* tensor, const char* name) {
  if (tensor == nullptr) return {};
  return array_of(tensor, name);
}
std::optional<Array> optional_output_array_of(const DLTensor* tensor, const char* name) {
  if (tensor == nullptr) return {};
  return output_array_of(tensor, name);
}

std::vector<ConstArray> arrays_of(const DLTensor* const* tensors, std::size_t count,
                                  const char* name) {
  return arrays_of_tensors<const void>(span_of(tensors, count, name), name);
}
std::vector<Array> output_arrays_of(DLTensor* const* tensors, std::size_t count, const char* name) {
  return arrays_of_tensors<void>(span_of(tensors, count, name), name);
}

template <class T>
std::span<const T> matrix_of(const DLTensor* tensor, const char* name, std::uint64_t columns,
                             std::uint64_t* rows) {
  const ConstArray array = array_of(tensor, name);
  check_matrix(array, name, data_type_of<T>, columns);
  if (rows != nullptr) *rows = rows_of_array(array);
  return {static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size())};
}
template std::span<const float> matrix_of(const DLTensor*, const char*, std::uint64_t,
                                          std::uint64_t*);
template std::span<const std::int64_t> matrix_of(const DLTensor*, const char*, std::uint64_t,
                                                 std::uint64_t*);

template <class T>
std::span<const T> row_of(const DLTensor* tensor, const char* name, std::uint64_t columns) {
  std::uint64_t rows = 0;
  const std::span<const T> out = matrix_of<T>(tensor, name, columns, &rows);
  KINDRED_C_REFUSE_IF(
      rows != 1, std::string(name) + " has " + std::to_string(rows) + " rows; it must have one");
  return out;
}
template std::span<const float> row_of(const DLTensor*, const char*, std::uint64_t);

template <class T>
std::span<T> output_matrix_of(const DLTensor* tensor, const char* name, std::uint64_t rows,
                              std::uint64_t columns) {
  const Array array = output_array_of(tensor, name);
  check_output_matrix(array, name, data_type_of<T>, rows, columns);
  return {static_cast<T*>(array.data()), static_cast<std::size_t>(array.size())};
}
template std::span<float> output_matrix_of(const DLTensor*, const char*, std::uint64_t,
                                           std::uint64_t);
template std::span<std::int64_t> output_matrix_of(const DLTensor*, const char*, std::uint64_t,
                                                  std::uint64_t);

VectorSpan rows_of(const DLTensor* rows, const DLTensor* scales, const char* name) {
  const ConstArray array = array_of(rows, name);
  const auto columns = static_cast<std::uint64_t>(array.extent(array.rank() - 1));
  const DataType element = row_element_of(array, scales, name);
  check_matrix(array, name, array.type(), columns);
  std::span<const float> factors;
  if (scales != nullptr) factors = row_of<float>(scales, "scales", rows_of_array(array));
  return VectorSpan(element,
                    {static_cast<const std::byte*>(array.data()),
                     static_cast<std::size_t>(array.size() * size_of(array.type()))},
                    static_cast<std::size_t>(columns), factors);
}

OutputRows output_rows_of(const DLTensor* rows, const DLTensor* scales, const char* name,
                          std::uint64_t count, std::uint64_t columns) {
  const Array array = output_array_of(rows, name);
  OutputRows out;
  out.element = row_element_of(array, scales, name);
  check_output_matrix(array, name, array.type(), count, columns);
  if (out.element == DataType::int8)
    out.scales = output_matrix_of<float>(scales, "scales", 1, count);
  out.values = {static_cast<std::byte*>(array.data()),
                static_cast<std::size_t>(array.size() * size_of(array.type()))};
  return out;
}

std::function<void(std::uint64_t)> progress_of(kindred_progress_callback progress, void* user) {
  if (progress == nullptr) return {};
  return [=](std::uint64_t done) { cancel_if(progress(user, done), "progress"); };
}

kindred_record record_of(const DispatchRecord& record) {
  kindred_record out = KINDRED_RECORD_INIT;
  copy_text(out.operation, record.operation.name());
  out.items = record.items;
  out.work = record.work;
  out.transfer_bytes = record.transfer_bytes;
  std::copy(record.predicted.begin(), record.predicted.end(), out.predicted);
  out.taken = record.taken;
  out.starts = record.starts;
  out.space = static_cast<std::int32_t>(record.chosen);
  out.reason = static_cast<std::int32_t>(record.why);
  out.threads = record.threads;
  out.first = record.first ? 1 : 0;
  out.pieces = record.pieces;
  return out;
}

}  // namespace Kindred::C
