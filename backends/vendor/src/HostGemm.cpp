// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/vendor/HostGemm.hpp>

#include <kindred/core/common/Error.hpp>

#include <cblas.h>
#include <omp.h>
#include <dnnl.hpp>

#include <cstring>
#include <mutex>
#include <optional>
#include <sstream>
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

/// Disables OpenBLAS' own threads, a process-wide setting, during its lifetime, because our threads
/// call it.
class OpenBlasThreads {
 public:
  OpenBlasThreads() {
    const std::lock_guard lock(mutex());
    if (users()++ > 0) return;
    before() = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
  ~OpenBlasThreads() {
    const std::lock_guard lock(mutex());
    if (--users() == 0) openblas_set_num_threads(before());
  }
  OpenBlasThreads(const OpenBlasThreads&) = delete;
  OpenBlasThreads& operator=(const OpenBlasThreads&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  static int& users() {
    static int count = 0;
    return count;
  }
  static int& before() {
    static int threads = 1;
    return threads;
  }
};

}  // namespace

std::string host_gemm_why_not(HostGemmLibrary library, GemmType input) {
  if (input == GemmType::float16) return "no host library here multiplies float16";
  if (input == GemmType::float64) return "rows of float64 are not packed";
  if (library == HostGemmLibrary::openblas)
    return input == GemmType::float32 ? "" : "OpenBLAS is called for float32 only";
  if (input == GemmType::bfloat16) {
    return has_isa(dnnl::cpu_isa::avx512_core_bf16)
               ? ""
               : "this processor has no instructions for bfloat16 (AVX512_BF16 or AMX)";
  }
  return has_isa(dnnl::cpu_isa::avx2) ? "" : "this processor has no AVX2";
}

HostGemmChoice fastest_host_gemm() {
  for (const GemmType input : {GemmType::bfloat16, GemmType::float32}) {
    if (host_gemm_why_not(HostGemmLibrary::onednn, input).empty())
      return {HostGemmLibrary::onednn, input};
  }
  return {HostGemmLibrary::openblas, GemmType::float32};
}

struct HostGemm::OneDnn {
  explicit OneDnn(const GemmShape& shape) : engine(dnnl::engine::kind::cpu, 0) {
    using dims = dnnl::memory::dims;
    const auto extent = [](std::uint64_t n) { return static_cast<dnnl::memory::dim>(n); };
    const dims a_dims{extent(shape.m), extent(shape.k)};
    const dims b_dims{extent(shape.k), extent(shape.n)};
    const auto type = onednn_type(shape.input);
    const dnnl::memory::desc a(a_dims, type, dims{extent(shape.lda), 1});
    const dnnl::memory::desc any(b_dims, type, dnnl::memory::format_tag::any);
    const dnnl::memory::desc c({extent(shape.m), extent(shape.n)}, dnnl::memory::data_type::f32,
                               dims{extent(shape.ldc), 1});
    plain = dnnl::memory::desc(b_dims, type, dims{1, extent(shape.ldb)});
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (shape.alpha != 1) attributes.set_output_scales(0, {shape.alpha});
    // Created this way, a primitive plans for one thread.
    const HostMultiply::OnThisThread one_thread;
    description = dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, any, c), attributes, engine);
    multiply = dnnl::matmul(description);
    order = dnnl::reorder(
        dnnl::reorder::primitive_desc(engine, plain, engine, description.weights_desc()));
  }

  dnnl::memory memory(const dnnl::memory::desc& desc, const void* data) const {
    return {desc, engine, const_cast<void*>(data)};  // NOLINT(*-const-cast): it has no const form
  }

  dnnl::engine engine;
  dnnl::memory::desc plain;
  dnnl::matmul::primitive_desc description;
  dnnl::matmul multiply;
  dnnl::reorder order;
};

struct HostGemm::OpenBlas {
  OpenBlasThreads threads;
};

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
  try {
    if (library == HostGemmLibrary::onednn) {
      m_onednn = std::make_unique<OneDnn>(shape);
    } else {
      m_openblas = std::make_unique<OpenBlas>();
    }
  } catch (const dnnl::error& error) {
    throw SpaceUnavailable(std::string("oneDNN cannot make a GEMM: ") + error.what());
  }
}

HostGemm::~HostGemm() = default;
HostGemm::HostGemm(HostGemm&&) noexcept = default;
HostGemm& HostGemm::operator=(HostGemm&&) noexcept = default;

std::size_t HostGemm::packed_bytes() const noexcept {
  return m_onednn ? m_onednn->description.weights_desc().get_size()
                  : m_shape.n * m_shape.ldb * sizeof(float);
}

std::size_t HostGemm::scratch_bytes() const noexcept {
  return m_onednn ? m_onednn->description.scratchpad_desc().get_size() : 0;
}

void HostGemm::pack(const void* b, void* packed) const {
  // Some primitives query the number of threads during execution and split sums accordingly.
  const HostMultiply::OnThisThread one_thread;
  if (!m_onednn) {
    std::memcpy(packed, b, ((m_shape.n - 1) * m_shape.ldb + m_shape.k) * sizeof(float));
    return;
  }
  dnnl::stream stream(m_onednn->engine);
  auto from = m_onednn->memory(m_onednn->plain, b);
  auto to = m_onednn->memory(m_onednn->description.weights_desc(), packed);
  m_onednn->order.execute(stream, from, to);
  stream.wait();
}

void HostGemm::run(const void* a, const void* packed, float* c, void* scratch) const {
  const HostMultiply::OnThisThread one_thread;
  if (!m_onednn) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(m_shape.m),
                static_cast<blasint>(m_shape.n), static_cast<blasint>(m_shape.k), m_shape.alpha,
                static_cast<const float*>(a), static_cast<blasint>(m_shape.lda),
                static_cast<const float*>(packed), static_cast<blasint>(m_shape.ldb), 0.0F, c,
                static_cast<blasint>(m_shape.ldc));
    return;
  }
  const OneDnn& onednn = *m_onednn;
  dnnl::stream stream(onednn.engine);
  const std::unordered_map<int, dnnl::memory> arguments{
      {DNNL_ARG_SRC, onednn.memory(onednn.description.src_desc(), a)},
      {DNNL_ARG_WEIGHTS, onednn.memory(onednn.description.weights_desc(), packed)},
      {DNNL_ARG_DST, onednn.memory(onednn.description.dst_desc(), c)},
      {DNNL_ARG_SCRATCHPAD, onednn.memory(onednn.description.scratchpad_desc(), scratch)}};
  onednn.multiply.execute(stream, arguments);
  stream.wait();
}

struct HostMultiply::State {
  explicit State(GemmType type)
      : is_onednn(type == GemmType::float32 &&
                  host_gemm_why_not(HostGemmLibrary::onednn, type).empty()) {
    if (!is_onednn) threads.emplace();
  }
  bool is_onednn;
  std::optional<OpenBlasThreads> threads;
};

HostMultiply::OnThisThread::OnThisThread() : m_threads(omp_get_max_threads()) {
  omp_set_num_threads(1);
}
HostMultiply::OnThisThread::~OnThisThread() { omp_set_num_threads(m_threads); }

HostMultiply::HostMultiply(GemmType type) : m_state(std::make_unique<State>(type)) {}
HostMultiply::~HostMultiply() = default;

bool HostMultiply::wants_other_stride(const GemmShape& shape) const noexcept {
  constexpr std::uint64_t bad_stride = 2048 / sizeof(float);
  constexpr std::uint64_t least_rows = 64;  // fewer rows do not pay for the copy
  return m_state->is_onednn && shape.ldb % bad_stride == 0 && shape.m >= least_rows &&
         shape.k >= least_rows;
}

void HostMultiply::run(const GemmShape& shape, const float* a, const float* b, float* c,
                       bool adds) const {
  const auto extent = [](std::uint64_t n) { return static_cast<dnnl_dim_t>(n); };
  const float beta = adds ? 1.0F : 0.0F;
  if (m_state->is_onednn) {
    const dnnl_status_t status =
        dnnl_sgemm('N', 'N', extent(shape.m), extent(shape.n), extent(shape.k), shape.alpha, a,
                   extent(shape.lda), b, extent(shape.ldb), beta, c, extent(shape.ldc));
    if (status == dnnl_success) return;
  }
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(shape.m),
              static_cast<blasint>(shape.n), static_cast<blasint>(shape.k), shape.alpha, a,
              static_cast<blasint>(shape.lda), b, static_cast<blasint>(shape.ldb), beta, c,
              static_cast<blasint>(shape.ldc));
}

void HostMultiply::run(const GemmShape& shape, const double* a, const double* b, double* c) const {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(shape.m),
              static_cast<blasint>(shape.n), static_cast<blasint>(shape.k), double{shape.alpha}, a,
              static_cast<blasint>(shape.lda), b, static_cast<blasint>(shape.ldb), 0.0, c,
              static_cast<blasint>(shape.ldc));
}

std::vector<VendorLibrary> host_gemm_libraries() {
  const dnnl_version_t& onednn = *dnnl_version();
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …"
  std::istringstream openblas(openblas_get_config());
  std::string name;
  std::string version;
  openblas >> name >> version;
  return {{"oneDNN",
           std::to_string(onednn.major) + "." + std::to_string(onednn.minor) + "." +
               std::to_string(onednn.patch),
           "host"},
          {name, version, "host"}};
}

}  // namespace Kindred::Impl
