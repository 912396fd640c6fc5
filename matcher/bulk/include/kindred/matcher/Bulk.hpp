// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_HPP
#define KINDRED_MATCHER_BULK_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/bulk/BulkOperations.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace Kindred {

template <class T>
concept BulkNumber = std::same_as<T, float> || std::same_as<T, double>;

/// A list of arrays that someone else holds, of the same or of different lengths, 0 too.
template <class T>
using BulkArrays = std::span<const std::span<const T>>;
/// \brief Where results go: an array for an array, as long as it. It may be one of those that its
/// result is of, and otherwise overlaps no array of the call.
template <class T>
using BulkResults = std::span<const std::span<T>>;

/// C = A · B of row-major matrices without gaps.
template <class T>
struct MatrixPair {
  std::span<const T> a;  ///< m × k
  std::span<const T> b;  ///< k × n
  std::span<T> c;        ///< m × n; overlaps nothing that is read
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
};

struct BulkOptions {
  std::optional<Space> space;   ///< nothing: the dispatcher chooses
  std::size_t batch_bytes = 0;  ///< of arrays on a device at a time; 0: what is best for the
                                ///< operation, within half of the budget that is left
};
struct ProductOptions : BulkOptions {
  /// True: canonical sums, the same bits on every space, and slower. False: the vendor's library,
  /// the same bits on every run on a space; |computed − exact| ≤ (k + 64) · 2⁻²² · ‖row of A‖ ·
  /// ‖column of B‖ (float64: 2⁻⁵¹).
  bool reproducible = false;
};

/// Where a call ran, and in how many batches.
struct BulkReport {
  DispatchRecord record;
  std::size_t batches = 0;      ///< 1 on the host, which copies nothing
  std::size_t batch_bytes = 0;  ///< of arrays that a device held at a time; 0 on the host
  std::size_t splits = 0;       ///< how often memory was short and the batch halved
};

/// `add`, `multiply`, `square`, `sqrt`, `exp`. \throws InvalidArgument for other names
ElementWise element_wise_from_string(std::string_view name);
/// `sum`, `min`, `max`, `mean`, `deviation`. \throws InvalidArgument for other names
Reduction reduction_from_string(std::string_view name);

/// \brief Operations on lists of arrays in host memory: an array or thousands, in one launch.
///
/// The dispatcher chooses the space by what the call is predicted to take, transfers included. All
/// but products have the same bits on every space; docs/guide/bulk.md defines them. Calls wait for
/// the answer and fence the instance of the space (`CallQueue` makes them behind the caller's
/// back). What they work in is kept for the next one: on the host a few numbers an array, on a
/// device the room of a batch besides. Thread-safe; calls on one space wait for one another.
/// \throws InvalidArgument, always before anything is launched: lists or arrays of different
/// lengths, shapes that do not multiply, overlaps; SpaceUnavailable; OutOfMemory: results are then
/// as they were
class Bulk {
 public:
  /// \param context outlives this
  explicit Bulk(Context& context);
  ~Bulk();
  Bulk(Bulk&&) noexcept;
  Bulk& operator=(Bulk&&) noexcept;

  /// result = array ^ key, byte by byte.
  BulkReport xor_bytes(BulkArrays<std::uint8_t> arrays, BulkArrays<std::uint8_t> keys,
                       BulkResults<std::uint8_t> results, const BulkOptions& options = {}) const;
  /// \brief The same with a key that is made here and written to \p keys: `random_fill` of \p seed,
  /// or of one from the system. No cipher: who knows the seed knows the key.
  BulkReport xor_with_new_keys(BulkArrays<std::uint8_t> arrays, BulkResults<std::uint8_t> keys,
                               BulkResults<std::uint8_t> results,
                               std::optional<std::uint64_t> seed = {},
                               const BulkOptions& options = {}) const;

  /// square, square root or exponential of every element. \throws InvalidArgument for add and
  /// multiply
  template <BulkNumber T>
  BulkReport element_wise(ElementWise op, BulkArrays<T> arrays, BulkResults<T> results,
                          const BulkOptions& options = {}) const;
  /// array + number, or array · number (KA Lattice's scale). \throws InvalidArgument for others
  template <BulkNumber T>
  BulkReport element_wise(ElementWise op, BulkArrays<T> arrays, T number, BulkResults<T> results,
                          const BulkOptions& options = {}) const;
  /// array + other, or array · other. \throws InvalidArgument for others
  template <BulkNumber T>
  BulkReport element_wise(ElementWise op, BulkArrays<T> arrays, BulkArrays<T> others,
                          BulkResults<T> results, const BulkOptions& options = {}) const;
  /// a + b of matrices, which is `add` by the costs of its own operation.
  template <BulkNumber T>
  BulkReport add_matrices(BulkArrays<T> a, BulkArrays<T> b, BulkResults<T> results,
                          const BulkOptions& options = {}) const;
  /// (x − mean) / (deviation + 1e-8) of each array.
  template <BulkNumber T>
  BulkReport normalise(BulkArrays<T> arrays, BulkResults<T> results,
                       const BulkOptions& options = {}) const;

  /// \brief Uniform random numbers, of float and double in [0, 1): those of places \p offset …  of
  /// a stream that \p seed names, one array after the other. T is uint8_t, float or double.
  template <class T>
  BulkReport random_fill(BulkResults<T> results, std::uint64_t seed, std::uint64_t offset = 0,
                         const BulkOptions& options = {}) const;

  /// \brief One number of each array, rounded once to T. \param results a number an array \throws
  /// InvalidArgument for min, max, mean or deviation of no elements
  template <BulkNumber T>
  BulkReport reduce(Reduction reduction, BulkArrays<T> arrays, std::span<T> results,
                    const BulkOptions& options = {}) const;

  /// C = A · B of every pair; pairs of a shape are one batched product where a device computes.
  template <BulkNumber T>
  BulkReport multiply(std::span<const MatrixPair<T>> pairs,
                      const ProductOptions& options = {}) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// \brief A call of `Bulk` over memory of one space, checked and shared out once: a run allocates,
/// copies and fences nothing. One run at a time.
class PreparedBulk {
 public:
  // All arrays lie in the memory of `space` (of a device under `cuda`) and outlive this. `stream`
  // is a cudaStream_t for a device and outlives this; null: the context's own. They fence it.
  // \throws as the calls of `Bulk`, and InvalidArgument for memory of another space.

  static PreparedBulk xor_bytes(Context& context, BulkArrays<std::uint8_t> arrays,
                                BulkArrays<std::uint8_t> keys, BulkResults<std::uint8_t> results,
                                Space space, void* stream = nullptr);
  /// \param others for add and multiply; empty: \p number
  template <BulkNumber T>
  static PreparedBulk element_wise(Context& context, ElementWise op, BulkArrays<T> arrays,
                                   BulkArrays<T> others, T number, BulkResults<T> results,
                                   Space space, void* stream = nullptr);
  template <BulkNumber T>
  static PreparedBulk normalise(Context& context, BulkArrays<T> arrays, BulkResults<T> results,
                                Space space, void* stream = nullptr);
  template <class T>
  static PreparedBulk random_fill(Context& context, BulkResults<T> results, std::uint64_t seed,
                                  std::uint64_t offset, Space space, void* stream = nullptr);
  /// \param results a number an array, not yet rounded to T
  template <BulkNumber T>
  static PreparedBulk reduce(Context& context, Reduction reduction, BulkArrays<T> arrays,
                             std::span<double> results, Space space, void* stream = nullptr);
  template <BulkNumber T>
  static PreparedBulk multiply(Context& context, std::span<const MatrixPair<T>> pairs,
                               bool reproducible, Space space, void* stream = nullptr);

  ~PreparedBulk();
  PreparedBulk(PreparedBulk&&) noexcept;
  PreparedBulk& operator=(PreparedBulk&&) noexcept;

  /// Queues the launches. Does not fence on a device; returns with the answer on the host.
  void run() const;
  /// Fences the instance.
  void wait() const;

  class Launch;

 private:
  explicit PreparedBulk(std::unique_ptr<Launch> launch);
  std::unique_ptr<Launch> m_launch;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_BULK_HPP
