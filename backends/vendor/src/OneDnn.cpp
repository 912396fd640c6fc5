// SPDX-License-Identifier: Apache-2.0
#include "HostLibrary.hpp"

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>

#include <dnnl.hpp>

#include <new>
#include <string>
#include <unordered_map>

namespace Kindred::Impl {

namespace {

bool has_isa(dnnl::cpu_isa requested) {
  const auto bits = static_cast<unsigned>(requested);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

dnnl::memory::data_type onednn_type(GemmType type) {
  return type == GemmType::bfloat16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

/// Runs \p body. \throws std::bad_alloc if oneDNN has no memory, Error for its other errors
template <class Body>
void translating_errors(const Body& body) {
  try {
    body();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
    throw Error(std::string("oneDNN failed: ") + error.what());
  }
}

/// OneDNN ends the process where it cannot allocate a kernel.
constexpr std::size_t more_than_a_kernel = std::size_t{4} << 20U;

class OneDnnProduct : public PackedProduct {
 public:
  explicit OneDnnProduct(const GemmShape& shape) : m_engine(dnnl::engine::kind::cpu, 0) {
    using dims = dnnl::memory::dims;
    const auto extent = [](std::uint64_t n) { return static_cast<dnnl::memory::dim>(n); };
    const dims a_dims{extent(shape.m), extent(shape.k)};
    const dims b_dims{extent(shape.k), extent(shape.n)};
    const auto type = onednn_type(shape.input);
    const dnnl::memory::desc a(a_dims, type, dims{extent(shape.lda), 1});
    const dnnl::memory::desc any(b_dims, type, dnnl::memory::format_tag::any);
    const dnnl::memory::desc c({extent(shape.m), extent(shape.n)}, dnnl::memory::data_type::f32,
                               dims{extent(shape.ldc), 1});
    m_unpacked = dnnl::memory::desc(b_dims, type, dims{1, extent(shape.ldb)});
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (shape.alpha != 1) attributes.set_output_scales(0, {shape.alpha});
    m_description =
        dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, any, c), attributes, m_engine);
    m_multiply = dnnl::matmul(m_description);
    m_order = dnnl::reorder(dnnl::reorder::primitive_desc(m_engine, m_unpacked, m_engine,
                                                          m_description.weights_desc()));
    m_packed_bytes = m_description.weights_desc().get_size();
    m_scratch_bytes = m_description.scratchpad_desc().get_size();
  }

  std::size_t packed_bytes() const noexcept override { return m_packed_bytes; }
  std::size_t scratch_bytes() const noexcept override { return m_scratch_bytes; }
  void pack(const void* b, void* packed) const override {
    translating_errors([&] {
      dnnl::stream stream(m_engine);
      auto from = memory(m_unpacked, b);
      auto to = memory(m_description.weights_desc(), packed);
      m_order.execute(stream, from, to);
      stream.wait();
    });
  }
  void run(const void* a, const void* packed, float* c, void* scratch) const override {
    translating_errors([&] {
      dnnl::stream stream(m_engine);
      const std::unordered_map<int, dnnl::memory> arguments{
          {DNNL_ARG_SRC, memory(m_description.src_desc(), a)},
          {DNNL_ARG_WEIGHTS, memory(m_description.weights_desc(), packed)},
          {DNNL_ARG_DST, memory(m_description.dst_desc(), c)},
          {DNNL_ARG_SCRATCHPAD, memory(m_description.scratchpad_desc(), scratch)}};
      m_multiply.execute(stream, arguments);
      stream.wait();
    });
  }

 private:
  dnnl::memory memory(const dnnl::memory::desc& desc, const void* data) const {
    return {desc, m_engine, const_cast<void*>(data)};  // NOLINT(*-const-cast): it has no const form
  }

  dnnl::engine m_engine;
  dnnl::memory::desc m_unpacked;
  dnnl::matmul::primitive_desc m_description;
  dnnl::matmul m_multiply;
  dnnl::reorder m_order;
  std::size_t m_packed_bytes = 0;  // asking oneDNN allocates
  std::size_t m_scratch_bytes = 0;
};

class OneDnn : public HostLibrary {
 public:
  std::string version() const override {
    const dnnl_version_t& version = *dnnl_version();
    return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
           std::to_string(version.patch);
  }
  std::string why_not(GemmType input) const override {
    if (input == GemmType::bfloat16) {
      return has_isa(dnnl::cpu_isa::avx512_core_bf16)
                 ? ""
                 : "this processor has no instructions for bfloat16 (AVX512_BF16 or AMX)";
    }
    return has_isa(dnnl::cpu_isa::avx2) ? "" : "this processor has no AVX2";
  }
  std::unique_ptr<PackedProduct> prepare(const GemmShape& shape,
                                         std::string& why_not) const override {
    require_host_memory(more_than_a_kernel);
    try {
      return std::make_unique<OneDnnProduct>(shape);
    } catch (const dnnl::error& error) {
      why_not = std::string("oneDNN cannot make it: ") + error.what();
      return nullptr;
    }
  }
  bool multiplies(GemmType type) const override {
    return type == GemmType::float32 && why_not(type).empty();
  }
  bool wants_other_stride(const GemmShape& shape) const noexcept override {
    constexpr std::uint64_t bad_stride = 2048 / sizeof(float);
    constexpr std::uint64_t least_rows = 64;  // fewer rows do not pay for the copy
    return shape.ldb % bad_stride == 0 && shape.m >= least_rows && shape.k >= least_rows;
  }
  bool multiply(const GemmShape& shape, const float* a, const float* b, float* c,
                bool adds) const override {
    const auto extent = [](std::uint64_t n) { return static_cast<dnnl_dim_t>(n); };
    return dnnl_sgemm('N', 'N', extent(shape.m), extent(shape.n), extent(shape.k), shape.alpha, a,
                      extent(shape.lda), b, extent(shape.ldb), adds ? 1.0F : 0.0F, c,
                      extent(shape.ldc)) == dnnl_success;
  }
};

}  // namespace

const HostLibrary& onednn_library() {
  static const OneDnn library;
  return library;
}

}  // namespace Kindred::Impl
