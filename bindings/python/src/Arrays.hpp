// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_ARRAYS_HPP
#define KINDRED_PYTHON_ARRAYS_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Stream.hpp>

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Arrays of Python as arrays of Kindred. Everything that reads or makes an array passes here.
namespace Kindred::Python {

namespace DLPack {
struct Tensor;
}

/// \brief The stream that orders a call: that of the argument `stream`, otherwise that of the
/// library which made the first array on a device (its current one), otherwise the default stream
/// of CUDA.
class CallStream {
 public:
  /// \param given None, an int, or an object with `__cuda_stream__`, `cuda_stream` (PyTorch) or
  /// `ptr` (CuPy) \throws InvalidType
  explicit CallStream(nanobind::handle given);

  /// The stream of a call whose arrays lie on the host if no array set one.
  std::optional<Stream> stream() const noexcept { return m_stream; }
  /// Takes the stream of the library that made \p array.
  void use_that_of(nanobind::handle array, int device);
  /// \brief Whether what the library of an array has queued on \p current, its current stream, is
  /// ordered before the call: the stream of the call is \p current, or becomes it.
  bool follows(void* current) noexcept {
    if (!m_stream) m_stream = Stream::cuda(current);
    return m_stream->handle() == current;
  }
  /// The number by which `__dlpack__` takes the stream.
  std::intptr_t dlpack_number() const noexcept;

 private:
  std::optional<Stream> m_stream;
};

/// What to do with an array whose layout a call cannot use.
enum class Copying : std::uint8_t {
  if_needed,
  never,  ///< by the caller's `copy=False`
  absent  ///< never: the call reads the array later
};
/// \param given the argument `copy`: None, False or, of a prepared call, `...` \throws InvalidType
Copying copying_of(nanobind::handle given);

/// Layouts that a call can use.
enum class Layout : std::uint8_t {
  rows,  ///< no gaps within the last dimension, and rows that do not overlap
  dense  ///< no gaps
};

class Borrowed;

/// \brief The arrays that an object keeps, for the garbage collector: it sees objects that are
/// borrowed as they are, but nothing behind a capsule of DLPack.
class BorrowedArrays {
 public:
  BorrowedArrays() = default;
  BorrowedArrays(const BorrowedArrays&) = delete;
  BorrowedArrays& operator=(const BorrowedArrays&) = delete;

  /// While it exists, the arrays that its thread borrows are added. They leave when they end.
  class Scope {
   public:
    explicit Scope(BorrowedArrays& of) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    BorrowedArrays* m_before;
  };
  /// That of the scope of this thread, or null.
  static BorrowedArrays* present() noexcept;
  int traverse(visitproc visit, void* arg) const;

 private:
  friend class Borrowed;
  std::vector<const Borrowed*> m_arrays;
};

/// \brief An array of the caller for the time of a call: NumPy and what has the buffer protocol,
/// otherwise what has `__dlpack__`. Nothing is converted; elements are never cast.
///
/// The owner can neither free nor resize the memory meanwhile. Must be destroyed with the GIL held.
class Borrowed {
 public:
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  const char* name() const noexcept { return m_name; }
  DataType type() const noexcept { return m_type; }
  bool on_device() const noexcept { return m_memory == ArrayMemory::device; }
  int device() const noexcept { return m_device; }
  std::size_t rank() const noexcept { return m_rank; }
  std::int64_t extent(std::size_t dimension) const noexcept { return m_shape[dimension]; }
  std::span<const std::int64_t> shape() const noexcept { return {m_shape.data(), m_rank}; }
  bool is_contiguous() const noexcept;
  /// \throws InvalidType for another element type
  void require_type(std::initializer_list<DataType> types) const;
  /// `float64 [3, 4]`
  std::string text() const;
  /// \throws InvalidType unless the elements are float32, float16 or bfloat16
  void require_widens_to_float32() const;
  int traverse(visitproc visit, void* arg) const;

 protected:
  /// \param stream orders the reading of arrays on a device; null: they must be complete, which is
  /// waited for
  Borrowed(nanobind::handle given, const char* name, bool writable, CallStream* stream);
  ~Borrowed();

  /// Whether a call can use the array where it is: elements are aligned, in that layout.
  bool is_direct(Layout layout = Layout::rows) const noexcept;
  /// Borrows another object instead.
  void replace(nanobind::object other);

  void* m_data = nullptr;
  DataType m_type = DataType::float32;
  ArrayMemory m_memory = ArrayMemory::host;
  int m_device = 0;
  std::size_t m_rank = 0;
  BasicArray<void>::extents_type m_shape{};
  BasicArray<void>::extents_type m_strides{};

 private:
  bool borrow_numpy(bool writable);
  bool borrow_buffer(bool writable);
  bool borrow_exchange(CallStream* stream);
  void borrow_dlpack(bool writable, CallStream* stream);
  /// \throws InvalidArgument for a tensor whose elements are not what its memory has
  void require_plain() const;
  void take(const DLPack::Tensor& tensor);
  void set_shape(std::span<const std::int64_t> shape, const std::int64_t* strides,
                 std::int64_t unit);

  nanobind::object m_owner;
  const char* m_name;
  nanobind::object m_capsule;
  BorrowedArrays* m_kept_in = nullptr;
  bool m_has_buffer = false;
  bool m_is_aligned = true;
  Py_buffer m_buffer{};
};

/// An array that a call reads.
class Input : public Borrowed {
 public:
  /// \throws InvalidType for what is no array; InvalidArgument for a layout that would need a copy
  Input(nanobind::handle given, const char* name, CallStream* stream = nullptr,
        Copying copying = Copying::if_needed, Layout layout = Layout::rows);

  ConstArray array() const;
  /// \throws InvalidArgument for another number of dimensions
  void require_rank(std::size_t lowest, std::size_t highest) const;
  /// \throws InvalidArgument for rows of another length
  void require_columns(std::size_t columns) const;
  /// The elements of an array on the host. \throws InvalidArgument for memory on a device or gaps
  std::span<const std::byte> host_bytes() const;
  template <class T>
  std::span<const T> host_values() const {
    require_type({data_type_of<T>});
    const std::span<const std::byte> bytes = host_bytes();
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// An array that a call writes.
class Output : public Borrowed {
 public:
  /// \throws InvalidType for what is no array; InvalidArgument for read-only memory
  Output(nanobind::handle given, const char* name, CallStream* stream = nullptr);
  Array array() const;
  /// \throws InvalidType, InvalidArgument for another type or shape
  void require(DataType type, std::span<const std::int64_t> shape) const;
};

/// \brief A new array: of NumPy, or, for \p like on a device, of the library that made it.
/// \throws InvalidArgument for a library whose arrays cannot be made; OutOfMemory
nanobind::object empty_array(nanobind::handle like, const Borrowed& input, DataType type,
                             std::span<const std::int64_t> shape);
nanobind::object empty_array(DataType type, std::span<const std::int64_t> shape);
inline nanobind::object empty_array(nanobind::handle like, const Borrowed& input, DataType type,
                                    std::initializer_list<std::int64_t> shape) {
  return empty_array(like, input, type, std::span(shape.begin(), shape.size()));
}
inline nanobind::object empty_array(DataType type, std::initializer_list<std::int64_t> shape) {
  return empty_array(type, std::span(shape.begin(), shape.size()));
}
/// \brief uint8 [\p bytes] on the device of \p input, made by the library that made \p like, for
/// the time of a call on \p stream: it may be released before the device has finished.
/// \throws InvalidArgument for a library whose arrays cannot be made
nanobind::object workspace_array(nanobind::handle like, const Borrowed& input, std::size_t bytes,
                                 const CallStream& stream);
/// \brief The arrays of the argument `out`, (scores, ids), whose last dimension must be \p top.
/// \throws InvalidType, InvalidArgument
void outputs_of(nanobind::handle out, std::int64_t top, nanobind::object& scores,
                nanobind::object& ids);
/// \brief The items of the argument \p name, a tuple of three arrays or Nones; three Nones for
/// None. \param items what they are, for messages \throws InvalidType
std::array<nanobind::object, 3> three_of(nanobind::handle given, const char* name,
                                         const char* items);
/// Values as an array of NumPy.
template <class T>
nanobind::object array_of(std::span<const T> values);
/// A member of all items, or what a function returns for them, as an array of NumPy.
template <class T, class Items, class Member>
nanobind::object column_of(const Items& items, const Member& member) {
  nanobind::object made = empty_array(data_type_of<T>, {static_cast<std::int64_t>(items.size())});
  const Output out(made, "results");
  auto* to = static_cast<T*>(out.array().data());
  for (const auto& item : items) *to++ = static_cast<T>(std::invoke(member, item));
  return made;
}

/// \brief Ids of the argument \p name: an array of integers, or a sequence of ints.
/// \throws InvalidType, InvalidArgument for negative numbers
std::vector<std::uint64_t> ids_of(nanobind::handle given, const char* name);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_ARRAYS_HPP
