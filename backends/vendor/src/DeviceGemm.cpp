// SPDX-License-Identifier: Apache-2.0
// Products on a device by cuBLASLt. \see OwnDeviceProduct.cpp
#include "GemmChecks.hpp"

#include <kindred/backends/vendor/DeviceGemm.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>

#include <string>

#if KINDRED_HAS_DEVICE && KINDRED_HAS_CUBLASLT
#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>
#endif

#if !KINDRED_HAS_DEVICE || KINDRED_HAS_CUBLASLT

namespace Kindred::Impl {

#if KINDRED_HAS_DEVICE

namespace {

/// Maps a cuBLASLt status to a CUDA error, so that both are translated to exceptions in one place.
cudaError_t as_cuda(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return cudaSuccess;
    case CUBLAS_STATUS_ALLOC_FAILED:
      return cudaErrorMemoryAllocation;
    case CUBLAS_STATUS_NOT_INITIALIZED:
    case CUBLAS_STATUS_ARCH_MISMATCH:
    case CUBLAS_STATUS_NOT_SUPPORTED:
    case CUBLAS_STATUS_INVALID_VALUE:
      return cudaErrorNotSupported;
    default: {
      // The library may have failed because an earlier kernel broke the context.
      const cudaError_t last = cudaPeekAtLastError();
      return last == cudaSuccess ? cudaErrorUnknown : last;
    }
  }
}

void require(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  Arch::require(as_cuda(status),
                std::string("cuBLASLt: ") + what + ": " + cublasLtGetStatusString(status));
}

cudaDataType_t cuda_type(GemmType type) {
  switch (type) {
    case GemmType::float16:
      return CUDA_R_16F;
    case GemmType::bfloat16:
      return CUDA_R_16BF;
    case GemmType::float64:
      return CUDA_R_64F;
    case GemmType::float32:
      break;
  }
  return CUDA_R_32F;
}

/// \brief Owns a handle of the library from the moment it is made: a constructor that throws later
/// runs no destructor of its own. \tparam destroy the function of the library
template <class Handle, cublasStatus_t (*destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (m_value != nullptr) (void)destroy(m_value);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  /// Where the library puts a new handle.
  Handle* target() { return &m_value; }
  // NOLINTNEXTLINE(google-explicit-constructor): a handle like any other
  operator Handle() const { return m_value; }

 private:
  Handle m_value = nullptr;
};

/// A column-major matrix whose columns are the rows of a row-major matrix.
struct Layout {
  Layout(GemmType type, std::uint64_t columns, std::uint64_t rows, std::uint64_t stride,
         std::uint64_t batch, std::uint64_t step) {
    require(cublasLtMatrixLayoutCreate(value.target(), cuda_type(type), columns, rows,
                                       static_cast<std::int64_t>(stride)),
            "a layout");
    if (batch == 1) return;
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(batch));
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, static_cast<std::int64_t>(step));
  }

  template <class T>
  void set(cublasLtMatrixLayoutAttribute_t attribute, const T& requested) const {
    require(cublasLtMatrixLayoutSetAttribute(value, attribute, &requested, sizeof(requested)),
            "a layout");
  }

  Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy> value;
};

cublasLtEpilogue_t epilogue_of(GemmEpilogue epilogue) {
  switch (epilogue) {
    case GemmEpilogue::bias:
      return CUBLASLT_EPILOGUE_BIAS;
    case GemmEpilogue::relu:
      return CUBLASLT_EPILOGUE_RELU;
    case GemmEpilogue::bias_relu:
      return CUBLASLT_EPILOGUE_RELU_BIAS;
    case GemmEpilogue::none:
      break;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

struct Description {
  explicit Description(const GemmShape& shape) {
    const bool is_double = shape.input == GemmType::float64;
    require(cublasLtMatmulDescCreate(value.target(),
                                     is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                     is_double ? CUDA_R_64F : CUDA_R_32F),
            "a description");
    if (!shape.plain_b) set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    if (shape.epilogue == GemmEpilogue::none) return;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(shape.epilogue));
    if (shape.epilogue == GemmEpilogue::relu) return;
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, CUDA_R_32F);
    // The heuristic needs a bias pointer with the same alignment as the other matrices.
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, std::uintptr_t{shape.alignment});
  }

  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& requested) const {
    require(cublasLtMatmulDescSetAttribute(value, attribute, &requested, sizeof(requested)),
            "a description");
  }

  Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> value;
};

struct Preference {
  explicit Preference(std::uint32_t alignment) {
    require(cublasLtMatmulPreferenceCreate(value.target()), "a preference");
    for (const auto attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      (void)cublasLtMatmulPreferenceSetAttribute(value, attribute, &alignment, sizeof(alignment));
    }
  }

  Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> value;
};

struct Event {
  Event() { (void)cudaEventCreate(&value); }
  ~Event() { (void)cudaEventDestroy(value); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  cudaEvent_t value = nullptr;
};

/// \brief The library is column-major and therefore sees C = A · Bᵀ as Cᵀ = B · Aᵀ, and C = A · B
/// as Cᵀ = Bᵀ · Aᵀ. B is thus its first operand.
struct Plan {
  explicit Plan(const GemmShape& requested)
      : shape(requested),
        description(requested),
        b(requested.input, requested.plain_b ? requested.n : requested.k,
          requested.plain_b ? requested.k : requested.n, requested.ldb, requested.batch,
          requested.b_step),
        a(requested.input, requested.k, requested.m, requested.lda, requested.batch,
          requested.a_step),
        c(requested.output, requested.n, requested.m, requested.ldc, requested.batch,
          requested.c_step) {}

  cublasStatus_t run(cublasLtHandle_t handle, cudaStream_t stream,
                     const cublasLtMatmulAlgo_t& algorithm, const void* a_data, const void* b_data,
                     void* c_data) const {
    const auto multiply = [&](auto factor) {
      const decltype(factor) zero = 0;
      return cublasLtMatmul(handle, description.value, &factor, b_data, b.value, a_data, a.value,
                            &zero, c_data, c.value, c_data, c.value, &algorithm, nullptr, 0,
                            stream);
    };
    return shape.input == GemmType::float64 ? multiply(double{shape.alpha}) : multiply(shape.alpha);
  }

  GemmShape shape;
  Description description;
  Layout b;
  Layout a;
  Layout c;
  cublasLtMatmulAlgo_t fastest{};
};

}  // namespace

struct DeviceGemm::State {
  State() { require(cublasLtCreate(handle.target()), "a handle"); }

  /// Returns the number of algorithms that the library proposes, best first.
  int propose(const Plan& plan, std::span<cublasLtMatmulHeuristicResult_t> algorithms) const {
    const Preference preference(plan.shape.alignment);
    int found = 0;
    require(cublasLtMatmulAlgoGetHeuristic(handle, plan.description.value, plan.b.value,
                                           plan.a.value, plan.c.value, plan.c.value,
                                           preference.value, static_cast<int>(algorithms.size()),
                                           algorithms.data(), &found),
            "no GEMM of this shape");
    if (found == 0) throw SpaceUnavailable("cuBLASLt: no GEMM of this shape");
    return found;
  }

  /// Selects an algorithm without workspace, which products of these shapes do not need.
  void choose(Plan& plan, cudaStream_t stream, const void* a, const void* b, void* c) const {
    std::array<cublasLtMatmulHeuristicResult_t, 16> algorithms{};
    const int found = propose(plan, algorithms);
    const Event begin;
    const Event end;
    float least = std::numeric_limits<float>::infinity();
    for (int i = 0; i < found; ++i) {
      const auto& algorithm = algorithms[static_cast<std::size_t>(i)].algo;
      if (plan.run(handle, stream, algorithm, a, b, c) != CUBLAS_STATUS_SUCCESS) continue;
      for (int repeat = 0; repeat < 3; ++repeat) {
        (void)cudaEventRecord(begin.value, stream);
        require(plan.run(handle, stream, algorithm, a, b, c), "a GEMM");
        (void)cudaEventRecord(end.value, stream);
        (void)cudaEventSynchronize(end.value);
        float milliseconds = 0;
        if (cudaEventElapsedTime(&milliseconds, begin.value, end.value) != cudaSuccess) continue;
        if (milliseconds >= least) continue;
        least = milliseconds;
        plan.fastest = algorithm;
      }
    }
  }

  const Plan* find(const GemmShape& shape) const {
    const auto plan = std::find_if(plans.begin(), plans.end(),
                                   [&](const auto& known) { return known->shape == shape; });
    return plan == plans.end() ? nullptr : plan->get();
  }
  const Plan* keep(std::unique_ptr<Plan> plan) {
    constexpr std::size_t plans_kept = 64;
    if (plans.size() == plans_kept) plans.erase(plans.begin());
    return plans.emplace_back(std::move(plan)).get();
  }

  Owned<cublasLtHandle_t, cublasLtDestroy> handle;
  std::vector<std::unique_ptr<Plan>> plans;
};

DeviceGemm::DeviceGemm() : m_state(std::make_unique<State>()) {}

void DeviceGemm::prepare(const GemmShape& shape) {
  check(shape);
  if (m_state->find(shape) != nullptr) return;
  auto made = std::make_unique<Plan>(shape);
  std::array<cublasLtMatmulHeuristicResult_t, 1> first{};
  m_state->propose(*made, first);
  made->fastest = first[0].algo;
  m_state->keep(std::move(made));
}

void DeviceGemm::run(const DeviceSpace& exec_space, const GemmShape& shape, const void* a,
                     const void* b, void* c, const float* bias) {
  check(shape);
  const Plan* plan = m_state->find(shape);
  if (plan == nullptr && shape.choice == GemmChoice::fixed) {
    prepare(shape);
    plan = m_state->find(shape);
  }
  if (plan == nullptr) {
    auto made = std::make_unique<Plan>(shape);
    m_state->choose(*made, exec_space.cuda_stream(), a, b, c);
    plan = m_state->keep(std::move(made));
  }
  if (shape.epilogue == GemmEpilogue::bias || shape.epilogue == GemmEpilogue::bias_relu)
    plan->description.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  require(plan->run(m_state->handle, exec_space.cuda_stream(), plan->fastest, a, b, c), "a GEMM");
}

#else

struct DeviceGemm::State {};

DeviceGemm::DeviceGemm() {
  throw SpaceUnavailable("cuBLASLt: not compiled in: this is a host build");
}

#endif

DeviceGemm::~DeviceGemm() = default;
DeviceGemm::DeviceGemm(DeviceGemm&&) noexcept = default;
DeviceGemm& DeviceGemm::operator=(DeviceGemm&&) noexcept = default;

std::vector<VendorLibrary> device_gemm_libraries() {
#if KINDRED_HAS_DEVICE
  // 1000 or 10000 × major + 100 × minor + patch
  const std::size_t version = cublasLtGetVersion();
  const std::size_t unit = version >= 100'000 ? 10'000 : 1000;
  return {{"cuBLASLt",
           std::to_string(version / unit) + "." + std::to_string(version % unit / 100) + "." +
               std::to_string(version % 100),
           "cuda",
           {"float16", "bfloat16", "float32", "float64"},
           {}}};
#else
  return {};
#endif
}

}  // namespace Kindred::Impl

#endif
