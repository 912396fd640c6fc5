// SPDX-License-Identifier: Apache-2.0
// The inner loops that have NEON forms, each in a function of its own, for cycles.py.
#include <kindred/core/arch/simd/CodeDot.hpp>
#include <kindred/core/arch/simd/Int8Dot.hpp>
#include <kindred/core/sequence/impl/LcsColumns.hpp>

using namespace Kindred;

namespace {

template <class Dots>
void dots(const std::int8_t* row, const std::int8_t* planes, std::uint64_t stride,
          std::uint64_t dimension, const double* offsets, double (&out)[4]) {
  Dots::dots(row, planes, stride, dimension, offsets, 1, out);
}

/// Rows of 64 patterns against a query of 64 symbols.
template <class Columns>
void lcs(Columns& state, const QueryColumns& columns, const std::uint8_t* places, unsigned rows,
         const Impl::Ahead& ahead) {
  state.advance(columns, 0, 8, places, rows, nullptr, ahead);
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

[[gnu::flatten]] void lcs_portable(Impl::WordColumns& state, const QueryColumns& columns,
                                   const std::uint8_t* places, unsigned rows,
                                   const Impl::Ahead& ahead) {
  lcs(state, columns, places, rows, ahead);
}
[[gnu::flatten]] void lcs_neon(Impl::HostLcsColumns<true>& state, const QueryColumns& columns,
                               const std::uint8_t* places, unsigned rows,
                               const Impl::Ahead& ahead) {
  lcs(state, columns, places, rows, ahead);
}

[[gnu::flatten]] void recode_portable(const std::uint8_t* table, const std::uint8_t* codes,
                                      unsigned rows, std::uint8_t* out) {
  Impl::WordColumns::recode(table, codes, rows, out);
}
[[gnu::flatten]] void recode_neon(const std::uint8_t* table, const std::uint8_t* codes,
                                  unsigned rows, std::uint8_t* out) {
  Impl::HostLcsColumns<true>::recode(table, codes, rows, out);
}
}
