// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/seed/SeedBackward.hpp>

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/seed/impl/SeedBackwardKernels.hpp>
#include <kindred/core/seed/impl/SeedChecks.hpp>
#include <kindred/core/seed/impl/SeedElements.hpp>
#include <kindred/core/seed/special/SeedBackwardTeam.hpp>

#include <algorithm>

namespace Kindred {

namespace {

/// Whether teams of a device process the rows; they need no scratch in the workspace.
template <class ExecutionSpace>
constexpr bool has_team_form =
    Special::is_compiled<Special::Form::seed_backward_team, ExecutionSpace>;

std::uint64_t blocks_of(std::uint64_t rows) {
  return std::max<std::uint64_t>(1, reproducible_blocks(rows));
}
std::size_t partial_bytes(const SeedChunks& chunks, std::uint64_t rows) {
  return (blocks_of(rows) * chunks.hidden * sizeof(double) + 63) / 64 * 64;
}

template <class ExecutionSpace>
std::uint32_t pieces_of(const ExecutionSpace& exec_space, std::uint64_t work_items) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      static_cast<std::uint64_t>(Arch::concurrency(exec_space)), work_items));
}

}  // namespace

template <class ExecutionSpace>
std::size_t seed_backward_workspace([[maybe_unused]] const ExecutionSpace& exec_space,
                                    const SeedChunks& chunks, std::uint64_t rows) {
  std::size_t bytes = partial_bytes(chunks, rows);
  using functor = Impl::SeedBackwardPieces<float>;
  if constexpr (!has_team_form<ExecutionSpace>)
    bytes += pieces_of(exec_space, functor::work_items(chunks.hidden, blocks_of(rows))) *
             sizeof(functor::Scratch);
  return bytes;
}

template <class ExecutionSpace>
void seed_backward(const ExecutionSpace& exec_space, const SeedLayerView<ExecutionSpace>& layer,
                   std::uint64_t rows, const SeedRows<const std::byte, ExecutionSpace>& x,
                   const SeedRows<const std::byte, ExecutionSpace>& gradient,
                   const SeedRows<std::byte, ExecutionSpace>& dx,
                   const ArrayView<float, ExecutionSpace>& dw,
                   const ArrayView<std::byte, ExecutionSpace>& workspace,
                   const ArrayView<double, ExecutionSpace>& feature_sums) {
  const Impl::ArgumentCheck check("seed_backward");
  Impl::check_layer(check, layer);
  const std::uint64_t hidden = layer.chunks.hidden;
  Impl::check_seed_rows(check, "x", x, rows, hidden);
  Impl::check_seed_rows(check, "gradient", gradient, rows, hidden);
  Impl::check_seed_rows(check, "dx", dx, rows, hidden);
  if (rows > 1) check.is_at_least("dx.stride", dx.stride, hidden);
  check.has_if_given("dw", dw, hidden);
  check.has_if_given("feature_sums", feature_sums, hidden);
  check.has("workspace", workspace,
            hidden == 0 ? 0 : seed_backward_workspace(exec_space, layer.chunks, rows));
  check.is_aligned("workspace", workspace.data(), 16);
  const SeedChunks& chunks = layer.chunks;
  if (chunks.hidden == 0) return;
  const std::uint64_t blocks = blocks_of(rows);
  auto* partial = reinterpret_cast<double*>(workspace.data());
  const Impl::SeedWeightGradients gradients{
      Impl::SeedLayerPointers::of(layer), partial, blocks, dw.size() == 0 ? nullptr : dw.data(),
      feature_sums.size() == 0 ? nullptr : feature_sums.data()};
  Impl::with_seed_element(x.element, [&](auto type) {
    using Element = typename decltype(type)::type;
    const auto* of_x = reinterpret_cast<const Element*>(x.bytes.data());
    const auto* of_g = reinterpret_cast<const Element*>(gradient.bytes.data());
    auto* to = reinterpret_cast<Element*>(dx.bytes.data());
    if constexpr (has_team_form<ExecutionSpace>) {
      using functor = Impl::SeedBackwardTeam<Element>;
      const bool aligned = Impl::in_vec4(of_x, x.stride) && Impl::in_vec4(of_g, gradient.stride) &&
                           Impl::in_vec4(to, dx.stride);
      Arch::launch(exec_space,
                   {.label = "Kindred::Seed::backward",
                    .groups = functor::stripes(chunks.hidden) * blocks,
                    .scratch_bytes = functor::scratch_bytes},
                   functor{gradients, rows, of_x, x.stride, of_g, gradient.stride, to, dx.stride,
                           aligned, partial});
    } else {
      using functor = Impl::SeedBackwardPieces<Element>;
      const std::uint32_t pieces =
          pieces_of(exec_space, functor::work_items(chunks.hidden, blocks));
      Launch::for_each_index<Launch::Finishing>(
          exec_space, "Kindred::Seed::backward", pieces,
          functor{gradients.layer, rows, of_x, x.stride, of_g, gradient.stride, to, dx.stride,
                  partial, blocks, pieces, workspace.data() + partial_bytes(chunks, rows)});
    }
  });
  if (has_team_form<ExecutionSpace> && blocks == 1) return;
  Launch::for_each_index<Launch::Finishing>(exec_space, "Kindred::Seed::backward::weights",
                                            chunks.hidden, gradients);
}

KINDRED_INSTANTIATE_FOR_SPACES(seed_backward_workspace);
KINDRED_INSTANTIATE_FOR_SPACES(seed_backward);

}  // namespace Kindred
