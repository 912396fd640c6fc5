// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/vendor/HostGemm.hpp>

#include "GemmChecks.hpp"
#include "HostLibrary.hpp"
#include "HostPlugin.hpp"

#include <kindred/backends/impl/StartThreads.hpp>
#include <kindred/core/common/Error.hpp>

#include <omp.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace Kindred::Impl {

namespace {

/// One of the libraries: null with the reason if this build or this machine does not have it.
struct Found {
  std::string name;
  const HostLibrary* library = nullptr;
  std::string why_not;
};

Found find_onednn() {
#if KINDRED_ONEDNN_IN_PLUGIN
  HostPlugin plugin = find_host_plugin("onednn");
  return {"oneDNN", plugin.library, std::move(plugin.why_not)};
#elif KINDRED_HAS_ONEDNN
  return {"oneDNN", &onednn_library(), {}};
#else
  return {"oneDNN", nullptr, "not compiled in"};
#endif
}

#if KINDRED_OPENBLAS_IN_PLUGIN
/// OpenBLAS starts its threads while it is loaded, and ends the process if it cannot. Threads of
/// our own are therefore started first. Returns why they do not start.
std::string why_openblas_cannot_start() {
  const char* const text = std::getenv("OPENBLAS_NUM_THREADS");
  const int requested = text == nullptr ? 0 : std::atoi(text);
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  return why_threads_cannot_start((requested > 0 ? requested : all) - 1);
}
#endif

Found find_openblas() {
#if KINDRED_OPENBLAS_IN_PLUGIN
  if (std::string why_not = why_openblas_cannot_start(); !why_not.empty())
    return {"OpenBLAS", nullptr, std::move(why_not)};
  HostPlugin plugin = find_host_plugin("openblas");
  return {"OpenBLAS", plugin.library, std::move(plugin.why_not)};
#elif KINDRED_HAS_OPENBLAS
  return {"OpenBLAS", &openblas_library(), {}};
#else
  return {"OpenBLAS", nullptr, "not compiled in"};
#endif
}

/// The vendors' libraries are loaded by the first call.
const Found& library_of(HostGemmLibrary library) {
  static const std::array<Found, host_gemm_libraries_by_speed.size()> libraries{
      find_onednn(), find_openblas(), Found{"Kindred", &own_library(), {}}};
  return libraries[static_cast<std::size_t>(library)];
}

/// The fastest library on this processor that multiplies matrices of \p type.
const HostLibrary& fastest_library(GemmType type) {
  for (const HostGemmLibrary which : host_gemm_libraries_by_speed) {
    const HostLibrary* library = library_of(which).library;
    if (library != nullptr && library->multiplies(type)) return *library;
  }
  return own_library();
}

const HostLibrary& given_or_fastest_library(GemmType type, HostGemmLibrary library) {
  const HostLibrary* given = library_of(library).library;
  return given != nullptr && given->multiplies(type) ? *given : fastest_library(type);
}

}  // namespace

std::string host_gemm_why_not(HostGemmLibrary library, GemmType input) {
  if (input == GemmType::float16) return "no host library here multiplies float16";
  if (input == GemmType::float64) return "rows of float64 are not packed";
  const Found& found = library_of(library);
  return found.library == nullptr ? found.name + ": " + found.why_not
                                  : found.library->why_not(input);
}

HostGemmLibrary fastest_host_library(GemmType input) {
  for (const HostGemmLibrary library : host_gemm_libraries_by_speed) {
    if (host_gemm_why_not(library, input).empty()) return library;
  }
  return HostGemmLibrary::own;
}

HostGemmChoice fastest_host_gemm() {
  const HostGemmLibrary library = fastest_host_library(GemmType::bfloat16);
  if (host_gemm_why_not(library, GemmType::bfloat16).empty()) return {library, GemmType::bfloat16};
  return {fastest_host_library(GemmType::float32), GemmType::float32};
}

HostGemm::HostGemm(HostGemmLibrary library, const GemmShape& shape) : m_shape(shape) {
  check(shape);
  KINDRED_THROW_IF(shape.output != GemmType::float32, "the output of a host GEMM is float32");
  std::string why_not = host_gemm_why_not(library, shape.input);
  if (why_not.empty()) {
    // Created this way, a product plans for one thread.
    const HostMultiply::OnThisThread one_thread;
    m_product = library_of(library).library->prepare(shape, why_not);
  }
  if (m_product == nullptr) throw SpaceUnavailable("a host GEMM: " + why_not);
}

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

HostMultiply::OnThisThread::OnThisThread() : m_threads(omp_get_max_threads()) {
  omp_set_num_threads(1);
}
HostMultiply::OnThisThread::~OnThisThread() { omp_set_num_threads(m_threads); }

HostMultiply::HostMultiply(const HostLibrary& library)
    : m_library(library), m_settings(library.settings()) {}
HostMultiply::HostMultiply(GemmType type) : HostMultiply(fastest_library(type)) {}
HostMultiply::HostMultiply(GemmType type, HostGemmLibrary library)
    : HostMultiply(given_or_fastest_library(type, library)) {}

bool HostMultiply::wants_other_stride(const GemmShape& shape) const noexcept {
  return m_library.wants_other_stride(shape);
}

void HostMultiply::run(const GemmShape& shape, const float* a, const float* b, float* c,
                       bool adds) const {
  if (!m_library.multiply(shape, a, b, c, adds)) own_library().multiply(shape, a, b, c, adds);
}

void HostMultiply::run(const GemmShape& shape, const double* a, const double* b, double* c) const {
  if (!m_library.multiply(shape, a, b, c)) own_library().multiply(shape, a, b, c);
}

std::vector<VendorLibrary> host_gemm_libraries() {
  const auto is_used = [](const Found& found, HostGemmLibrary which, GemmType type) {
    if (found.library == nullptr) return false;
    const bool packed = host_gemm_why_not(which, type).empty();
    return (packed && fastest_host_library(type) == which) ||
           (found.library->multiplies(type) && found.library == &fastest_library(type));
  };
  std::vector<VendorLibrary> libraries;
  for (const HostGemmLibrary which : host_gemm_libraries_by_speed) {
    const Found& found = library_of(which);
    VendorLibrary library{found.name, {}, "host", {}, found.why_not};
    if (found.library != nullptr) library.version = found.library->version();
    for (const auto& [type, name] :
         {std::pair(GemmType::bfloat16, "bfloat16"), std::pair(GemmType::float32, "float32"),
          std::pair(GemmType::float64, "float64")}) {
      if (is_used(found, which, type)) library.used_for.emplace_back(name);
    }
    if (library.used_for.empty() && library.why_not.empty() && which != HostGemmLibrary::own)
      library.why_not = found.library->why_not(GemmType::float32);
    libraries.push_back(std::move(library));
  }
  return libraries;
}

}  // namespace Kindred::Impl
