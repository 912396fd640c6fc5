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

struct FormatName {
  VectorFormat format;
  std::string_view name;
};
constexpr std::array format_names{
    FormatName{VectorFormat::npy, "npy"},     FormatName{VectorFormat::fvecs, "fvecs"},
    FormatName{VectorFormat::bvecs, "bvecs"}, FormatName{VectorFormat::ivecs, "ivecs"},
    FormatName{VectorFormat::fbin, "fbin"},   FormatName{VectorFormat::u8bin, "u8bin"},
    FormatName{VectorFormat::i8bin, "i8bin"}, FormatName{VectorFormat::hdf5, "hdf5"}};

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
  switch (format) {
    case VectorFormat::npy:
      return Impl::open_npy(std::move(file), options.one_row);
    case VectorFormat::fvecs:
      return Impl::open_vecs(std::move(file), NumberType::float32);
    case VectorFormat::bvecs:
      return Impl::open_vecs(std::move(file), NumberType::uint8);
    case VectorFormat::ivecs:
      return Impl::open_vecs(std::move(file), NumberType::int32);
    case VectorFormat::fbin:
      return Impl::open_bin(std::move(file), NumberType::float32);
    case VectorFormat::u8bin:
      return Impl::open_bin(std::move(file), NumberType::uint8);
    case VectorFormat::i8bin:
      return Impl::open_bin(std::move(file), NumberType::int8);
    case VectorFormat::hdf5:
      break;
  }
  return Impl::open_hdf5(path, options.dataset);
}

}  // namespace

std::string_view to_string(VectorFormat format) noexcept {
  return std::find_if(format_names.begin(), format_names.end(),
                      [&](const FormatName& known) { return known.format == format; })
      ->name;
}

std::optional<VectorFormat> vector_format_from_string(std::string_view name) noexcept {
  for (const FormatName& known : format_names) {
    if (known.name == name) return known.format;
  }
  return {};
}

std::string_view to_string(NumberType type) noexcept {
  switch (type) {
    case NumberType::float32:
      return "float32";
    case NumberType::float16:
      return "float16";
    case NumberType::int8:
      return "int8";
    case NumberType::uint8:
      return "uint8";
    case NumberType::int32:
      return "int32";
    case NumberType::int64:
      break;
  }
  return "int64";
}

std::size_t number_bytes(NumberType type) noexcept {
  switch (type) {
    case NumberType::int8:
    case NumberType::uint8:
      return 1;
    case NumberType::float16:
      return 2;
    case NumberType::float32:
    case NumberType::int32:
      return 4;
    case NumberType::int64:
      break;
  }
  return 8;
}

struct KINDRED_HIDDEN VectorFile::State {
  std::string path;
  VectorFormat format;
  std::unique_ptr<Impl::VectorSource> source;

  /// Calls `body(numbers, done)` for pieces of the rows; the numbers are of type \p Number.
  template <class Number, class Body>
  void for_each_piece(std::uint64_t first, std::uint64_t count, const Body& body) const {
    constexpr std::uint64_t buffer_bytes = std::uint64_t{1} << 20U;
    const std::uint64_t dimension = source->dimension;
    const std::uint64_t piece =
        std::min(count, std::max<std::uint64_t>(1, buffer_bytes / (dimension * sizeof(Number))));
    std::vector<Number> buffer(piece * dimension);
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t rows_now = std::min(piece, count - done);
      source->read(first + done, rows_now, reinterpret_cast<std::byte*>(buffer.data()));
      body(std::span<const Number>(buffer).first(rows_now * dimension), done * dimension);
      done += rows_now;
    }
  }

  /// \throws InvalidArgument for an integer that \p Out cannot represent
  template <class Number, class Out>
  void widen(std::uint64_t first, std::uint64_t count, std::span<Out> out) const {
    for_each_piece<Number>(first, count, [&](std::span<const Number> numbers, std::uint64_t done) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto value = static_cast<Out>(numbers[i]);
        if constexpr (sizeof(Number) >= sizeof(Out) && !std::is_same_v<Number, Out>) {
          // Detects rounding of the float; 2⁶³ does not fit into int64, so it is not converted
          // back.
          const bool exact = value < 9.2e18F && static_cast<std::int64_t>(value) == numbers[i];
          if (!exact) refuse_number(first * source->dimension + done + i, numbers[i]);
        }
        out[done + i] = value;
      }
    });
  }

  [[noreturn]] void refuse_number(std::uint64_t at, std::int64_t number) const {
    const std::uint64_t offset = source->offset_of(at / source->dimension, at % source->dimension);
    throw InvalidArgument(path + ": byte " + std::to_string(offset) + ": " +
                          std::to_string(number) +
                          " cannot be represented as float32; integers up to 16777216 can");
  }

  /// \throws InvalidArgument
  void check(std::uint64_t first, std::uint64_t count, std::uint64_t size,
             std::uint64_t size_of_row) const {
    KINDRED_THROW_IF(first > source->rows || count > source->rows - first,
                     path + ": rows " + std::to_string(first) + " to " +
                         std::to_string(first + count) + " of " + std::to_string(source->rows) +
                         " are requested");
    KINDRED_THROW_IF(checked_product({count, size_of_row}) != size,
                     path + ": " + std::to_string(size) + " elements of output for " +
                         std::to_string(count) + " rows of " + std::to_string(size_of_row));
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
NumberType VectorFile::type() const noexcept { return m_state->source->type; }
std::uint64_t VectorFile::rows() const noexcept { return m_state->source->rows; }
std::uint64_t VectorFile::dimension() const noexcept { return m_state->source->dimension; }
std::uint64_t VectorFile::row_bytes() const noexcept { return dimension() * number_bytes(type()); }

void VectorFile::read(std::uint64_t first, std::uint64_t count, std::span<std::byte> out) const
    try {
  m_state->check(first, count, out.size(), row_bytes());
  m_state->source->read(first, count, out.data());
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorFile::read");
}

void VectorFile::read(std::uint64_t first, std::uint64_t count, std::span<float> out) const try {
  m_state->check(first, count, out.size(), dimension());
  switch (type()) {
    case NumberType::float32:
      m_state->source->read(first, count, reinterpret_cast<std::byte*>(out.data()));
      return;
    case NumberType::float16:
      m_state->for_each_piece<std::uint16_t>(
          first, count, [&](std::span<const std::uint16_t> halves, std::uint64_t done) {
            for (std::size_t i = 0; i < halves.size(); ++i)
              out[done + i] = Arch::to_float(Arch::Float16{halves[i]});
          });
      return;
    case NumberType::int8:
      return m_state->widen<std::int8_t>(first, count, out);
    case NumberType::uint8:
      return m_state->widen<std::uint8_t>(first, count, out);
    case NumberType::int32:
      return m_state->widen<std::int32_t>(first, count, out);
    case NumberType::int64:
      return m_state->widen<std::int64_t>(first, count, out);
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorFile::read");
}

void VectorFile::read(std::uint64_t first, std::uint64_t count, std::span<std::int64_t> out) const
    try {
  m_state->check(first, count, out.size(), dimension());
  switch (type()) {
    case NumberType::int8:
      return m_state->widen<std::int8_t>(first, count, out);
    case NumberType::uint8:
      return m_state->widen<std::uint8_t>(first, count, out);
    case NumberType::int32:
      return m_state->widen<std::int32_t>(first, count, out);
    case NumberType::int64:
      m_state->source->read(first, count, reinterpret_cast<std::byte*>(out.data()));
      return;
    case NumberType::float32:
    case NumberType::float16:
      break;
  }
  throw InvalidArgument(path() + ": holds " + std::string(to_string(type())) +
                        "; integers are required");
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorFile::read");
}

std::vector<std::uint8_t> read_mask(const std::string& path) try {
  const Impl::NpyFile npy{Impl::InputFile(path)};
  const Impl::NpyHeader& header = npy.header;
  if (header.descr != "|b1" && header.descr != "|u1") {
    npy.file.refuse(npy.header_at,
                    "dtype " + in_quotes(header.descr) + "; it must be bool or uint8");
  }
  if (header.shape.size() != 1) {
    npy.file.refuse(npy.header_at, "shape " + header.shown_shape() + " has " +
                                       std::to_string(header.shape.size()) +
                                       " dimensions; 1 is required");
  }
  npy.check_size(1);
  std::vector<std::uint8_t> mask(header.shape[0]);
  npy.file.read(npy.data_at, mask.data(), mask.size());
  return mask;
} catch (...) {
  Impl::rethrow_translated("Kindred::read_mask");
}

}  // namespace Kindred
