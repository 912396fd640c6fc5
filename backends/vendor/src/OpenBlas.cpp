// SPDX-License-Identifier: Apache-2.0
#include "HostLibrary.hpp"

#include <cblas.h>

#include <cstring>
#include <mutex>
#include <sstream>

namespace Kindred::Impl {

namespace {

/// Disables OpenBLAS' own threads, a process-wide setting, during its lifetime, because our threads
/// call it.
class OpenBlasThreads {
 public:
  OpenBlasThreads() {
    const std::lock_guard lock(mutex);
    if (users++ > 0) return;
    before = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
  ~OpenBlasThreads() {
    const std::lock_guard lock(mutex);
    if (--users == 0) openblas_set_num_threads(before);
  }
  OpenBlasThreads(const OpenBlasThreads&) = delete;
  OpenBlasThreads& operator=(const OpenBlasThreads&) = delete;

 private:
  static inline constinit std::mutex mutex;
  static inline int users = 0;
  static inline int before = 1;
};

blasint extent(std::uint64_t n) { return static_cast<blasint>(n); }

/// B is packed by copying it.
class OpenBlasProduct : public PackedProduct {
 public:
  explicit OpenBlasProduct(const GemmShape& shape) : m_shape(shape) {}

  std::size_t packed_bytes() const noexcept override {
    return m_shape.n * m_shape.ldb * sizeof(float);
  }
  std::size_t scratch_bytes() const noexcept override { return 0; }
  void pack(const void* b, void* packed) const override {
    std::memcpy(packed, b, ((m_shape.n - 1) * m_shape.ldb + m_shape.k) * sizeof(float));
  }
  void run(const void* a, const void* packed, float* c, void*) const override {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, extent(m_shape.m), extent(m_shape.n),
                extent(m_shape.k), m_shape.alpha, static_cast<const float*>(a), extent(m_shape.lda),
                static_cast<const float*>(packed), extent(m_shape.ldb), 0.0F, c,
                extent(m_shape.ldc));
  }

 private:
  GemmShape m_shape;
  OpenBlasThreads m_threads;
};

class OpenBlas : public HostLibrary {
 public:
  std::string version() const override {
    // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …"
    std::istringstream config(openblas_get_config());
    std::string name;
    std::string version;
    config >> name >> version;
    return version;
  }
  std::string why_not(GemmType input) const override {
    return input == GemmType::float32 ? "" : "OpenBLAS is called for float32 only";
  }
  std::unique_ptr<PackedProduct> prepare(const GemmShape& shape, std::string&) const override {
    return std::make_unique<OpenBlasProduct>(shape);
  }
  bool multiplies(GemmType type) const override {
    return type == GemmType::float32 || type == GemmType::float64;
  }
  std::shared_ptr<void> settings() const override { return std::make_shared<OpenBlasThreads>(); }
  bool multiply(const GemmShape& shape, const float* a, const float* b, float* c,
                bool adds) const override {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, extent(shape.m), extent(shape.n),
                extent(shape.k), shape.alpha, a, extent(shape.lda), b, extent(shape.ldb),
                adds ? 1.0F : 0.0F, c, extent(shape.ldc));
    return true;
  }
  bool multiply(const GemmShape& shape, const double* a, const double* b,
                double* c) const override {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, extent(shape.m), extent(shape.n),
                extent(shape.k), double{shape.alpha}, a, extent(shape.lda), b, extent(shape.ldb),
                0.0, c, extent(shape.ldc));
    return true;
  }
};

}  // namespace

const HostLibrary& openblas_library() {
  static const OpenBlas library;
  return library;
}

}  // namespace Kindred::Impl
