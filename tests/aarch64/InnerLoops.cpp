// SPDX-License-Identifier: Apache-2.0
// The inner loops that have NEON forms, each in a function of its own, for cycles.py.
#include <kindred/core/arch/simd/CodeDot.hpp>
#include <kindred/core/arch/simd/Int8Dot.hpp>
#include <kindred/core/sequence/impl/RowPlaces.hpp>

using namespace Kindred;

namespace {

template <class Dots>
void dots(const std::int8_t* row, const std::int8_t* planes, std::uint64_t stride,
          std::uint64_t dimension, const double* offsets, double (&out)[4]) {
  Dots::dots(row, planes, stride, dimension, offsets, 1, out);
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

[[gnu::flatten]] void recode_portable(const std::uint8_t* table, const std::uint8_t* codes,
                                      unsigned rows, std::uint8_t* out) {
  Impl::RowPlaces<Arch::ScalarBytes64>::recode(table, codes, rows, out);
}
[[gnu::flatten]] void recode_neon(const std::uint8_t* table, const std::uint8_t* codes,
                                  unsigned rows, std::uint8_t* out) {
  Impl::RowPlaces<Arch::Bytes64>::recode(table, codes, rows, out);
}
}
