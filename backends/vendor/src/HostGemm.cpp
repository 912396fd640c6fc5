// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/vendor/HostGemm.hpp>

#include "HostLibrary.hpp"

#include <kindred/core/common/Error.hpp>

#include <omp.h>

#include <string>
#include <vector>

namespace Kindred::Impl {

namespace {

/// The library, or null if this build does not have it.
const HostLibrary* library_of(HostGemmLibrary library) {
  switch (library) {
    case HostGemmLibrary::onednn:
#if KINDRED_HAS_ONEDNN
      return &onednn_library();
#else
      return nullptr;
#endif
    case HostGemmLibrary::openblas:
#if KINDRED_HAS_OPENBLAS
      return &openblas_library();
#else
      return nullptr;
#endif
    case HostGemmLibrary::own:
      break;
  }
  return &own_library();
}

/// The fastest library on this processor that multiplies matrices of \p type.
const HostLibrary& fastest_library(GemmType type) {
  for (const HostGemmLibrary which : host_gemm_libraries_by_speed) {
    const HostLibrary* library = library_of(which);
    if (library != nullptr && library->multiplies(type)) return *library;
  }
  return own_library();
}

}  // namespace

std::string host_gemm_why_not(HostGemmLibrary library, GemmType input) {
  if (input == GemmType::float16) return "no host library here multiplies float16";
  if (input == GemmType::float64) return "rows of float64 are not packed";
  const HostLibrary* found = library_of(library);
  return found == nullptr ? "this library is not compiled in" : found->why_not(input);
}

HostGemmLibrary fastest_host_library(GemmType input) {
  for (const HostGemmLibrary library : host_gemm_libraries_by_speed) {
    if (host_gemm_why_not(library, input).empty()) return library;
  }
  return HostGemmLibrary::own;
}

HostGemmChoice fastest_host_gemm() {
  for (const GemmType input : {GemmType::bfloat16, GemmType::float32}) {
    const HostGemmLibrary library = fastest_host_library(input);
    if (host_gemm_why_not(library, input).empty()) return {library, input};
  }
  return {HostGemmLibrary::own, GemmType::float32};
}

HostGemm::HostGemm(HostGemmLibrary library, const GemmShape& shape) : m_shape(shape) {
  KINDRED_THROW_IF(shape.m == 0 || shape.n == 0 || shape.k == 0,
                   "a GEMM of " + std::to_string(shape.m) + " × " + std::to_string(shape.n) +
                       " × " + std::to_string(shape.k) + "; no extent may be 0");
  KINDRED_THROW_IF(shape.lda < shape.k || shape.ldb < shape.k || shape.ldc < shape.n,
                   "the strides " + std::to_string(shape.lda) + ", " + std::to_string(shape.ldb) +
                       ", " + std::to_string(shape.ldc) + " are shorter than the rows, " +
                       std::to_string(shape.k) + ", " + std::to_string(shape.k) + ", " +
                       std::to_string(shape.n));
  KINDRED_THROW_IF(shape.output != GemmType::float32, "the output of a host GEMM is float32");
  const std::string why_not = host_gemm_why_not(library, shape.input);
  if (!why_not.empty()) throw SpaceUnavailable("a host GEMM: " + why_not);
  // Created this way, a product plans for one thread.
  const HostMultiply::OnThisThread one_thread;
  m_product = library_of(library)->prepare(shape);
}

HostGemm::~HostGemm() = default;
HostGemm::HostGemm(HostGemm&&) noexcept = default;
HostGemm& HostGemm::operator=(HostGemm&&) noexcept = default;

std::size_t HostGemm::packed_bytes() const noexcept { return m_product->packed_bytes(); }

std::size_t HostGemm::scratch_bytes() const noexcept { return m_product->scratch_bytes(); }

void HostGemm::pack(const void* b, void* packed) const {
  // Some libraries query the number of threads during execution and split sums accordingly.
  const HostMultiply::OnThisThread one_thread;
  m_product->pack(b, packed);
}

void HostGemm::run(const void* a, const void* packed, float* c, void* scratch) const {
  const HostMultiply::OnThisThread one_thread;
  m_product->run(a, packed, c, scratch);
}

struct HostMultiply::State {
  explicit State(const HostLibrary& given) : library(given), settings(library.settings()) {}

  const HostLibrary& library;
  std::shared_ptr<void> settings;
};

HostMultiply::OnThisThread::OnThisThread() : m_threads(omp_get_max_threads()) {
  omp_set_num_threads(1);
}
HostMultiply::OnThisThread::~OnThisThread() { omp_set_num_threads(m_threads); }

HostMultiply::HostMultiply(GemmType type)
    : m_state(std::make_unique<State>(fastest_library(type))) {}
HostMultiply::HostMultiply(GemmType type, HostGemmLibrary library) {
  const HostLibrary* given = library_of(library);
  const bool multiplies = given != nullptr && given->multiplies(type);
  m_state = std::make_unique<State>(multiplies ? *given : fastest_library(type));
}
HostMultiply::~HostMultiply() = default;

bool HostMultiply::wants_other_stride(const GemmShape& shape) const noexcept {
  return m_state->library.wants_other_stride(shape);
}

void HostMultiply::run(const GemmShape& shape, const float* a, const float* b, float* c,
                       bool adds) const {
  m_state->library.multiply(shape, a, b, c, adds);
}

void HostMultiply::run(const GemmShape& shape, const double* a, const double* b, double* c) const {
  m_state->library.multiply(shape, a, b, c);
}

std::vector<VendorLibrary> host_gemm_libraries() {
  std::vector<VendorLibrary> found;
  for (const HostGemmLibrary which : host_gemm_libraries_by_speed) {
    if (which == HostGemmLibrary::own) continue;
    if (const HostLibrary* library = library_of(which)) found.push_back(library->version());
  }
  return found;
}

}  // namespace Kindred::Impl
