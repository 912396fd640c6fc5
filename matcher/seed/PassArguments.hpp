// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_PASS_ARGUMENTS_HPP
#define KINDRED_MATCHER_SEED_PASS_ARGUMENTS_HPP

#include "kit/CallerArrays.hpp"
#include "kit/Overlap.hpp"

#include <kindred/core/seed/SeedRows.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace Kindred::Impl {

/// How the rows of a pass lie in memory. Not initialised: a call has room for more arrays than it
/// has.
struct RowLayout {
  DataType element;
  std::uint64_t stride;  ///< elements from one row to the next
  std::uint64_t bytes;   ///< from the first element to the last

  friend bool operator==(const RowLayout&, const RowLayout&) = default;
};

/// The rows at \p data, as kernels take them.
template <class ExecutionSpace, class Byte>
SeedRows<Byte, ExecutionSpace> rows_at(Byte* data, const RowLayout& layout) {
  SeedRows<Byte, ExecutionSpace> out;
  out.bytes = ArrayView<Byte, ExecutionSpace>(data, layout.bytes);
  out.element = layout.element;
  out.stride = layout.stride;
  return out;
}

/// \brief The arrays of a pass. Each is checked when it is added, also against those before it: an
/// output must be apart from all other arrays, except that it may be the rows of one of them.
class PassArguments {
 public:
  enum class Use : bool { input, output };
  /// An array as the pass uses it.
  struct Given {
    std::byte* data;
    RowLayout layout;
    const char* name;
    Use use;
    ArrayMemory memory;
    int device;

    ByteRange range() const { return {data, layout.bytes, name}; }
  };

  /// \param x [rows, hidden] of float32, float16 or bfloat16 \throws InvalidArgument
  explicit PassArguments(const ConstArray& x);
  /// The same for rows of \p hidden features, which here and below may also lie one after the other
  /// in one dimension. \throws InvalidArgument
  PassArguments(const ConstArray& x, std::uint32_t hidden);

  std::uint64_t rows() const noexcept { return m_rows; }
  std::uint32_t hidden() const noexcept { return m_hidden; }
  const RowLayout& x() const noexcept { return m_arrays[0].layout; }
  /// All arrays, x first.
  std::span<const Given> arrays() const noexcept { return {m_arrays.data(), m_count}; }

  /// Adds rows of as many features as x. \param may_be name of the array whose rows they may be
  /// \throws InvalidArgument
  RowLayout add_rows(const NamedArray& given, Use use, std::string_view may_be = {});
  /// Adds an array of one of \p types. \throws InvalidArgument
  void add(const NamedArray& given, std::initializer_list<DataType> types,
           std::initializer_list<std::int64_t> shape, Use use);
  /// Where all arrays lie. \see Impl::space_of
  std::optional<Space> space(const Context& context) const;

 private:
  RowLayout checked_rows(const NamedArray& given, std::int64_t rows, std::int64_t hidden) const;
  void append(const NamedArray& given, const RowLayout& layout, Use use, std::string_view may_be);

  static constexpr std::size_t arrays_max = 11;

  std::uint64_t m_rows = 0;
  std::uint32_t m_hidden = 0;
  bool m_may_be_flat = false;
  std::array<Given, arrays_max> m_arrays;
  std::size_t m_count = 0;
};

/// \throws InvalidArgument unless \p given has one of \p types
void require_type(const NamedArray& given, std::initializer_list<DataType> types);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_PASS_ARGUMENTS_HPP
