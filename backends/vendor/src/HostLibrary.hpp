// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_SRC_HOST_LIBRARY_HPP
#define KINDRED_BACKENDS_VENDOR_SRC_HOST_LIBRARY_HPP

#include <kindred/backends/vendor/Gemm.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace Kindred::Impl {

/// A product of one shape with a packed B. \see HostGemm
class PackedProduct {
 public:
  PackedProduct() = default;
  PackedProduct(const PackedProduct&) = delete;
  PackedProduct& operator=(const PackedProduct&) = delete;
  virtual ~PackedProduct() = default;

  virtual std::size_t packed_bytes() const noexcept = 0;
  virtual std::size_t scratch_bytes() const noexcept = 0;
  virtual void pack(const void* b, void* packed) const = 0;
  virtual void run(const void* a, const void* packed, float* c, void* scratch) const = 0;
};

/// \brief One library of products on the host: a vendor's, or our own, which is always there.
///
/// Stateless and thread-safe. Products use the calling thread only. A vendor's library may be in a
/// plugin, which contains nothing else of Kindred: no member throws an exception of ours or calls
/// our functions. \see HostPlugin.hpp
class HostLibrary {
 public:
  HostLibrary() = default;
  HostLibrary(const HostLibrary&) = delete;
  HostLibrary& operator=(const HostLibrary&) = delete;
  virtual ~HostLibrary() = default;

  virtual std::string version() const = 0;
  /// The reason why the library does not support packed products of \p input well on this
  /// processor; empty if it does.
  virtual std::string why_not(GemmType input) const = 0;
  /// Null with the reason in \p why_not if the library cannot make it.
  virtual std::unique_ptr<PackedProduct> prepare(const GemmShape& shape,
                                                 std::string& why_not) const = 0;

  /// Whether `multiply` takes matrices of \p type and is fast on this processor.
  virtual bool multiplies(GemmType type) const = 0;
  /// Keeps the library's settings as `multiply` needs them while it lives.
  virtual std::shared_ptr<void> settings() const { return nullptr; }
  /// Whether a copy of B with another stride is faster. \see HostMultiply
  virtual bool wants_other_stride(const GemmShape&) const noexcept { return false; }
  /// C = alpha · A · B, or C += alpha · A · B if \p adds. False if the library failed; C is as it
  /// was.
  virtual bool multiply(const GemmShape& shape, const float* a, const float* b, float* c,
                        bool adds) const = 0;
  virtual bool multiply(const GemmShape&, const double*, const double*, double*) const {
    return false;
  }
};

// Each is in the file of its name; those of vendors are linked, or in a plugin.
const HostLibrary& onednn_library();
const HostLibrary& openblas_library();
const HostLibrary& own_library();

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_VENDOR_SRC_HOST_LIBRARY_HPP
