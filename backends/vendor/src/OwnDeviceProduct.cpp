// SPDX-License-Identifier: Apache-2.0
// Products on a device in plain Kokkos: those of a build without cuBLASLt.
#include "GemmChecks.hpp"

#include <kindred/Version.hpp>
#include <kindred/backends/vendor/DeviceGemm.hpp>
#include <kindred/core/arch/ElementBits.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>

#include <type_traits>

#if KINDRED_HAS_DEVICE && !KINDRED_HAS_CUBLASLT

namespace Kindred::Impl {

namespace {

KOKKOS_INLINE_FUNCTION double widened(double element) { return element; }
template <class Element>
KOKKOS_INLINE_FUNCTION float widened(Element element) {
  return Arch::to_float(element);
}

template <class Element, class Sum>
KOKKOS_INLINE_FUNCTION Element narrowed(Sum sum) {
  if constexpr (std::is_same_v<Element, double>)
    return sum;
  else
    return Arch::round_canonical<Element>(static_cast<float>(sum));
}

/// \brief A team computes a tile of C. It copies a part of k after another of the rows of A and the
/// columns of B to its scratch; a thread sums a square of the tile in the order of k.
template <class In, class Out>
struct TiledProduct {
  using Sum = std::conditional_t<std::is_same_v<In, double>, double, float>;
  static constexpr unsigned tile = 64;
  static constexpr unsigned depth = 16;
  static constexpr unsigned square = 4;
  static constexpr unsigned threads_max = (tile / square) * (tile / square);
  static constexpr unsigned teams_at_once = 1;
  /// One more than the tile, so that columns start in different banks.
  static constexpr unsigned stride = tile + 1;
  static constexpr std::size_t scratch_bytes = 2 * depth * stride * sizeof(Sum);

  GemmShape shape;
  const In* a;
  const In* b;
  Out* c;
  const float* bias;

  std::uint64_t row_tiles() const { return quotient_up(shape.m, tile); }
  KOKKOS_INLINE_FUNCTION std::uint64_t column_tiles() const { return quotient_up(shape.n, tile); }

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const auto index = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t tiles = quotient_up(shape.m, tile) * column_tiles();
    const std::uint64_t product = index / tiles;
    const std::uint64_t row = index % tiles / column_tiles() * tile;
    const std::uint64_t column = index % tiles % column_tiles() * tile;
    const In* const of_a = a + product * shape.a_step;
    const In* const of_b = b + product * shape.b_step;
    auto* const rows = static_cast<Sum*>(
        team.team_scratch(0).get_shmem_aligned(std::size_t{scratch_bytes}, sizeof(Sum)));
    Sum* const columns = rows + depth * stride;
    const auto thread = static_cast<unsigned>(team.team_rank());
    const unsigned i0 = thread / (tile / square) * square;
    const unsigned j0 = thread % (tile / square) * square;
    Sum sums[square][square] = {};
    for (std::uint64_t first = 0; first < shape.k; first += depth) {
      for (unsigned at = thread; at < tile * depth; at += threads_max) {
        const unsigned k = at % depth;
        const unsigned i = at / depth;
        const bool is_in_a = row + i < shape.m && first + k < shape.k;
        rows[k * stride + i] = is_in_a ? widened(of_a[(row + i) * shape.lda + first + k]) : Sum{0};
        // Adjacent threads read adjacent elements of either form of B.
        const unsigned l = shape.plain_b ? at / tile : k;
        const unsigned j = shape.plain_b ? at % tile : i;
        const bool is_in_b = column + j < shape.n && first + l < shape.k;
        const std::uint64_t place = shape.plain_b ? (first + l) * shape.ldb + column + j
                                                  : (column + j) * shape.ldb + first + l;
        columns[l * stride + j] = is_in_b ? widened(of_b[place]) : Sum{0};
      }
      team.team_barrier();
      for (unsigned k = 0; k < depth; ++k) {
        for (unsigned i = 0; i < square; ++i) {
          for (unsigned j = 0; j < square; ++j)
            sums[i][j] =
                Kokkos::fma(rows[k * stride + i0 + i], columns[k * stride + j0 + j], sums[i][j]);
        }
      }
      team.team_barrier();
    }
    for (unsigned i = 0; i < square; ++i) {
      for (unsigned j = 0; j < square; ++j) {
        if (row + i0 + i >= shape.m || column + j0 + j >= shape.n) continue;
        const std::uint64_t place = (row + i0 + i) * shape.ldc + column + j0 + j;
        c[product * shape.c_step + place] = narrowed<Out>(at_end(sums[i][j], column + j0 + j));
      }
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION Sum at_end(Sum sum, std::uint64_t column) const {
    Sum value = static_cast<Sum>(shape.alpha) * sum;
    if (shape.epilogue == GemmEpilogue::bias || shape.epilogue == GemmEpilogue::bias_relu)
      value += bias[column];
    const bool is_cut =
        shape.epilogue == GemmEpilogue::relu || shape.epilogue == GemmEpilogue::bias_relu;
    return is_cut && value < Sum{0} ? Sum{0} : value;
  }
};

/// Calls `function(T())` for the element type \p type.
template <class Function>
void with_element(GemmType type, const Function& function) {
  switch (type) {
    case GemmType::float16:
      return function(Arch::Float16{});
    case GemmType::bfloat16:
      return function(Arch::BFloat16{});
    case GemmType::float64:
      return function(double{});
    case GemmType::float32:
      break;
  }
  function(float{});
}

}  // namespace

struct DeviceGemm::State {};

DeviceGemm::DeviceGemm() = default;
DeviceGemm::~DeviceGemm() = default;
DeviceGemm::DeviceGemm(DeviceGemm&&) noexcept = default;
DeviceGemm& DeviceGemm::operator=(DeviceGemm&&) noexcept = default;

void DeviceGemm::prepare(const GemmShape& shape) { check(shape); }

void DeviceGemm::run(const DeviceSpace& exec_space, const GemmShape& shape, const void* a,
                     const void* b, void* c, const float* bias) {
  check(shape);
  with_element(shape.input, [&](auto input) {
    with_element(shape.output, [&](auto output) {
      using In = decltype(input);
      using Out = decltype(output);
      if constexpr (std::is_same_v<In, double> != std::is_same_v<Out, double>) {
        throw SpaceUnavailable("a GEMM of float64 is float64 in input and output");
      } else {
        using functor = TiledProduct<In, Out>;
        const functor product{shape, static_cast<const In*>(a), static_cast<const In*>(b),
                              static_cast<Out*>(c), bias};
        const std::uint64_t teams = product.row_tiles() * product.column_tiles() * shape.batch;
        Launch::for_each_team(exec_space, "Kindred::DeviceGemm::run",
                              {.count = teams,
                               .scratch_bytes = functor::scratch_bytes + 16,
                               .size = functor::threads_max,
                               .lanes = 1},
                              product);
      }
    });
  });
}

std::vector<VendorLibrary> device_gemm_libraries() {
  return {{"cuBLASLt", {}, "cuda", {}, "not compiled in"},
          {"Kindred",
           KINDRED_VERSION_STRING,
           "cuda",
           {"float16", "bfloat16", "float32", "float64"},
           {}}};
}

}  // namespace Kindred::Impl

#endif
