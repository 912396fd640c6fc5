// SPDX-License-Identifier: Apache-2.0
// The inner loops that have NEON forms, each in a function of its own, for cycles.py.
#include <kindred/core/arch/simd/CodeDot.hpp>
#include <kindred/core/arch/simd/FloatPack8.hpp>
#include <kindred/core/arch/simd/Int8Dot.hpp>
#include <kindred/core/sequence/impl/RowPlaces.hpp>

using namespace Kindred;

namespace {

template <class Dots>
void dots(const std::int8_t* row, const std::int8_t* planes, std::uint64_t stride,
          std::uint64_t dimension, const double* offsets, double (&out)[4]) {
  Dots::dots(row, planes, stride, dimension, offsets, 1, out);
}

/// The terms of a row of a graph.
template <class Pack>
void terms(const std::uint32_t* sources, const float* weights, std::uint32_t count, const float* x,
           double* out) {
  for (std::uint32_t i = 0; i + 8 <= count; i += 8) {
    Pack::store(out + i, Pack::multiply(Pack::widen(Pack::gather(x, sources + i)),
                                        Pack::widen(Pack::load(weights + i))));
  }
}

/// The sums of eight queries over the edges of a row.
template <class Pack>
void sums(const float* const* values, const float* weights, std::uint32_t count, double* out) {
  auto sum = Pack::zero();
  for (std::uint32_t i = 0; i < count; ++i) {
    sum = Pack::add_exact(Pack::widen(Pack::load(values[i])),
                          Pack::all(static_cast<double>(weights[i])), sum);
  }
  Pack::store(out, sum);
}

}  // namespace

extern "C" {

[[gnu::flatten]] void dots_portable(const std::int8_t* row, const std::int8_t* planes,
                                    std::uint64_t stride, std::uint64_t dimension,
                                    const double* offsets, double (&out)[4]) {
  dots<Arch::ScalarInt8Dots<128>>(row, planes, stride, dimension, offsets, out);
}
[[gnu::flatten]] void dots_neon(const std::int8_t* row, const std::int8_t* planes,
                                std::uint64_t stride, std::uint64_t dimension,
                                const double* offsets, double (&out)[4]) {
  dots<Arch::HostInt8Dots<128>>(row, planes, stride, dimension, offsets, out);
}

[[gnu::flatten]] void codes_portable(const std::int8_t* query, const std::uint8_t* const (&rows)[4],
                                     std::size_t chunks, std::int32_t (&out)[4]) {
  Arch::ScalarCodeDot::four(query, rows, chunks, out);
}
[[gnu::flatten]] void codes_neon(const std::int8_t* query, const std::uint8_t* const (&rows)[4],
                                 std::size_t chunks, std::int32_t (&out)[4]) {
  Arch::CodeDot::four(query, rows, chunks, out);
}

[[gnu::flatten]] void terms_portable(const std::uint32_t* sources, const float* weights,
                                     std::uint32_t count, const float* x, double* out) {
  terms<Arch::ScalarFloatPack8>(sources, weights, count, x, out);
}
[[gnu::flatten]] void terms_neon(const std::uint32_t* sources, const float* weights,
                                 std::uint32_t count, const float* x, double* out) {
  terms<Arch::HostFloatPack8>(sources, weights, count, x, out);
}

[[gnu::flatten]] void sums_portable(const float* const* values, const float* weights,
                                    std::uint32_t count, double* out) {
  sums<Arch::ScalarFloatPack8>(values, weights, count, out);
}
[[gnu::flatten]] void sums_neon(const float* const* values, const float* weights,
                                std::uint32_t count, double* out) {
  sums<Arch::HostFloatPack8>(values, weights, count, out);
}

[[gnu::flatten]] void recode_portable(const std::uint8_t* table, const std::uint8_t* codes,
                                      unsigned rows, std::uint8_t* out) {
  Impl::RowPlaces<Arch::ScalarBytes64>::recode(table, codes, rows, out);
}
[[gnu::flatten]] void recode_neon(const std::uint8_t* table, const std::uint8_t* codes,
                                  unsigned rows, std::uint8_t* out) {
  Impl::RowPlaces<Arch::Bytes64>::recode(table, codes, rows, out);
}
}
