// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_VECTOR_CALL_HPP
#define KINDRED_MATCHER_VECTOR_VECTOR_CALL_HPP

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/UnpackRanks.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "kit/CallerArrays.hpp"
#include "kit/ValueMessage.hpp"

namespace Kindred::Impl {

/// \brief Elements from one query or row to the next, for an array of one or two dimensions.
/// \throws InvalidArgument as `row_stride`
inline std::size_t stride_of(const NamedArray& given) {
  return static_cast<std::size_t>(row_stride(given));
}

/// \brief The queries of a call, where its arrays lie and what the caller asks for of its place.
struct VectorCall {
  /// \brief A call with ranked results. \param read the queries, and one more array at most
  /// \param out if it is given, queries of one dimension are one query
  /// \throws InvalidArgument, SpaceUnavailable
  VectorCall(const Context& context, std::size_t dimension, std::initializer_list<NamedArray> read,
             const SearchOutput& out, const std::optional<Space>& space_,
             const std::optional<Stream>& stream_ = {})
      : VectorCall(context, dimension, read, {{{"scores", out.scores}, {"ids", out.ids}}},
                   is_given(out), space_, stream_) {}
  /// \brief A call that writes scores. \throws InvalidArgument, SpaceUnavailable
  VectorCall(const Context& context, std::size_t dimension, std::initializer_list<NamedArray> read,
             const Array& out, const std::optional<Space>& space_,
             const std::optional<Stream>& stream_ = {})
      : VectorCall(context, dimension, read, {{{"out", out}, {}}}, false, space_, stream_) {}

  /// \brief Requires an array with a row per query, and returns the elements of a row.
  /// \param extent of a row, or `any_extent` \throws InvalidArgument
  std::size_t columns(const NamedArray& given, DataType type,
                      std::int64_t extent = any_extent) const {
    const auto count = static_cast<std::int64_t>(queries.count);
    if (!is_flat) {
      require_array(given, type, {count, extent});
      return static_cast<std::size_t>(given.array.extent(1));
    }
    require_array(given, type, {extent == any_extent ? any_extent : count * extent});
    return queries.count == 0 ? 0 : given.array.size() / queries.count;
  }
  /// For results that a call returns. \throws InvalidArgument if the arrays lie on a device
  void require_output_on_host() const {
    KINDRED_THROW_IF(on_device,
                     "the arrays lie on a device, and there are none for the results; give scores "
                     "and ids there");
  }
  /// \brief Where ranked results go: to the arrays of the caller, or nowhere yet, \p top_of_results
  /// per query. \param out as for the constructor \throws InvalidArgument
  RankedOutput ranked(const SearchOutput& out, std::size_t top_of_results) const {
    if (!has_output) {
      KINDRED_THROW_IF(top_of_results == 0, "top is 0; it must be at least 1");
      RankedOutput to;
      to.top = top_of_results;
      return to;
    }
    const NamedArray scores{"scores", out.scores};
    const NamedArray ids{"ids", out.ids};
    const std::size_t top = columns(scores, DataType::float32);
    KINDRED_THROW_IF(top == 0, "top, the extent of scores, is 0; it must be at least 1");
    columns(ids, DataType::int64, static_cast<std::int64_t>(top));
    require_apart(scores, ids);
    require_apart_from_read(scores);
    require_apart_from_read(ids);
    return {static_cast<float*>(out.scores.data()), stride_of(scores),
            static_cast<std::int64_t*>(out.ids.data()), stride_of(ids), top};
  }
  /// Where the scores of a call go.
  struct Matrix {
    float* values;
    std::size_t stride;  ///< elements from one query to the next
  };
  /// \param rows scores per query \throws InvalidArgument
  Matrix matrix(const Array& out, std::size_t rows) const {
    const NamedArray given{"out", out};
    const bool any = is_flat && out.rank() == 1;  // checked below
    columns(given, DataType::float32, any ? any_extent : static_cast<std::int64_t>(rows));
    const std::size_t size = size_product("queries × rows", {queries.count, rows});
    KINDRED_THROW_IF(out.size() != size, value_message("the size of the output", out.size()) +
                                             "; it must be queries × rows, " +
                                             std::to_string(size));
    require_apart_from_read(given);
    return {static_cast<float*>(out.data()), is_flat ? rows : stride_of(given)};
  }

  GivenQueries queries;
  bool has_output;         ///< whether the caller gave arrays for ranked results
  bool is_flat = false;    ///< the rows of all arrays follow one another in one dimension
  bool on_device = false;  ///< where the arrays lie
  std::size_t bytes = 0;   ///< of the queries
  std::optional<Space> space;
  std::optional<Stream> stream;

 private:
  using NamedArrays = std::array<NamedArray, 2>;

  VectorCall(const Context& context, std::size_t dimension, std::initializer_list<NamedArray> read,
             const NamedArrays& written, bool has_output_, const std::optional<Space>& space_,
             const std::optional<Stream>& stream_)
      : has_output(has_output_), space(space_), stream(stream_) {
    std::copy(read.begin(), read.end(), m_read.begin());
    const NamedArray& given = m_read[0];
    const auto extent = static_cast<std::int64_t>(dimension);
    is_flat = given.array.rank() == 1;
    if (!is_flat) {
      require_array(given, DataType::float32, {any_extent, extent});
      queries.count = static_cast<std::size_t>(given.array.extent(0));
    } else if (has_output) {
      require_array(given, DataType::float32, {extent});
      queries.count = 1;
    } else {
      require_array(given, DataType::float32, {any_extent});
      KINDRED_THROW_IF(given.array.size() % dimension != 0,
                       value_message("the size of the queries", given.array.size()) +
                           "; it must be a multiple of the dimension, " +
                           std::to_string(dimension));
      queries.count = given.array.size() / dimension;
    }
    queries.values = static_cast<const float*>(given.array.data());
    queries.stride = is_flat ? dimension : stride_of(given);
    bytes = queries.count * dimension * sizeof(float);
    on_device = space_of(context, {m_read[0], m_read[1], written[0], written[1]}).has_value();
    if (!on_device) require_no_stream(stream);
    KINDRED_THROW_IF(on_device && space.value_or(Space::cuda) != Space::cuda,
                     "the arrays lie on a device, and the requested space is " +
                         std::string(to_string(*space)) + "; request cuda or no space");
  }

  void require_apart_from_read(const NamedArray& written) const {
    for (const NamedArray& read : m_read) require_apart(read, written);
  }
  /// By default, the ids are no integers.
  static bool is_given(const SearchOutput& out) noexcept {
    return out.scores.rank() != 1 || out.ids.rank() != 1 ||
           out.scores.size() + out.ids.size() > 0 || out.ids.type() != Array().type();
  }

  NamedArrays m_read{};
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_VECTOR_CALL_HPP
