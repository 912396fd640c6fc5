// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/VectorFile.hpp>

#include "NpyFile.hpp"
#include "SectionFormat.hpp"
#include "VectorSource.hpp"

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace {

/// A format, and the function that opens files of it, with their type of numbers.
struct FormatRow {
  VectorFormat format;
  std::string_view name;
  std::unique_ptr<Impl::VectorSource> (*open)(Impl::InputFile, DataType) = nullptr;
  DataType type = DataType::float32;
};
constexpr std::array formats{
    FormatRow{VectorFormat::npy, "npy"},
    FormatRow{VectorFormat::fvecs, "fvecs", Impl::open_vecs},
    FormatRow{VectorFormat::bvecs, "bvecs", Impl::open_vecs, DataType::uint8},
    FormatRow{VectorFormat::ivecs, "ivecs", Impl::open_vecs, DataType::int32},
    FormatRow{VectorFormat::fbin, "fbin", Impl::open_bin},
    FormatRow{VectorFormat::u8bin, "u8bin", Impl::open_bin, DataType::uint8},
    FormatRow{VectorFormat::i8bin, "i8bin", Impl::open_bin, DataType::int8},
    FormatRow{VectorFormat::hdf5, "hdf5"}};
const FormatRow& row_of(VectorFormat format) {
  return *std::ranges::find(formats, format, &FormatRow::format);
}

/// The format by the extension of the name, otherwise by the first bytes.
VectorFormat format_of(const Impl::InputFile& file) {
  const std::string& path = file.path();
  const std::size_t dot = path.rfind('.');
  if (dot != std::string::npos) {
    const std::string_view end = std::string_view(path).substr(dot + 1);
    if (end == "h5") return VectorFormat::hdf5;
    if (const auto format = vector_format_from_string(end)) return *format;
  }
  std::array<char, 8> start{};
  const std::uint64_t count = std::min<std::uint64_t>(file.size(), start.size());
  file.read(0, start.data(), count);
  const std::string_view text(start.data(), count);
  if (text.starts_with("\x93NUMPY")) return VectorFormat::npy;
  if (text.starts_with("\x89HDF\r\n\x1a\n")) return VectorFormat::hdf5;
  if (text == std::string_view(Impl::section_magic.data(), Impl::section_magic.size())) {
    throw InvalidArgument(
        path +
        ": is a file of Kindred, not a file of plain rows; pass a store of vectors "
        "with --store, or read it with StoredVectors::load");
  }
  throw InvalidArgument(path +
                        ": unknown format of vectors; the name must end with .npy, "
                        ".fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin or .hdf5, or the format "
                        "must be given (--format)");
}

std::unique_ptr<Impl::VectorSource> open(const std::string& path, const VectorFileOptions& options,
                                         VectorFormat& format) {
  Impl::InputFile file(path);
  format = options.format ? *options.format : format_of(file);
  if (format == VectorFormat::npy) return Impl::open_npy(std::move(file), options.one_row);
  if (format == VectorFormat::hdf5) return Impl::open_hdf5(path, options.dataset);
  const FormatRow& row = row_of(format);
  return row.open(std::move(file), row.type);
}

}  // namespace

std::string_view to_string(VectorFormat format) noexcept { return row_of(format).name; }

std::optional<VectorFormat> vector_format_from_string(std::string_view name) noexcept {
  for (const FormatRow& row : formats)
    if (row.name == name) return row.format;
  return {};
}

struct KINDRED_HIDDEN VectorFile::State {
  std::string path;
  VectorFormat format;
  std::unique_ptr<Impl::VectorSource> source;

  /// Reads rows of \p Number as \p Out. \throws InvalidArgument for an integer that \p Out cannot
  /// represent
  template <class Number, class Out>
  void convert(std::uint64_t first, std::uint64_t count, Out* out) const {
    constexpr std::uint64_t buffer_bytes = std::uint64_t{1} << 20U;
    const std::uint64_t dimension = source->dimension;
    const std::uint64_t piece =
        std::min(count, std::max<std::uint64_t>(1, buffer_bytes / (dimension * sizeof(Number))));
    std::vector<Number> numbers(piece * dimension);
    for (std::uint64_t done = 0; done < count; done += piece) {
      const std::uint64_t rows_now = std::min(piece, count - done);
      source->read(first + done, rows_now, reinterpret_cast<std::byte*>(numbers.data()));
      for (std::uint64_t i = 0; i < rows_now * dimension; ++i, ++out) {
        if constexpr (std::is_same_v<Number, Arch::Float16>) {
          *out = Arch::to_float(numbers[i]);
        } else {
          *out = static_cast<Out>(numbers[i]);
          if constexpr (sizeof(Number) >= sizeof(Out)) {
            // Detects rounding of the float; 2⁶³ does not fit into int64, so it is not converted
            // back.
            const bool exact = *out < 9.2e18F && static_cast<std::int64_t>(*out) == numbers[i];
            if (!exact) refuse_number((first + done) * dimension + i, numbers[i]);
          }
        }
      }
    }
  }
  /// The same for the type of the file; returns false if that is not of integers.
  template <class Out>
  bool convert_integers(std::uint64_t first, std::uint64_t count, Out* out) const {
    switch (source->type) {
      case DataType::int8:
        convert<std::int8_t>(first, count, out);
        return true;
      case DataType::uint8:
        convert<std::uint8_t>(first, count, out);
        return true;
      case DataType::int32:
        convert<std::int32_t>(first, count, out);
        return true;
      case DataType::int64:
        if constexpr (!std::is_same_v<Out, std::int64_t>) convert<std::int64_t>(first, count, out);
        return true;
      default:
        return false;
    }
  }

  [[noreturn]] void refuse_number(std::uint64_t at, std::int64_t number) const {
    const std::uint64_t offset = source->offset_of(at / source->dimension, at % source->dimension);
    throw InvalidArgument(path + ": byte " + std::to_string(offset) + ": " +
                          std::to_string(number) +
                          " cannot be represented as float32; integers up to 16777216 can");
  }

  /// \throws InvalidArgument
  void check(std::uint64_t first, std::uint64_t count, const Array& out) const {
    KINDRED_THROW_IF(first > source->rows || count > source->rows - first,
                     path + ": rows " + std::to_string(first) + " to " +
                         std::to_string(first + count) + " of " + std::to_string(source->rows) +
                         " are requested");
    KINDRED_THROW_IF(checked_product({count, source->dimension}) != out.size(),
                     path + ": " + std::to_string(out.size()) + " elements of output for " +
                         std::to_string(count) + " rows of " + std::to_string(source->dimension));
    KINDRED_THROW_IF(out.on_device() || !out.is_contiguous(),
                     path + ": the output must be in host memory, without gaps");
  }
};

VectorFile::VectorFile(std::string path, const VectorFileOptions& options) try
    : m_state(std::make_unique<State>()) {
  m_state->path = std::move(path);
  m_state->source = open(m_state->path, options, m_state->format);
  constexpr std::uint64_t dimension_max = std::numeric_limits<std::uint32_t>::max();
  KINDRED_THROW_IF(m_state->source->dimension > dimension_max,
                   m_state->path + ": rows of dimension " +
                       std::to_string(m_state->source->dimension) + "; at most " +
                       std::to_string(dimension_max) + " is supported");
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorFile");
}

const std::string& VectorFile::path() const noexcept { return m_state->path; }
VectorFormat VectorFile::format() const noexcept { return m_state->format; }
DataType VectorFile::type() const noexcept { return m_state->source->type; }
std::uint64_t VectorFile::rows() const noexcept { return m_state->source->rows; }
std::uint64_t VectorFile::dimension() const noexcept { return m_state->source->dimension; }
std::uint64_t VectorFile::row_bytes() const noexcept { return dimension() * size_of(type()); }

void VectorFile::read(std::uint64_t first, std::uint64_t count, const Array& out) const try {
  const State& state = *m_state;
  state.check(first, count, out);
  if (out.type() == type())
    return state.source->read(first, count, static_cast<std::byte*>(out.data()));
  if (out.type() == DataType::float32) {
    auto* const floats = static_cast<float*>(out.data());
    if (!state.convert_integers(first, count, floats))
      state.convert<Arch::Float16>(first, count, floats);
    return;
  }
  KINDRED_THROW_IF(out.type() != DataType::int64,
                   path() + ": holds " + std::string(to_string(type())) + "; it can be read as " +
                       "that, as float32 or, if it is of integers, as int64");
  if (!state.convert_integers(first, count, static_cast<std::int64_t*>(out.data())))
    throw InvalidArgument(path() + ": holds " + std::string(to_string(type())) +
                          "; integers are required");
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorFile::read");
}

std::vector<std::uint8_t> read_mask(const std::string& path) try {
  const Impl::NpyFile npy{Impl::InputFile(path)};
  const Impl::NpyHeader& header = npy.header;
  const std::optional<DataType> type = header.type();
  if (type != DataType::boolean && type != DataType::uint8) {
    npy.file.refuse(npy.header_at,
                    "dtype " + in_quotes(header.descr) + "; it must be bool or uint8");
  }
  if (header.shape.size() != 1) {
    npy.file.refuse(npy.header_at, "shape " + header.shown_shape() + " has " +
                                       std::to_string(header.shape.size()) +
                                       " dimensions; 1 is required");
  }
  npy.check_size(DataType::uint8);
  std::vector<std::uint8_t> mask(header.shape[0]);
  npy.file.read(npy.data_at, mask.data(), mask.size());
  return mask;
} catch (...) {
  Impl::rethrow_translated("Kindred::read_mask");
}

}  // namespace Kindred
