// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/ElementWise.hpp>

#include <kindred/core/bulk/impl/BulkChecks.hpp>
#include <kindred/core/bulk/impl/ElementWiseKernels.hpp>

namespace Kindred {

template <class ExecutionSpace, class T>
void element_wise(const ExecutionSpace& exec_space, const BulkPlan& plan, ElementWise op, T number,
                  const BulkItems<T>& items) {
  const Impl::ArgumentCheck check("element_wise");
  Impl::check_items(check, plan, items, true, true);
  const auto launch = [&](const char* label, const auto& function) {
    using op_type = std::decay_t<decltype(function)>;
    Impl::for_each_chunk(
        exec_space, label, plan.chunks,
        Impl::ElementWiseChunks<T, op_type>{function, number, plan.streams, items});
  };
  switch (op) {
    case ElementWise::add:
      return launch("Kindred::Bulk::element_wise::add", Impl::AddOp<T>());
    case ElementWise::multiply:
      return launch("Kindred::Bulk::element_wise::multiply", Impl::MultiplyOp<T>());
    case ElementWise::square:
      return launch("Kindred::Bulk::element_wise::square", Impl::SquareOp<T>());
    case ElementWise::square_root:
      if constexpr (std::is_floating_point_v<T>)
        launch("Kindred::Bulk::element_wise::square_root", Impl::SquareRootOp<T>());
      return;
    case ElementWise::exponential:
      if constexpr (std::is_floating_point_v<T>)
        launch("Kindred::Bulk::element_wise::exponential", Impl::ExponentialOp<T>());
      return;
  }
}

template <class ExecutionSpace>
void combine_bytes(const ExecutionSpace& exec_space, const BulkPlan& plan, BytesOperation op,
                   std::uint8_t number, const BulkItems<std::uint8_t>& items) {
  const Impl::ArgumentCheck check("combine_bytes");
  Impl::check_items(check, plan, items, true, true);
  const auto launch = [&](const char* label, const auto& function) {
    using op_type = std::decay_t<decltype(function)>;
    Impl::for_each_chunk(
        exec_space, label, plan.chunks,
        Impl::ElementWiseChunks<std::uint8_t, op_type>{function, number, plan.streams, items});
  };
  switch (op) {
    case BytesOperation::exclusive_or:
      return launch("Kindred::Bulk::xor_bytes::bytes", Impl::XorOp());
    case BytesOperation::inclusive_or:
      return launch("Kindred::Bulk::element_wise::any", Impl::OrOp());
    case BytesOperation::conjunction:
      return launch("Kindred::Bulk::element_wise::both", Impl::AndOp());
  }
}

template <class ExecutionSpace, class T>
void normalise(const ExecutionSpace& exec_space, const BulkPlan& plan,
               const ArrayView<const double, ExecutionSpace>& means,
               const ArrayView<const double, ExecutionSpace>& deviations,
               const BulkItems<T>& items) {
  const Impl::ArgumentCheck check("normalise");
  Impl::check_items(check, plan, items, true, true);
  check.has("means", means, items.count);
  check.has("deviations", deviations, items.count);
  Impl::for_each_chunk(
      exec_space, "Kindred::Bulk::normalise::elements", plan.chunks,
      Impl::NormaliseChunks<T>{plan.streams, items, means.data(), deviations.data()});
}

#define KINDRED_INSTANTIATE_ELEMENTS(SPACE, T)                                        \
  template void element_wise<SPACE, T>(const SPACE&, const BulkPlan&, ElementWise, T, \
                                       const BulkItems<T>&);
#define KINDRED_INSTANTIATE_FOR(SPACE, T)                                  \
  KINDRED_INSTANTIATE_ELEMENTS(SPACE, T)                                   \
  template void normalise<SPACE, T>(const SPACE&, const BulkPlan&,         \
                                    const ArrayView<const double, SPACE>&, \
                                    const ArrayView<const double, SPACE>&, const BulkItems<T>&);
#define KINDRED_INSTANTIATE(SPACE)                                                                \
  template void combine_bytes<SPACE>(const SPACE&, const BulkPlan&, BytesOperation, std::uint8_t, \
                                     const BulkItems<std::uint8_t>&);                             \
  KINDRED_INSTANTIATE_ELEMENTS(SPACE, std::uint8_t)                                               \
  KINDRED_INSTANTIATE_ELEMENTS(SPACE, std::uint16_t)                                              \
  KINDRED_INSTANTIATE_ELEMENTS(SPACE, std::uint32_t)                                              \
  KINDRED_INSTANTIATE_ELEMENTS(SPACE, std::uint64_t)                                              \
  KINDRED_INSTANTIATE_FOR(SPACE, float)                                                           \
  KINDRED_INSTANTIATE_FOR(SPACE, double)
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE
#undef KINDRED_INSTANTIATE_FOR
#undef KINDRED_INSTANTIATE_ELEMENTS

}  // namespace Kindred
