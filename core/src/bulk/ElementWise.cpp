// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/ElementWise.hpp>

#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/StreamStore.hpp>
#include <kindred/core/bulk/impl/BulkLaunch.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/math/Exp.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred {

namespace Impl {

/// The type of the arithmetic on elements: unsigned integers wrap around, and narrow ones would be
/// promoted to `int`, whose products may overflow.
template <class T>
using arithmetic_type =
    std::conditional_t<std::is_integral_v<T> && sizeof(T) < 4, std::uint32_t, T>;

/// \p result as an element; NaN is canonical.
template <class T>
KOKKOS_INLINE_FUNCTION T stored(arithmetic_type<T> result) {
  if constexpr (std::is_floating_point_v<T>) {
    return with_canonical_nan(result);
  } else {
    return static_cast<T>(result);
  }
}

/// The result for \p a and \p b, which is used only if `takes_two(op)`.
template <ElementWise op, class T>
KOKKOS_INLINE_FUNCTION T result_of(T a, T b) {
  const auto left = static_cast<arithmetic_type<T>>(a);
  if constexpr (op == ElementWise::add) {
    return stored<T>(left + static_cast<arithmetic_type<T>>(b));
  } else if constexpr (op == ElementWise::multiply) {
    return stored<T>(left * static_cast<arithmetic_type<T>>(b));
  } else if constexpr (op == ElementWise::square) {
    return stored<T>(left * left);
  } else if constexpr (op == ElementWise::square_root) {
    return stored<T>(Kokkos::sqrt(a));
  } else {
    return stored<T>(static_cast<T>(portable_exp(static_cast<double>(a))));
  }
}
template <BytesOperation op, class Word>
KOKKOS_INLINE_FUNCTION Word result_of(Word a, Word b) {
  if constexpr (op == BytesOperation::exclusive_or) {
    return a ^ b;
  } else if constexpr (op == BytesOperation::inclusive_or) {
    return a | b;
  } else {
    return a & b;
  }
}

constexpr bool takes_two(ElementWise op) {
  return op == ElementWise::add || op == ElementWise::multiply;
}
constexpr bool takes_two(BytesOperation) { return true; }

/// Writes past the caches, a few cache lines at a time, so that reads and writes overlap.
/// Floating-point types use four lines, since loops over fewer are not vectorised.
template <class T, class Value>
void stream_each(T* out, std::size_t count, Value value) {
  constexpr std::size_t line = Arch::stream_line_bytes / sizeof(T);
  constexpr std::size_t block = (sizeof(T) == 1 ? 1 : 4) * line;
  std::size_t i = 0;
  for (; i < count && Arch::bytes_to_line(out + i) != 0; ++i) out[i] = value(i);
  for (; i + block <= count; i += block) {
    alignas(Arch::stream_line_bytes) T results[block];
    for (std::size_t e = 0; e < block; ++e) results[e] = value(i + e);
    for (std::size_t done = 0; done < block; done += line)
      Arch::stream_line(out + i + done, results + done);
  }
  for (; i < count; ++i) out[i] = value(i);
  Arch::end_streams();
}

/// `out[i] = value(i)` for the indices below \p count, by the threads of a chunk. \p out may be
/// what `value` reads. \param streams on a host: writes past the caches
template <class ExecutionSpace, class T, class Value>
KOKKOS_INLINE_FUNCTION void write_each(T* out, std::uint32_t count, std::uint32_t thread,
                                       [[maybe_unused]] bool streams, Value value) {
  KOKKOS_IF_ON_HOST((if (streams) return stream_each(out, count, value);))
  KINDRED_INDEPENDENT
  for (std::uint32_t i = thread; i < count; i += bulk_team<ExecutionSpace>) out[i] = value(i);
}

/// The operation \p op on the elements of a list. \tparam op an `ElementWise` or a `BytesOperation`
template <class ExecutionSpace, auto op, class T>
struct ElementWiseChunks {
  T number;
  bool streams;
  BulkItems<T> items;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t chunk, std::uint32_t thread) const {
    const BulkPart part = part_of(items, chunk);
    const BulkItem<T> item = items[part.index];
    const T* a = item.input + part.begin;
    const T* b = item.other == nullptr ? nullptr : item.other + part.begin;
    T* out = item.output + part.begin;
    if constexpr (Arch::is_device<ExecutionSpace>) {
      if (begin_at(16, a, b, out)) return write_packs(a, b, out, part.count, thread);
    }
    if (takes_two(op) && b != nullptr) {
      write_each<ExecutionSpace>(out, part.count, thread, streams,
                                 [=](auto i) { return result_of<op>(a[i], b[i]); });
    } else {
      write_each<ExecutionSpace>(out, part.count, thread, streams,
                                 [a, by = number](auto i) { return result_of<op>(a[i], by); });
    }
  }

 private:
  /// Sixteen bytes at a time. A bitwise operation processes four bytes as one word.
  KOKKOS_INLINE_FUNCTION void write_packs(const T* a, const T* b, T* out, std::uint32_t count,
                                          std::uint32_t thread) const {
    constexpr bool is_bitwise = std::is_same_v<decltype(op), BytesOperation>;
    using Word = std::conditional_t<is_bitwise, std::uint32_t, T>;
    constexpr int words = 16 / sizeof(Word);
    using Pack = Arch::Adjacent<Word, words>;
    auto whole_number = static_cast<Word>(number);
    if constexpr (is_bitwise) whole_number *= 0x01010101U;
    const auto* packs_a = reinterpret_cast<const Pack*>(a);
    const auto* packs_b = reinterpret_cast<const Pack*>(b);
    auto* packs_out = reinterpret_cast<Pack*>(out);
    constexpr std::uint32_t threads = bulk_team<ExecutionSpace>;
    constexpr int at_once = 4;
    const bool has_two = takes_two(op) && b != nullptr;
    const std::uint32_t whole = count * sizeof(T) / 16;
    for (std::uint32_t first = thread; first < whole; first += at_once * threads) {
      Pack left[at_once];
      Pack right[at_once];
      KINDRED_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const std::uint32_t place = first + static_cast<std::uint32_t>(i) * threads;
        if (place >= whole) continue;
        left[i] = packs_a[place];
        if (has_two) right[i] = packs_b[place];
      }
      KINDRED_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const std::uint32_t place = first + static_cast<std::uint32_t>(i) * threads;
        if (place >= whole) continue;
        Pack result;
        KINDRED_UNROLL
        for (int w = 0; w < words; ++w)
          result.value[w] =
              result_of<op>(left[i].value[w], has_two ? right[i].value[w] : whole_number);
        packs_out[place] = result;
      }
    }
    for (std::uint32_t i = whole * (16 / sizeof(T)) + thread; i < count; i += threads)
      out[i] = result_of<op>(a[i], has_two ? b[i] : number);
  }
};

/// \see normalise
template <class ExecutionSpace, class T>
struct NormaliseChunks {
  bool streams;
  BulkItems<T> items;
  const double* means;
  const double* deviations;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t chunk, std::uint32_t thread) const {
    const BulkPart part = part_of(items, chunk);
    const BulkItem<T> item = items[part.index];
    const double mean = means[part.index];
    const double scale = 1.0 / (deviations[part.index] + 1e-8);
    const T* in = item.input + part.begin;
    write_each<ExecutionSpace>(item.output + part.begin, part.count, thread, streams, [=](auto i) {
      return with_canonical_nan(static_cast<T>((static_cast<double>(in[i]) - mean) * scale));
    });
  }
};

/// Launches `ElementWiseChunks`.
template <auto op, class ExecutionSpace, class T>
void write_results(const ExecutionSpace& exec_space, const char* label, const BulkPlan& plan,
                   T number, const BulkItems<T>& items) {
  for_each_chunk(exec_space, label, plan.chunks,
                 ElementWiseChunks<ExecutionSpace, op, T>{number, plan.streams, items});
}

}  // namespace Impl

template <class ExecutionSpace, class T>
void element_wise(const ExecutionSpace& exec_space, const BulkPlan& plan, ElementWise op, T number,
                  const BulkItems<T>& items) {
  const Impl::ArgumentCheck check("element_wise");
  Impl::check_items(check, plan, items, true, true);
  switch (op) {
    case ElementWise::add:
      return Impl::write_results<ElementWise::add>(exec_space, "Kindred::Bulk::element_wise::add",
                                                   plan, number, items);
    case ElementWise::multiply:
      return Impl::write_results<ElementWise::multiply>(
          exec_space, "Kindred::Bulk::element_wise::multiply", plan, number, items);
    case ElementWise::square:
      return Impl::write_results<ElementWise::square>(
          exec_space, "Kindred::Bulk::element_wise::square", plan, number, items);
    case ElementWise::square_root:
      if constexpr (std::is_floating_point_v<T>)
        Impl::write_results<ElementWise::square_root>(
            exec_space, "Kindred::Bulk::element_wise::square_root", plan, number, items);
      return;
    case ElementWise::exponential:
      if constexpr (std::is_floating_point_v<T>)
        Impl::write_results<ElementWise::exponential>(
            exec_space, "Kindred::Bulk::element_wise::exponential", plan, number, items);
      return;
  }
}

template <class ExecutionSpace>
void combine_bytes(const ExecutionSpace& exec_space, const BulkPlan& plan, BytesOperation op,
                   std::uint8_t number, const BulkItems<std::uint8_t>& items) {
  const Impl::ArgumentCheck check("combine_bytes");
  Impl::check_items(check, plan, items, true, true);
  switch (op) {
    case BytesOperation::exclusive_or:
      return Impl::write_results<BytesOperation::exclusive_or>(
          exec_space, "Kindred::Bulk::xor_bytes::bytes", plan, number, items);
    case BytesOperation::inclusive_or:
      return Impl::write_results<BytesOperation::inclusive_or>(
          exec_space, "Kindred::Bulk::element_wise::any", plan, number, items);
    case BytesOperation::conjunction:
      return Impl::write_results<BytesOperation::conjunction>(
          exec_space, "Kindred::Bulk::element_wise::both", plan, number, items);
  }
}

template <class ExecutionSpace, class T>
void normalise(const ExecutionSpace& exec_space, const BulkPlan& plan,
               const ArrayView<const double, ExecutionSpace>& means,
               const ArrayView<const double, ExecutionSpace>& deviations,
               const BulkItems<T>& items) {
  const Impl::ArgumentCheck check("normalise");
  Impl::check_items(check, plan, items, true, true);
  check.has("means", means, items.count);
  check.has("deviations", deviations, items.count);
  Impl::for_each_chunk(exec_space, "Kindred::Bulk::normalise::elements", plan.chunks,
                       Impl::NormaliseChunks<ExecutionSpace, T>{plan.streams, items, means.data(),
                                                                deviations.data()});
}

KINDRED_INSTANTIATE_FOR_SPACES(combine_bytes);
KINDRED_INSTANTIATE_FOR_SPACES(normalise, float);
KINDRED_INSTANTIATE_FOR_SPACES(normalise, double);
KINDRED_INSTANTIATE_FOR_SPACES(element_wise, std::uint8_t);
KINDRED_INSTANTIATE_FOR_SPACES(element_wise, std::uint16_t);
KINDRED_INSTANTIATE_FOR_SPACES(element_wise, std::uint32_t);
KINDRED_INSTANTIATE_FOR_SPACES(element_wise, std::uint64_t);
KINDRED_INSTANTIATE_FOR_SPACES(element_wise, float);
KINDRED_INSTANTIATE_FOR_SPACES(element_wise, double);

}  // namespace Kindred
