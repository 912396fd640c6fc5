// SPDX-License-Identifier: Apache-2.0
#include "Arrays.hpp"

#include <kindred/core/common/Error.hpp>

#include "DLPack.hpp"
#include "Errors.hpp"
#include "NumPy.hpp"
#include "Options.hpp"
#include "Texts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace nb = nanobind;

namespace Kindred::Python {

namespace {

constexpr const char* array_kinds =
    "an array: of NumPy, or of a library with __dlpack__ such as PyTorch or CuPy";

/// Names of attributes, made once.
struct AttributeNames {
  nb::object dlpack_device = nb::steal(PyUnicode_InternFromString("__dlpack_device__"));
  nb::object exchange = nb::steal(PyUnicode_InternFromString("__dlpack_c_exchange_api__"));
  nb::object requires_grad = nb::steal(PyUnicode_InternFromString("requires_grad"));
  nb::object is_neg = nb::steal(PyUnicode_InternFromString("is_neg"));
};
const AttributeNames& attributes() {
  static const AttributeNames& made =
      *new AttributeNames;  // never destroyed: Python may have ended before
  return made;
}

/// The library that made an object: the first part of the name of its module.
std::string library_of(nb::handle object) {
  const nb::object module = nb::getattr(object.type(), "__module__", nb::none());
  if (!nb::isinstance<nb::str>(module)) return {};
  const std::string_view name = nb::cast<const char*>(module);
  return std::string(name.substr(0, name.find('.')));
}

/// The current stream of the library that made \p array; none if it is unknown.
nb::object current_stream(nb::handle array, int device) {
  const std::string library = library_of(array);
  if (library == "torch")
    return nb::module_::import_("torch").attr("cuda").attr("current_stream")(device);
  if (library == "cupy")
    return nb::module_::import_("cupy").attr("cuda").attr("get_current_stream")();
  return nb::none();
}

/// \brief The functions by which PyTorch 2.10 and later describes tensors of \p type; null for
/// other types. Tensors are never read-only, which these functions would not say.
const DLPack::ExchangeFunctions* exchange_functions(PyTypeObject* type) {
  struct Known {
    PyTypeObject* type;
    const DLPack::ExchangeFunctions* functions;
  };
  static std::array<Known, 4> known{};  // by the GIL: `torch.Tensor` and few types made from it
  for (const Known& one : known)
    if (one.type == type) return one.functions;
  const nb::handle object(reinterpret_cast<PyObject*>(type));
  const nb::object module = nb::getattr(object, "__module__", nb::none());
  if (!nb::isinstance<nb::str>(module)) return nullptr;
  const std::string_view name = nb::cast<const char*>(module);
  if (name != "torch" && !name.starts_with("torch.")) return nullptr;
  const nb::object capsule = nb::steal(PyObject_GetAttr(object.ptr(), attributes().exchange.ptr()));
  constexpr const char* capsule_name = "dlpack_exchange_api";
  if (!capsule.is_valid() || PyCapsule_IsValid(capsule.ptr(), capsule_name) == 0) {
    PyErr_Clear();
    return nullptr;
  }
  const auto* functions = static_cast<const DLPack::ExchangeFunctions*>(
      PyCapsule_GetPointer(capsule.ptr(), capsule_name));
  while (functions != nullptr && functions->major != 1) functions = functions->older;
  if (functions == nullptr || functions->describe == nullptr ||
      functions->current_stream == nullptr)
    return nullptr;
  for (Known& one : known) {
    if (one.type != nullptr) continue;
    one = {reinterpret_cast<PyTypeObject*>(object.inc_ref().ptr()), functions};
    break;
  }
  return functions;
}

/// Waits for what writes an array on a device. \throws InvalidArgument if its library is unknown
void wait_for(nb::handle array, int device, const char* name) {
  if (nb::hasattr(array, "block_until_ready")) {  // JAX
    array.attr("block_until_ready")();
    return;
  }
  const nb::object stream = current_stream(array, device);
  if (stream.is_none())
    refuse(std::string(name) + " lies on a device and is of " + type_text(array) +
           ", whose stream is not known here: give an array of PyTorch, CuPy or JAX");
  stream.attr("synchronize")();
}

void* handle_of_stream(nb::handle given) {
  const auto number = [](nb::handle object) {
    return reinterpret_cast<void*>(integer_of(object, "stream", 0));
  };
  if (PyLong_Check(given.ptr()) && !PyBool_Check(given.ptr())) return number(given);
  if (nb::hasattr(given, "__cuda_stream__")) {
    const nb::object pair = given.attr("__cuda_stream__")();
    return number(pair[1]);
  }
  for (const char* const name : {"cuda_stream", "ptr"})
    if (nb::hasattr(given, name)) return number(given.attr(name));
  refuse_type(
      "stream is of " + type_text(given) +
      "; it must be an int, an object with __cuda_stream__, or a stream of PyTorch or CuPy");
}

/// The element type of a format of the struct module, in the byte order of the machine.
std::optional<DataType> type_of_format(const char* format, std::size_t bytes) {
  if (format == nullptr) return DataType::uint8;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  static_assert(std::endian::native == std::endian::little);
  if (format[0] == 0 || format[1] != 0) return {};
  const int exponent = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
  if (std::strchr("bhilqn", *format) != nullptr)
    return static_cast<DataType>(static_cast<int>(DataType::int8) + exponent);
  if (std::strchr("BHILQN", *format) != nullptr)
    return static_cast<DataType>(static_cast<int>(DataType::uint8) + exponent);
  switch (*format) {
    case '?':
      return DataType::boolean;
    case 'e':
      return DataType::float16;
    case 'f':
      return DataType::float32;
    case 'd':
      return DataType::float64;
    default:
      return {};
  }
}

std::optional<DataType> type_of(const DLPack::DataType& given) {
  if (given.lanes != 1) return {};
  const int exponent = given.bits == 8    ? 0
                       : given.bits == 16 ? 1
                       : given.bits == 32 ? 2
                       : given.bits == 64 ? 3
                                          : -1;
  if (exponent < 0) return {};
  switch (given.code) {
    case 0:
      return static_cast<DataType>(static_cast<int>(DataType::int8) + exponent);
    case 1:
      return static_cast<DataType>(static_cast<int>(DataType::uint8) + exponent);
    case 2:
      if (exponent == 1) return DataType::float16;
      if (exponent == 2) return DataType::float32;
      if (exponent == 3) return DataType::float64;
      return {};
    case 4:
      if (exponent == 1) return DataType::bfloat16;
      return {};
    case 6:
      if (exponent == 0) return DataType::boolean;
      return {};
    default:
      return {};
  }
}

}  // namespace

CallStream::CallStream(nb::handle given) {
  if (!given.is_none()) m_stream = Stream::cuda(handle_of_stream(given));
}

void CallStream::use_that_of(nb::handle array, int device) {
  if (m_stream) return;
  const nb::object stream = current_stream(array, device);
  m_stream = Stream::cuda(stream.is_none() ? nullptr : handle_of_stream(stream));
}

std::intptr_t CallStream::dlpack_number() const noexcept {
  const auto number = reinterpret_cast<std::intptr_t>(m_stream ? m_stream->handle() : nullptr);
  return number == 0 ? 1 : number;  // 1: the default stream, which is 0 for the runtime
}

Copying copying_of(nb::handle given) {
  if (given.is_none()) return Copying::if_needed;
  if (given.ptr() == Py_Ellipsis) return Copying::absent;
  if (given.ptr() != Py_False)
    refuse_type(
        "copy must be None, where a copy is made only if the layout of an array needs one, or "
        "False");
  return Copying::never;
}

Borrowed::Borrowed(nb::handle given, const char* name, bool writable, CallStream* stream)
    : m_owner(nb::borrow(given)), m_name(name) {
  if (!borrow_numpy(writable) && !borrow_exchange(stream) && !borrow_buffer(writable))
    borrow_dlpack(writable, stream);
  m_kept_in = BorrowedArrays::present();
  if (m_kept_in != nullptr) m_kept_in->m_arrays.push_back(this);
}

Borrowed::~Borrowed() {
  if (m_kept_in != nullptr) std::erase(m_kept_in->m_arrays, this);
  if (m_has_buffer) PyBuffer_Release(&m_buffer);
}

void Borrowed::replace(nb::object other) {
  if (m_has_buffer) PyBuffer_Release(&m_buffer);
  m_has_buffer = false;
  m_is_aligned = true;
  m_capsule.reset();
  m_owner = std::move(other);
  if (!borrow_numpy(false) && !borrow_buffer(false)) borrow_dlpack(false, nullptr);
}

/// \param unit bytes per stride \p strides are counted in: 1, or those of an element
void Borrowed::set_shape(std::span<const std::int64_t> shape, const std::int64_t* strides,
                         std::int64_t unit) {
  m_rank = shape.size();
  if (m_rank > BasicArray<void>::rank_max)
    refuse(std::string(m_name) + " has " + std::to_string(m_rank) +
           " dimensions; arrays have at most 4");
  const auto bytes = static_cast<std::int64_t>(size_of(m_type));
  // Without elements, strides mean nothing, and NumPy sets them to 0.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) strides = nullptr;
  std::int64_t dense = 1;
  for (std::size_t i = m_rank; i-- > 0;) {
    m_shape[i] = shape[i];
    // The stride of a single index means nothing.
    if (strides == nullptr || shape[i] <= 1) {
      m_strides[i] = dense;
    } else {
      m_strides[i] = strides[i] * unit / bytes;
      if (strides[i] * unit % bytes != 0) m_is_aligned = false;
    }
    dense *= std::max<std::int64_t>(shape[i], 1);
  }
  if (reinterpret_cast<std::uintptr_t>(m_data) % static_cast<std::uintptr_t>(bytes) != 0)
    m_is_aligned = false;
}

bool Borrowed::borrow_numpy(bool writable) {
  const std::optional<NumPyArray> array = numpy_array(m_owner);
  if (!array) return false;
  if (writable && !array->writable)
    refuse(std::string(m_name) + " is read-only, and the call writes it");
  m_type = array->type;
  m_data = array->data;
  static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
  set_shape({reinterpret_cast<const std::int64_t*>(array->shape.data()), array->shape.size()},
            reinterpret_cast<const std::int64_t*>(array->strides), 1);
  return true;
}

bool Borrowed::borrow_buffer(bool writable) {
  if (PyObject_CheckBuffer(m_owner.ptr()) == 0) return false;
  bool is_bfloat16 = false;
  if (PyObject_GetBuffer(m_owner.ptr(), &m_buffer, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    // The bfloat16 of the package ml_dtypes, which has no format.
    const nb::object type = nb::getattr(m_owner, "dtype", nb::none());
    is_bfloat16 = !type.is_none() && nb::cast<std::string>(nb::str(type)) == "bfloat16";
    const std::string text =
        type.is_none() ? type_text(m_owner) : nb::cast<std::string>(nb::str(type));
    if (!is_bfloat16)
      refuse_type(std::string(m_name) + " has elements of type " + text +
                  ", which Kindred does not have");
    m_owner = m_owner.attr("view")("uint16");
    if (PyObject_GetBuffer(m_owner.ptr(), &m_buffer, PyBUF_RECORDS_RO) != 0)
      throw nb::python_error();
  }
  m_has_buffer = true;
  const auto released = [this] {  // the destructor does not run if the constructor throws
    PyBuffer_Release(&m_buffer);
    m_has_buffer = false;
  };
  try {
    if (writable && m_buffer.readonly != 0)
      refuse(std::string(m_name) + " is read-only, and the call writes it");
    const std::optional<DataType> type =
        type_of_format(m_buffer.format, static_cast<std::size_t>(m_buffer.itemsize));
    if (!type || static_cast<Py_ssize_t>(size_of(*type)) != m_buffer.itemsize)
      refuse_type(std::string(m_name) + " has elements of the format '" +
                  (m_buffer.format == nullptr ? "B" : m_buffer.format) +
                  "', which Kindred does not have (bytes in the order of this machine)");
    m_type = is_bfloat16 ? DataType::bfloat16 : *type;
    m_data = m_buffer.buf;
    std::array<std::int64_t, 64> shape{};
    const auto rank = static_cast<std::size_t>(m_buffer.ndim);
    std::copy_n(m_buffer.shape, rank, shape.begin());
    std::array<std::int64_t, 64> strides{};
    if (m_buffer.strides != nullptr) std::copy_n(m_buffer.strides, rank, strides.begin());
    set_shape({shape.data(), rank}, m_buffer.strides == nullptr ? nullptr : strides.data(), 1);
  } catch (...) {
    released();
    throw;
  }
  return true;
}

bool Borrowed::borrow_exchange(CallStream* stream) {
  const DLPack::ExchangeFunctions* const functions =
      exchange_functions(reinterpret_cast<PyTypeObject*>(m_owner.type().ptr()));
  if (functions == nullptr) return false;
  const nb::object requires_grad =
      nb::steal(PyObject_GetAttr(m_owner.ptr(), attributes().requires_grad.ptr()));
  if (!requires_grad.is_valid()) throw nb::python_error();
  if (requires_grad.ptr() == Py_True)
    refuse(std::string(m_name) +
           " is a tensor that requires a gradient, which this call does not compute: give its "
           "detach(), or use pykindred.torch");
  require_plain();
  DLPack::Tensor tensor{};
  if (functions->describe(m_owner.ptr(), &tensor) != 0) {
    PyErr_Clear();
    return false;
  }
  if (tensor.device.type == DLPack::cuda) {
    void* current = nullptr;
    if (stream == nullptr) return false;
    if (functions->current_stream(tensor.device.type, tensor.device.id, &current) != 0)
      throw nb::python_error();
    if (!stream->follows(current)) return false;
    m_memory = ArrayMemory::device;
    m_device = tensor.device.id;
  } else if (tensor.device.type != DLPack::cpu && tensor.device.type != DLPack::cuda_host) {
    return false;
  }
  take(tensor);
  return true;
}

void Borrowed::require_plain() const {
  const nb::object is_neg = nb::steal(PyObject_GetAttr(m_owner.ptr(), attributes().is_neg.ptr()));
  if (!is_neg.is_valid()) return PyErr_Clear();
  if (is_neg().ptr() == Py_True)
    refuse(std::string(m_name) +
           " is a tensor with the negative bit set, whose memory has the values with the other "
           "sign: give its resolve_neg()");
}

void Borrowed::borrow_dlpack(bool writable, CallStream* stream) {
  const nb::object place =
      nb::steal(PyObject_GetAttr(m_owner.ptr(), attributes().dlpack_device.ptr()));
  if (!place.is_valid()) {
    PyErr_Clear();
    refuse_type(std::string(m_name) + " is of type " + type_text(m_owner) + "; it must be " +
                array_kinds);
  }
  require_plain();
  const nb::object device = place();
  const nb::object kind = nb::steal(PySequence_GetItem(device.ptr(), 0));
  const long type = kind.is_valid() ? PyLong_AsLong(kind.ptr()) : -1;
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse_type(std::string(m_name) + " is of type " + type_text(m_owner) +
                ", whose __dlpack_device__ returns no pair of integers");
  }
  m_device = 0;
  nb::object export_call = m_owner.attr("__dlpack__");
  if (type == DLPack::cuda) {
    m_memory = ArrayMemory::device;
    m_device = nb::cast<int>(device[1]);
    std::intptr_t number = -1;  // nothing is ordered
    if (stream != nullptr) {
      stream->use_that_of(m_owner, m_device);
      number = stream->dlpack_number();
    } else {
      wait_for(m_owner, m_device, m_name);
    }
    m_capsule = export_call(nb::arg("stream") = number);
  } else if (type == DLPack::cpu || type == DLPack::cuda_host) {
    m_memory = ArrayMemory::host;
    // Only the versioned form says whether memory is read-only. Older libraries do not know the
    // argument, and for memory that a call reads they may refuse the form without a version.
    if (!writable) m_capsule = nb::steal(PyObject_CallNoArgs(export_call.ptr()));
    if (!m_capsule.is_valid()) {
      PyErr_Clear();
      nb::dict options;
      options["max_version"] = nb::make_tuple(1, 0);
      m_capsule =
          nb::steal(PyObject_Call(export_call.ptr(), nb::make_tuple().ptr(), options.ptr()));
    }
    if (!m_capsule.is_valid() && writable && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
      PyErr_Clear();
      m_capsule = nb::steal(PyObject_CallNoArgs(export_call.ptr()));
    }
    if (!m_capsule.is_valid()) throw nb::python_error();
  } else {
    refuse(std::string(m_name) + " lies on a device of type " + std::to_string(type) +
           " of DLPack; arrays must lie on the host (1, 3) or on a GPU from NVIDIA (2)");
  }
  const DLPack::Tensor* tensor = nullptr;
  if (PyCapsule_IsValid(m_capsule.ptr(), "dltensor") != 0) {
    tensor = &static_cast<DLPack::ManagedTensor*>(PyCapsule_GetPointer(m_capsule.ptr(), "dltensor"))
                  ->tensor;
  } else if (PyCapsule_IsValid(m_capsule.ptr(), "dltensor_versioned") != 0) {
    const auto* const versioned = static_cast<DLPack::VersionedTensor*>(
        PyCapsule_GetPointer(m_capsule.ptr(), "dltensor_versioned"));
    if (versioned->major != 1)
      refuse(std::string(m_name) + " is exported by version " + std::to_string(versioned->major) +
             " of DLPack; version 1 is known");
    if (writable && (versioned->flags & DLPack::read_only) != 0)
      refuse(std::string(m_name) + " is read-only, and the call writes it");
    tensor = &versioned->tensor;
  } else {
    refuse_type(std::string(m_name) + ": __dlpack__ of " + type_text(m_owner) +
                " returned no capsule of DLPack");
  }
  take(*tensor);
}

void Borrowed::take(const DLPack::Tensor& tensor) {
  const std::optional<DataType> element = Python::type_of(tensor.type);
  if (!element)
    refuse_type(std::string(m_name) + " has elements of code " +
                std::to_string(static_cast<int>(tensor.type.code)) + " and " +
                std::to_string(static_cast<int>(tensor.type.bits)) +
                " bits of DLPack, which Kindred does not have");
  m_type = *element;
  m_data = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  set_shape({tensor.shape, static_cast<std::size_t>(tensor.rank)}, tensor.strides,
            static_cast<std::int64_t>(size_of(m_type)));
  if (tensor.data == nullptr &&
      std::find(m_shape.begin(), m_shape.begin() + m_rank, 0) == m_shape.begin() + m_rank)
    refuse(std::string(m_name) + " is " + text() +
           " and has no memory: a tensor that only has a shape, or whose elements are all zero by "
           "definition; give its clone()");
}

bool Borrowed::is_contiguous() const noexcept {
  std::int64_t dense = 1;
  for (std::size_t i = m_rank; i-- > 0;) {
    if (m_shape[i] > 1 && m_strides[i] != dense) return false;
    dense *= std::max<std::int64_t>(m_shape[i], 1);
  }
  return true;
}

bool Borrowed::is_direct(Layout layout) const noexcept {
  if (!m_is_aligned) return false;
  if (m_rank != 2 || layout == Layout::dense) return is_contiguous();
  return (m_shape[1] <= 1 || m_strides[1] == 1) && (m_shape[0] <= 1 || m_strides[0] >= m_shape[1]);
}

std::string Borrowed::text() const {
  std::string out = std::string(to_string(m_type)) + " [";
  for (std::size_t i = 0; i < m_rank; ++i) out += (i == 0 ? "" : ", ") + std::to_string(m_shape[i]);
  return out + (on_device() ? "] on device " + std::to_string(m_device) : "]");
}

Input::Input(nb::handle given, const char* name, CallStream* stream, Copying copying, Layout layout)
    : Borrowed(given, name, false, stream) {
  if (is_direct(layout)) return;
  if (copying != Copying::if_needed || on_device())
    refuse(std::string(name) + " is " + text() +
           " with gaps, a negative stride or elements that are not aligned: the call reads " +
           (layout == Layout::rows ? "rows without gaps in them" : "an array without gaps") +
           ". Give such an array" +
           (copying == Copying::never && !on_device() ? ", or copy=None, which copies" : ""));
  if (PyObject_CheckBuffer(given.ptr()) == 0) {
    if (type() == DataType::bfloat16)
      refuse(std::string(name) + " is " + text() +
             " with gaps, which NumPy cannot copy; give an array without gaps");
    replace(numpy().array(numpy().from_dlpack(given), nb::arg("order") = "C"));
  } else if (type() == DataType::bfloat16) {
    replace(given.attr("copy")());
  } else {
    replace(numpy().array(given, nb::arg("order") = "C"));
  }
}

ConstArray Input::array() const {
  return {m_data, m_type, shape(), {m_strides.data(), m_rank}, m_memory, m_device};
}

void Borrowed::require_widens_to_float32() const {
  if (!widens_to_float32(m_type))
    refuse_type(std::string(m_name) + " is " + text() +
                "; its elements must be float32, float16 or bfloat16");
}

void Borrowed::require_type(std::initializer_list<DataType> types) const {
  if (std::find(types.begin(), types.end(), type()) != types.end()) return;
  std::string allowed;
  for (const DataType& one : types)
    allowed += (&one == types.begin() ? "" : " or ") + std::string(to_string(one));
  refuse_type(std::string(name()) + " is " + text() + "; its elements must be " + allowed +
              ", and are never converted silently");
}

void Output::require(DataType element, std::span<const std::int64_t> shape) const {
  if (type() == element && std::ranges::equal(this->shape(), shape)) return;
  std::string message = std::string(name()) + " is " + text() + "; it must be " +
                        std::string(to_string(element)) + " [";
  for (std::size_t i = 0; i < shape.size(); ++i)
    message += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  message += "]";
  if (type() != element) refuse_type(message);
  refuse(message);
}

std::span<const std::byte> Input::host_bytes() const {
  if (on_device()) refuse(std::string(name()) + " is " + text() + "; it must lie on the host");
  if (!is_contiguous()) refuse(std::string(name()) + " is " + text() + " with gaps between rows");
  std::size_t count = 1;
  for (const std::int64_t extent : shape()) count *= static_cast<std::size_t>(extent);
  return {static_cast<const std::byte*>(m_data), count * size_of(type())};
}

Output::Output(nb::handle given, const char* name, CallStream* stream)
    : Borrowed(given, name, true, stream) {
  if (!is_direct())
    refuse(std::string(name) + " is " + text() +
           " with gaps, a negative stride or elements that are not aligned: results are written "
           "into rows without gaps in them");
}

Array Output::array() const {
  return {m_data, m_type, shape(), {m_strides.data(), m_rank}, m_memory, m_device};
}

nb::object empty_array(DataType type, std::span<const std::int64_t> shape) {
  nb::object extents = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  Py_ssize_t place = 0;
  for (const std::int64_t extent : shape)
    PyTuple_SetItem(extents.ptr(), place++, PyLong_FromLongLong(extent));
  PyObject* const arguments[] = {extents.ptr(),
                                 numpy().types[static_cast<std::size_t>(type)].ptr()};
  nb::object made = nb::steal(PyObject_Vectorcall(numpy().empty.ptr(), arguments, 2, nullptr));
  if (made.is_valid()) return made;
  // Too many elements for an address, or for the memory.
  if (PyErr_ExceptionMatches(PyExc_MemoryError) == 0 &&
      PyErr_ExceptionMatches(PyExc_ValueError) == 0)
    throw nb::python_error();
  PyErr_Clear();
  throw std::bad_alloc();
}

nb::object empty_array(nb::handle like, const Borrowed& input, DataType type,
                       std::span<const std::int64_t> shape) {
  if (!input.on_device()) return empty_array(type, shape);
  const std::string library = library_of(like);
  nb::list extents;
  for (const std::int64_t extent : shape) extents.append(extent);
  const std::string name(to_string(type));
  if (library == "torch") {
    const nb::module_ torch = nb::module_::import_("torch");
    return torch.attr("empty")(extents, nb::arg("dtype") = torch.attr(name.c_str()),
                               nb::arg("device") = like.attr("device"));
  }
  if (library == "cupy") return nb::module_::import_("cupy").attr("empty")(extents, name.c_str());
  refuse(std::string(input.name()) + " lies on a device and is of " + type_text(like) +
         ", of which no array can be made here: give out=");
}

nb::object workspace_array(nb::handle like, const Borrowed& input, std::size_t bytes,
                           const CallStream& stream) {
  const std::string library = library_of(like);
  void* const handle = stream.stream() ? stream.stream()->handle() : nullptr;
  const auto size = static_cast<std::int64_t>(bytes);
  if (library == "torch") {
    nb::object made = empty_array(like, input, DataType::uint8, {size});
    if (handle_of_stream(current_stream(like, input.device())) != handle) {
      const nb::object other = nb::module_::import_("torch").attr("cuda").attr("ExternalStream")(
          reinterpret_cast<std::uintptr_t>(handle), nb::arg("device") = input.device());
      made.attr("record_stream")(other);
    }
    return made;
  }
  if (library == "cupy") {
    // Memory belongs to the stream that was the current one when it was made.
    const nb::object own = nb::module_::import_("cupy").attr("cuda").attr("ExternalStream")(
        reinterpret_cast<std::uintptr_t>(handle));
    own.attr("__enter__")();
    nb::object made;
    try {
      made = empty_array(like, input, DataType::uint8, {size});
    } catch (...) {
      own.attr("__exit__")(nb::none(), nb::none(), nb::none());
      throw;
    }
    own.attr("__exit__")(nb::none(), nb::none(), nb::none());
    return made;
  }
  refuse(std::string(input.name()) + " lies on a device and is of " + type_text(like) +
         ", of which no array can be made here: give workspace=, uint8 [" + std::to_string(bytes) +
         "]");
}

}  // namespace Kindred::Python
