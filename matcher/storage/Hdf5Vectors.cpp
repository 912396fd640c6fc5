// SPDX-License-Identifier: Apache-2.0
// Two-dimensional datasets of HDF5 files, as used by ann-benchmarks. libhdf5 is loaded when the
// first such file is opened: linking it would load three dozen libraries (curl, LDAP, TLS) and add
// 13 ms to the start of every program.
#include "VectorSource.hpp"

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>

#include <dlfcn.h>

#include <array>
#include <mutex>
#include <utility>

#if !defined(KINDRED_ENABLE_HDF5)
#define KINDRED_ENABLE_HDF5 1
#endif

namespace Kindred::Impl {

#if KINDRED_ENABLE_HDF5

namespace {

using Id = std::int64_t;  // hid_t since HDF5 1.10
using Size = unsigned long long;
constexpr Id invalid = -1;
constexpr Id default_list = 0;
constexpr int class_integer = 0;
constexpr int class_float = 1;
constexpr int little_endian = 0;
constexpr int select_set = 0;

/// The functions of libhdf5 that are used, with the signatures of its C interface.
class Hdf5 {
  void* m_library = open_library();

  /// The address of a function, as a pointer of any type.
  struct Address {
    void* address;
    template <class Function>
    operator Function*()
        const {  // NOLINT(google-explicit-constructor): the type is that of the member
      return reinterpret_cast<Function*>(address);
    }
  };
  Address find(const char* name) const {
    void* const address = ::dlsym(m_library, name);
    if (address == nullptr)
      throw Error(std::string("the installed libhdf5 has no function ") + name +
                  "; install another version");
    return {address};
  }
  static void* open_library() {
    for (const char* name : {"libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5_serial.so",
                             "libhdf5.so", "libhdf5.so.200", "libhdf5.so.310"}) {
      if (void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    }
    throw Error(
        "reading HDF5 files requires libhdf5, which is not installed (Debian: apt-get install "
        "libhdf5-103-1)");
  }
  Hdf5() {
    std::array<unsigned, 3> found{};
    if (version(&found[0], &found[1], &found[2]) < 0 ||
        std::pair(found[0], found[1]) < std::pair(1U, 10U)) {
      throw Error("reading HDF5 files requires libhdf5 1.10 or newer; the installed version is " +
                  std::to_string(found[0]) + "." + std::to_string(found[1]));
    }
  }

 public:
  /// \throws Error if no usable libhdf5 is installed
  static const Hdf5& get() {
    static const Hdf5 library;
    return library;
  }

  int (*version)(unsigned*, unsigned*, unsigned*) = find("H5get_libversion");
  int (*set_error_printer)(Id stack, void* function, void* data) = find("H5Eset_auto2");
  int (*get_error_printer)(Id stack, void** function, void** data) = find("H5Eget_auto2");
  Id (*open_file)(const char* path, unsigned flags, Id list) = find("H5Fopen");
  int (*close_file)(Id) = find("H5Fclose");
  Id (*open_dataset)(Id file, const char* name, Id list) = find("H5Dopen2");
  int (*close_dataset)(Id) = find("H5Dclose");
  Id (*space_of)(Id dataset) = find("H5Dget_space");
  Id (*type_of)(Id dataset) = find("H5Dget_type");
  Size (*storage_of)(Id dataset) = find("H5Dget_storage_size");
  int (*read)(Id dataset, Id type, Id memory_space, Id file_space, Id list,
              void* out) = find("H5Dread");
  Id (*make_space)(int rank, const Size* sizes, const Size* limits) = find("H5Screate_simple");
  int (*rank_of)(Id space) = find("H5Sget_simple_extent_ndims");
  int (*sizes_of)(Id space, Size* sizes, Size* limits) = find("H5Sget_simple_extent_dims");
  int (*select)(Id space, int how, const Size* start, const Size* stride, const Size* count,
                const Size* block) = find("H5Sselect_hyperslab");
  int (*close_space)(Id) = find("H5Sclose");
  int (*class_of)(Id type) = find("H5Tget_class");
  std::size_t (*bytes_of)(Id type) = find("H5Tget_size");
  int (*order_of)(Id type) = find("H5Tget_order");
  std::size_t (*precision_of)(Id type) = find("H5Tget_precision");
  std::size_t (*exponent_bias_of)(Id type) = find("H5Tget_ebias");
  int (*sign_of)(Id type) = find("H5Tget_sign");
  int (*close_type)(Id) = find("H5Tclose");
};

/// While an object lives, no other thread is in libhdf5, and libhdf5 prints nothing.
class InHdf5 {
 public:
  explicit InHdf5(const Hdf5& library) : m_lock(mutex()), m_library(library) {
    m_library.get_error_printer(default_list, &m_function, &m_data);
    m_library.set_error_printer(default_list, nullptr, nullptr);
  }
  ~InHdf5() { m_library.set_error_printer(default_list, m_function, m_data); }
  InHdf5(const InHdf5&) = delete;
  InHdf5& operator=(const InHdf5&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex mutex;  // most distributions do not build libhdf5 thread-safe
    return mutex;
  }
  std::lock_guard<std::mutex> m_lock;
  const Hdf5& m_library;
  void* m_function = nullptr;
  void* m_data = nullptr;
};

/// An open object of libhdf5.
class Handle {
 public:
  Handle() = default;
  Handle(Id id, int (*close)(Id)) : m_id(id), m_close(close) {}
  Handle(Handle&& other) noexcept
      : m_id(std::exchange(other.m_id, invalid)), m_close(other.m_close) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(m_id, other.m_id);
    std::swap(m_close, other.m_close);
    return *this;
  }
  ~Handle() {
    if (m_id >= 0) m_close(m_id);
  }
  Id get() const { return m_id; }
  explicit operator bool() const { return m_id >= 0; }

 private:
  Id m_id = invalid;
  int (*m_close)(Id) = nullptr;
};

class Hdf5Rows final : public VectorSource {
 public:
  Hdf5Rows(std::string path, std::string dataset)
      : m_library(Hdf5::get()), m_path(std::move(path)), m_name(std::move(dataset)) {
    const InHdf5 inside(m_library);
    try {
      open();
    } catch (...) {
      close();  // here and not in the destructors of the members, when the lock is no longer held
      throw;
    }
  }
  ~Hdf5Rows() override {
    const InHdf5 inside(m_library);
    close();
  }

  void read(std::uint64_t first, std::uint64_t count, std::byte* out) const override {
    if (count == 0) return;
    const InHdf5 inside(m_library);
    const std::array<Size, 2> start{first, 0};
    const std::array<Size, 2> sizes{count, dimension};
    const Handle file_space(m_library.space_of(m_dataset.get()), m_library.close_space);
    const Handle memory_space(m_library.make_space(2, sizes.data(), nullptr),
                              m_library.close_space);
    const bool done = file_space && memory_space &&
                      m_library.select(file_space.get(), select_set, start.data(), nullptr,
                                       sizes.data(), nullptr) >= 0 &&
                      // Read as the type in the file, so that libhdf5 does not convert.
                      m_library.read(m_dataset.get(), m_type.get(), memory_space.get(),
                                     file_space.get(), default_list, out) >= 0;
    if (!done) {
      corrupt("cannot be read, rows " + std::to_string(first) + " to " +
              std::to_string(first + count));
    }
  }
  std::uint64_t offset_of(std::uint64_t, std::uint64_t) const override { return 0; }

 private:
  void open() {
    constexpr unsigned read_only = 0;
    m_file = {m_library.open_file(m_path.c_str(), read_only, default_list), m_library.close_file};
    if (!m_file)
      throw CorruptFile(m_path, 0, "not an HDF5 file, or damaged: libhdf5 cannot open it");
    m_dataset = {m_library.open_dataset(m_file.get(), m_name.c_str(), default_list),
                 m_library.close_dataset};
    if (!m_dataset) {
      throw NotFound(m_path + ": the file has no dataset " + in_quotes(m_name) +
                     " that libhdf5 can open; ann-benchmarks' are train, test, neighbors, "
                     "distances");
    }
    m_type = {m_library.type_of(m_dataset.get()), m_library.close_type};
    const Handle space(m_library.space_of(m_dataset.get()), m_library.close_space);
    if (!m_type || !space) corrupt("has no type or no shape");
    const int rank = m_library.rank_of(space.get());
    if (rank != 2) refuse("has " + std::to_string(rank) + " dimensions; 2 are required");
    std::array<Size, 2> sizes{};
    if (m_library.sizes_of(space.get(), sizes.data(), nullptr) != 2)
      corrupt("has no readable shape");
    rows = sizes[0];
    dimension = sizes[1];
    if (dimension == 0) corrupt("has rows of length 0");
    type = number_type();
    check_storage();
  }
  void close() {
    m_type = Handle();
    m_dataset = Handle();
    m_file = Handle();
  }

  [[noreturn]] void corrupt(const std::string& why) const {
    throw CorruptFile(m_path, 0, "dataset " + in_quotes(m_name) + " " + why);
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw InvalidArgument(m_path + ": dataset " + in_quotes(m_name) + " " + why);
  }

  DataType number_type() const {
    const int kind = m_library.class_of(m_type.get());
    const std::size_t bytes = m_library.bytes_of(m_type.get());
    const bool plain = m_library.precision_of(m_type.get()) == 8 * bytes &&
                       m_library.order_of(m_type.get()) == little_endian;
    if (plain && kind == class_float) {
      const std::size_t bias = m_library.exponent_bias_of(m_type.get());
      if (bytes == 4 && bias == 127) return DataType::float32;
      if (bytes == 2 && bias == 15) return DataType::float16;
    }
    if (plain && kind == class_integer) {
      const bool is_signed = m_library.sign_of(m_type.get()) != 0;
      if (bytes == 1) return is_signed ? DataType::int8 : DataType::uint8;
      if (bytes == 4 && is_signed) return DataType::int32;
      if (bytes == 8 && is_signed) return DataType::int64;
    }
    refuse("has numbers of " + std::to_string(bytes) + " bytes" +
           (kind == class_float     ? " (floating)"
            : kind == class_integer ? " (integers)"
                                    : " (neither integers nor floating)") +
           "; they must be little-endian float32, float16, int8, uint8, int32 or int64");
  }

  /// Compares the shape with the stored bytes: compression expands a byte to at most 1032
  /// (deflate).
  void check_storage() const {
    constexpr Size ratio_max = 1100;
    const Size stored = m_library.storage_of(m_dataset.get());
    const auto required = checked_product({rows, dimension, size_of(type)});
    if (!required || *required / ratio_max > stored || (stored == 0 && *required > 0)) {
      corrupt("claims to have " + std::to_string(rows) + " rows of dimension " +
              std::to_string(dimension) + ", but the file stores only " + std::to_string(stored) +
              " bytes");
    }
  }

  const Hdf5& m_library;
  std::string m_path;
  std::string m_name;
  Handle m_file;
  Handle m_dataset;
  Handle m_type;
};

}  // namespace

std::unique_ptr<VectorSource> open_hdf5(const std::string& path, const std::string& dataset) {
  return std::make_unique<Hdf5Rows>(path, dataset);
}

#else

std::unique_ptr<VectorSource> open_hdf5(const std::string& path, const std::string&) {
  throw Error(path +
              ": this build does not read HDF5 files (it was configured with "
              "Kindred_ENABLE_HDF5=OFF); convert the file, such as to .npy");
}

#endif

}  // namespace Kindred::Impl
