// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_HPP
#define KINDRED_MATCHER_BULK_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/bulk/ArithmeticKinds.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/matcher/BulkArrays.hpp>
#include <kindred/matcher/Prepared.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

struct BulkOptions {
  std::optional<Space> space = {};  ///< empty: the dispatcher chooses
  std::size_t batch_bytes = 0;  ///< bytes of arrays on a device at a time; 0: the best size for the
                                ///< operation, within half of the remaining budget
  /// Orders a call on arrays in device memory, which then does not fence; only for such arrays.
  std::optional<Stream> stream = {};
  /// For products. True: reproducible sums, bitwise identical on every space, but slower. False:
  /// the vendor's library, bitwise identical for repeated runs on the same space; |computed −
  /// exact| ≤ (k + 64) · 2⁻²² · ‖row of A‖ · ‖column of B‖ (float64: 2⁻⁵¹).
  bool reproducible = false;
};

/// Where a call ran, and in how many batches.
struct BulkReport {
  DispatchRecord record;
  std::size_t batches = 0;      ///< 1 on the host, where nothing is copied
  std::size_t batch_bytes = 0;  ///< bytes of arrays on the device at a time; 0 on the host
  std::size_t splits = 0;       ///< how often the batch was halved because of insufficient memory
};

/// \brief Operations on arrays, from one array to thousands, in one launch.
///
/// Elements are bool, integers, float32 or float64, of one type in all arrays of a call unless
/// stated otherwise. Arrays have no gaps, except between the rows of matrices. Integers wrap
/// around; bool elements are 0 or 1: add is "or", multiply is "and".
///
/// Host memory: the dispatcher chooses the space by predicted time, including transfers. Device
/// memory: one array per operand, not a list, and not for `normalise` and `random_fill`; it is used
/// in place. All operations except products are bitwise identical on every space;
/// docs/guide/bulk.md defines them.
///
/// Calls wait for the result and fence the instance of the space. With a stream, a call is ordered
/// by it and does not fence, unless it needs more workspace than the calls before it on that
/// stream; the stream must outlive this object. The workspace is kept for later calls: a few
/// numbers per array on the host, on a device also the memory of a batch. Thread-safe; on a device,
/// calls run one after the other. \throws InvalidArgument, before anything is launched, for
/// mismatched lengths, types or shapes, or overlaps; SpaceUnavailable, also for arrays on a device
/// that the context does not use; OutOfMemory, with the results unchanged
class Bulk {
 public:
  /// \param context must outlive this object
  explicit Bulk(Context& context);
  /// The object that \p context keeps: streams of its calls must outlive the context.
  static const Bulk& of(Context& context);

  /// result = array ^ key, bit by bit. \throws InvalidArgument also for floating-point elements
  BulkReport xor_elements(const BulkArrays& arrays, const BulkArrays& keys,
                          const BulkResults& results, const BulkOptions& options = {}) const;
  /// \brief The same for bytes in host memory with generated keys, which are written to \p keys:
  /// `random_fill` with \p seed, or with a seed from the system. Not a cipher: the seed determines
  /// the keys.
  BulkReport xor_with_new_keys(const BulkArrays& arrays, const BulkResults& keys,
                               const BulkResults& results, std::optional<std::uint64_t> seed = {},
                               const BulkOptions& options = {}) const;
  /// Square, square root or exponential of every element; array + other, or array · other.
  /// \param others for add and multiply: one array of the same shape per array, or a number of
  /// their type for all of them, also as a single element in host memory. Otherwise none. \throws
  /// InvalidArgument also for roots and exponentials of integers, and for other operations on bool
  /// than add and multiply
  BulkReport element_wise(ElementWise op, const BulkArrays& arrays, const BulkArrays& others,
                          const BulkResults& results, const BulkOptions& options = {}) const;
  /// Matrix sums a + b of float32 or float64: as `add`, but with separate dispatch costs.
  BulkReport add_matrices(const BulkArrays& a, const BulkArrays& b, const BulkResults& results,
                          const BulkOptions& options = {}) const;
  /// (x − mean) / (deviation + 1e-8), for each array of float32 or float64 separately, without
  /// gaps.
  BulkReport normalise(const BulkArrays& arrays, const BulkResults& results,
                       const BulkOptions& options = {}) const;
  /// \brief Uniform random numbers of uint8, float32 or float64; of the latter in [0, 1). The
  /// arrays receive consecutive parts of the random stream of \p seed, starting at position \p
  /// offset.
  BulkReport random_fill(const BulkResults& results, std::uint64_t seed, std::uint64_t offset = 0,
                         const BulkOptions& options = {}) const;
  /// \brief Reduces each array of one dimension, and each row of a matrix, to one element.
  ///
  /// sum of bool and integers: int64 or, of unsigned ones, uint64, exact modulo 2⁶⁴; their mean:
  /// the double that is nearest to the exact one, ties to even; min and max: the type of \p arrays,
  /// or those 64 bits. Of floating-point elements: their type, rounded once, or float64. \param
  /// results one array without gaps, which overlaps none of \p arrays \throws InvalidArgument also
  /// for anything but sums of no elements, and for deviations of integers
  BulkReport reduce(Reduction reduction, const BulkArrays& arrays, const BulkResults& results,
                    const BulkOptions& options = {}) const;
  /// \brief C = A · B of float32 or float64 matrices without gaps, m × k by k × n, or batches of
  /// them, batch × m × k by batch × k × n. On a device, products of equal shape form one batched
  /// product. Reproducible products on a stream wait for it once.
  /// \param c must not overlap any input
  BulkReport multiply(const BulkArrays& a, const BulkArrays& b, const BulkResults& c,
                      const BulkOptions& options = {}) const;

  // The same, prepared. All arrays, also lists, are in memory of `BulkOptions::space` (device
  // memory for `cuda`), by default the device for arrays there, otherwise the host, with one thread
  // or all threads; a number for `others` is in host memory. These functions fence the stream,
  // by default that of the context. \throws as the calls, and InvalidArgument for memory of another
  // space

  static Prepared prepare_xor(Context& context, const BulkArrays& arrays, const BulkArrays& keys,
                              const BulkResults& results, const BulkOptions& options = {});
  static Prepared prepare_element_wise(Context& context, ElementWise op, const BulkArrays& arrays,
                                       const BulkArrays& others, const BulkResults& results,
                                       const BulkOptions& options = {});
  static Prepared prepare_normalise(Context& context, const BulkArrays& arrays,
                                    const BulkResults& results, const BulkOptions& options = {});
  static Prepared prepare_random_fill(Context& context, const BulkResults& results,
                                      std::uint64_t seed, std::uint64_t offset = 0,
                                      const BulkOptions& options = {});
  /// \param results of 64 bits: float64, or for integers int64 or uint64
  static Prepared prepare_reduce(Context& context, Reduction reduction, const BulkArrays& arrays,
                                 const BulkResults& results, const BulkOptions& options = {});
  static Prepared prepare_multiply(Context& context, const BulkArrays& a, const BulkArrays& b,
                                   const BulkResults& c, const BulkOptions& options = {});

 private:
  struct State;
  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_BULK_HPP
