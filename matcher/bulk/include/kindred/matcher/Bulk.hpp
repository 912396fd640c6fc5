// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_HPP
#define KINDRED_MATCHER_BULK_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/bulk/ArithmeticKinds.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Stream.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace KINDRED_PUBLIC Kindred {

template <class T>
concept BulkNumber = std::same_as<T, float> || std::same_as<T, double>;

template <class T>
concept BulkInteger = std::same_as<T, std::int8_t> || std::same_as<T, std::int16_t> ||
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
    std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>;
template <class T>
concept BulkElement = BulkNumber<T> || BulkInteger<T>;

/// The type of sums and extremes of integers, as in NumPy.
template <BulkInteger T>
using BulkIntegerResult = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

/// Non-owning list of arrays, of equal or different lengths, including 0.
template <class T>
using BulkArrays = std::span<const std::span<const T>>;
/// \brief Output arrays, one per input array and of the same length. An output may be one of its
/// own inputs (in place) and must not overlap any other array of the call.
template <class T>
using BulkResults = std::span<const std::span<T>>;

/// C = A · B of row-major matrices without gaps.
template <class T>
struct MatrixPair {
  std::span<const T> a = {};  ///< m × k
  std::span<const T> b = {};  ///< k × n
  std::span<T> c = {};        ///< m × n; must not overlap any input
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
};

struct BulkOptions {
  std::optional<Space> space = {};  ///< empty: the dispatcher chooses
  std::size_t batch_bytes = 0;  ///< bytes of arrays on a device at a time; 0: the best size for the
                                ///< operation, within half of the remaining budget
  /// Orders a call on arrays in device memory, which then does not fence; only for such arrays.
  std::optional<Stream> stream = {};
};
struct ProductOptions {
  std::optional<Space> space = {};  ///< as `BulkOptions::space`
  std::size_t batch_bytes = 0;      ///< as `BulkOptions::batch_bytes`
  /// True: reproducible sums, bitwise identical on every space, but slower. False: the vendor's
  /// library, bitwise identical for repeated runs on the same space; |computed − exact| ≤ (k + 64)
  /// · 2⁻²² · ‖row of A‖ · ‖column of B‖ (float64: 2⁻⁵¹).
  bool reproducible = false;
  std::optional<Stream> stream = {};  ///< as `BulkOptions::stream`
};

/// Where a call ran, and in how many batches.
struct BulkReport {
  DispatchRecord record;
  std::size_t batches = 0;      ///< 1 on the host, where nothing is copied
  std::size_t batch_bytes = 0;  ///< bytes of arrays on the device at a time; 0 on the host
  std::size_t splits = 0;       ///< how often the batch was halved because of insufficient memory
};

/// `add`, `multiply`, `square`, `sqrt`, `exp`. \throws InvalidArgument for other names
ElementWise element_wise_from_string(std::string_view name);
/// `sum`, `min`, `max`, `mean`, `deviation`. \throws InvalidArgument for other names
Reduction reduction_from_string(std::string_view name);

/// \brief Operations on lists of arrays in host memory, from one array to thousands, in one launch,
/// and on single arrays in host or device memory.
///
/// The dispatcher chooses the space by predicted time, including transfers. All operations except
/// products are bitwise identical on every space; docs/guide/bulk.md defines them. Calls wait for
/// the result and fence the instance of the space. The workspace is kept for later calls: a few
/// numbers per array on the host, on a device also the memory of a batch. Thread-safe; on a device,
/// calls run one after the other. \throws InvalidArgument, before anything is launched, for lists
/// or arrays of mismatched lengths, incompatible matrix shapes or overlaps; SpaceUnavailable;
/// OutOfMemory, with the results unchanged
class Bulk {
 public:
  /// \param context must outlive this object
  explicit Bulk(Context& context);

  /// result = array ^ key, byte by byte.
  BulkReport xor_bytes(BulkArrays<std::uint8_t> arrays, BulkArrays<std::uint8_t> keys,
                       BulkResults<std::uint8_t> results, const BulkOptions& options = {}) const;
  /// \brief The same with generated keys, which are written to \p keys: `random_fill` with \p seed,
  /// or with a seed from the system. Not a cipher: the seed determines the keys.
  BulkReport xor_with_new_keys(BulkArrays<std::uint8_t> arrays, BulkResults<std::uint8_t> keys,
                               BulkResults<std::uint8_t> results,
                               std::optional<std::uint64_t> seed = {},
                               const BulkOptions& options = {}) const;

  /// Square, square root or exponential of every element. Integers wrap around, and have only
  /// squares. \throws InvalidArgument for add and multiply
  template <BulkElement T>
  BulkReport element_wise(ElementWise op, BulkArrays<T> arrays, BulkResults<T> results,
                          const BulkOptions& options = {}) const;
  /// array + number, or array · number (KA Lattice's scale). Integers wrap around.
  /// \throws InvalidArgument for other operations
  template <BulkElement T>
  BulkReport element_wise(ElementWise op, BulkArrays<T> arrays, T number, BulkResults<T> results,
                          const BulkOptions& options = {}) const;
  /// array + other, or array · other. Integers wrap around. \throws InvalidArgument for other
  /// operations
  template <BulkElement T>
  BulkReport element_wise(ElementWise op, BulkArrays<T> arrays, BulkArrays<T> others,
                          BulkResults<T> results, const BulkOptions& options = {}) const;
  /// Matrix sums a + b: as `add`, but with separate dispatch costs.
  template <BulkNumber T>
  BulkReport add_matrices(BulkArrays<T> a, BulkArrays<T> b, BulkResults<T> results,
                          const BulkOptions& options = {}) const;
  /// (x − mean) / (deviation + 1e-8), for each array separately.
  template <BulkNumber T>
  BulkReport normalise(BulkArrays<T> arrays, BulkResults<T> results,
                       const BulkOptions& options = {}) const;

  /// \brief Uniform random numbers; for float and double in [0, 1). The arrays receive consecutive
  /// parts of the random stream of \p seed, starting at position \p offset. T is uint8_t, float or
  /// double.
  template <class T>
  BulkReport random_fill(BulkResults<T> results, std::uint64_t seed, std::uint64_t offset = 0,
                         const BulkOptions& options = {}) const;

  /// \brief Reduces each array to one number, rounded once to T.
  /// \param results one number per array
  /// \throws InvalidArgument for min, max, mean or deviation of no elements
  template <BulkNumber T>
  BulkReport reduce(Reduction reduction, BulkArrays<T> arrays, std::span<T> results,
                    const BulkOptions& options = {}) const;

  /// \brief The sum, minimum or maximum of each array of integers. Sums are exact modulo 2⁶⁴.
  /// \param results one number per array
  /// \throws InvalidArgument for other reductions, and for min or max of no elements
  template <BulkInteger T>
  BulkReport reduce(Reduction reduction, BulkArrays<T> arrays,
                    std::span<BulkIntegerResult<T>> results, const BulkOptions& options = {}) const;
  /// \brief The mean of each array of integers: the double that is nearest to the exact sum divided
  /// by the number of elements, ties to even.
  /// \param results one number per array
  /// \throws InvalidArgument for other reductions, and for no elements
  template <BulkInteger T>
  BulkReport reduce(Reduction reduction, BulkArrays<T> arrays, std::span<double> results,
                    const BulkOptions& options = {}) const;

  /// C = A · B for every pair; on a device, pairs of equal shape form one batched product.
  template <BulkNumber T>
  BulkReport multiply(std::span<const MatrixPair<T>> pairs,
                      const ProductOptions& options = {}) const;

  // Calls on single arrays, all in host memory or all on the device of the context; there they are
  // used in place, and the results are written there. Elements are bool, integers, float32 or
  // float64, the same type in all arrays of a call unless stated otherwise. Arrays have no gaps,
  // except between the rows of two-dimensional ones. On a device without a stream, the call waits
  // for the result. With a stream, it is ordered by it and does not fence, unless it needs more
  // workspace than the calls before it on that stream; the stream must outlive this object. bool
  // elements are 0 or 1: add is "or", multiply is "and".
  // \throws as above, and InvalidArgument for arrays of other types or shapes; SpaceUnavailable for
  // arrays on a device that the context does not use

  /// Square, square root or exponential of every element. \param result of the shape of \p array;
  /// may be \p array \throws InvalidArgument also for roots of integers and for operations on bool
  BulkReport element_wise(ElementWise op, const ConstArray& array, const Array& result,
                          const BulkOptions& options = {}) const;
  /// array + other, or array · other. \param other of the shape of \p array, or a single element
  /// in host memory \param result of the shape of \p array; may be \p array or \p other
  BulkReport element_wise(ElementWise op, const ConstArray& array, const ConstArray& other,
                          const Array& result, const BulkOptions& options = {}) const;
  /// result = array ^ key, bit by bit. \param key of the shape of \p array \throws InvalidArgument
  /// also for floating-point elements
  BulkReport xor_elements(const ConstArray& array, const ConstArray& key, const Array& result,
                          const BulkOptions& options = {}) const;
  /// \brief Reduces an array of one dimension to one element, or each row of a matrix.
  ///
  /// sum of bool and integers: int64 or, of unsigned ones, uint64; mean of those: float64; of
  /// floating-point elements, and min and max: the type of \p array. Bits as of the other `reduce`.
  /// \param results one element per row, without gaps; must not overlap \p array
  /// \throws InvalidArgument also for anything but sums of no elements, and for deviations of
  /// integers
  BulkReport reduce(Reduction reduction, const ConstArray& array, const Array& results,
                    const BulkOptions& options = {}) const;
  /// \brief C = A · B of float32 or float64 matrices without gaps, m × k by k × n, or batches of
  /// them, batch × m × k by batch × k × n. Reproducible products on a stream wait for it once.
  BulkReport multiply(const ConstArray& a, const ConstArray& b, const Array& c,
                      const ProductOptions& options = {}) const;

 private:
  struct State;
  Impl::OwnedState<State> m_state;
};

/// \brief A prepared call of `Bulk` on memory of one space, validated and partitioned once: a run
/// allocates, copies and fences nothing. Not thread-safe.
class PreparedBulk {
 public:
  // All arrays must be in the memory of `space` (device memory for `cuda`) and outlive this object.
  // `stream` is for a device and must outlive this object; none: the context's
  // stream. These functions fence it.
  // \throws as the calls of `Bulk`, and InvalidArgument for memory of another space.

  static PreparedBulk xor_bytes(Context& context, BulkArrays<std::uint8_t> arrays,
                                BulkArrays<std::uint8_t> keys, BulkResults<std::uint8_t> results,
                                Space space, const std::optional<Stream>& stream = {});
  /// \param others second operands of add and multiply; empty: use \p number
  template <BulkNumber T>
  static PreparedBulk element_wise(Context& context, ElementWise op, BulkArrays<T> arrays,
                                   BulkArrays<T> others, T number, BulkResults<T> results,
                                   Space space, const std::optional<Stream>& stream = {});
  template <BulkNumber T>
  static PreparedBulk normalise(Context& context, BulkArrays<T> arrays, BulkResults<T> results,
                                Space space, const std::optional<Stream>& stream = {});
  template <class T>
  static PreparedBulk random_fill(Context& context, BulkResults<T> results, std::uint64_t seed,
                                  std::uint64_t offset, Space space,
                                  const std::optional<Stream>& stream = {});
  /// \param results one number per array, not rounded to T
  template <BulkNumber T>
  static PreparedBulk reduce(Context& context, Reduction reduction, BulkArrays<T> arrays,
                             std::span<double> results, Space space,
                             const std::optional<Stream>& stream = {});
  template <BulkNumber T>
  static PreparedBulk multiply(Context& context, std::span<const MatrixPair<T>> pairs,
                               bool reproducible, Space space,
                               const std::optional<Stream>& stream = {});

  /// Launches the work. Does not fence on a device; on the host, the result is complete on return.
  /// \throws SpaceUnavailable in a forked process
  void run() const;
  /// Fences the instance. \throws as `run`
  void wait() const;

  class Launch;

 private:
  explicit PreparedBulk(std::unique_ptr<Launch> launch);
  Impl::OwnedState<Launch> m_launch;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_BULK_HPP
