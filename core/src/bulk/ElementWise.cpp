// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/ElementWise.hpp>

#include <kindred/core/bulk/impl/ElementWiseKernels.hpp>

namespace Kindred {

template <class ExecutionSpace, class T>
void element_wise(const ExecutionSpace& exec_space, const BulkPlan& plan, ElementWise op, T number,
                  const ArrayView<const BulkItem<T>, ExecutionSpace>& items) {
  const auto count = static_cast<std::uint32_t>(items.size());
  const auto launch = [&](const char* label, const auto& function) {
    using op_type = std::decay_t<decltype(function)>;
    Impl::for_each_chunk(
        exec_space, label, plan.chunks,
        Impl::ElementWiseChunks<T, op_type>{function, number, plan.streams, count, items.data()});
  };
  switch (op) {
    case ElementWise::add:
      return launch("Kindred::Bulk::element_wise::add", Impl::AddOp<T>());
    case ElementWise::multiply:
      return launch("Kindred::Bulk::element_wise::multiply", Impl::MultiplyOp<T>());
    case ElementWise::square:
      return launch("Kindred::Bulk::element_wise::square", Impl::SquareOp<T>());
    case ElementWise::square_root:
      return launch("Kindred::Bulk::element_wise::square_root", Impl::SquareRootOp<T>());
    case ElementWise::exponential:
      return launch("Kindred::Bulk::element_wise::exponential", Impl::ExponentialOp<T>());
  }
}

template <class ExecutionSpace>
void xor_bytes(const ExecutionSpace& exec_space, const BulkPlan& plan,
               const ArrayView<const BulkItem<std::uint8_t>, ExecutionSpace>& items) {
  Impl::for_each_chunk(
      exec_space, "Kindred::Bulk::xor_bytes::bytes", plan.chunks,
      Impl::ElementWiseChunks<std::uint8_t, Impl::XorOp>{
          Impl::XorOp(), 0, plan.streams, static_cast<std::uint32_t>(items.size()), items.data()});
}

template <class ExecutionSpace, class T>
void normalise(const ExecutionSpace& exec_space, const BulkPlan& plan,
               const ArrayView<const double, ExecutionSpace>& means,
               const ArrayView<const double, ExecutionSpace>& deviations,
               const ArrayView<const BulkItem<T>, ExecutionSpace>& items) {
  Impl::for_each_chunk(
      exec_space, "Kindred::Bulk::normalise::elements", plan.chunks,
      Impl::NormaliseChunks<T>{plan.streams, static_cast<std::uint32_t>(items.size()), items.data(),
                               means.data(), deviations.data()});
}

#define KINDRED_INSTANTIATE_FOR(SPACE, T)                                             \
  template void element_wise<SPACE, T>(const SPACE&, const BulkPlan&, ElementWise, T, \
                                       const ArrayView<const BulkItem<T>, SPACE>&);   \
  template void normalise<SPACE, T>(                                                  \
      const SPACE&, const BulkPlan&, const ArrayView<const double, SPACE>&,           \
      const ArrayView<const double, SPACE>&, const ArrayView<const BulkItem<T>, SPACE>&);
#define KINDRED_INSTANTIATE(SPACE)                                                       \
  template void xor_bytes<SPACE>(const SPACE&, const BulkPlan&,                          \
                                 const ArrayView<const BulkItem<std::uint8_t>, SPACE>&); \
  KINDRED_INSTANTIATE_FOR(SPACE, float)                                                  \
  KINDRED_INSTANTIATE_FOR(SPACE, double)
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE
#undef KINDRED_INSTANTIATE_FOR

}  // namespace Kindred
