// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/layers/FusedLinear.hpp>
#include <kindred/core/layers/FusedNorm.hpp>
#include <kindred/core/layers/LinearGradient.hpp>
#include <kindred/core/layers/NormGradient.hpp>

#include "CheckedCalls.hpp"

namespace Kindred::Testing::LayerArgumentsTest {

constexpr std::uint64_t rows = 2;
constexpr std::uint64_t columns = 3;

/// A matrix of float32.
std::byte* matrix(Arguments& a, const char* name) {
  return a.pointer<std::byte>(name, 64 * sizeof(float), alignof(float));
}

/// A type of elements; int8 is none of layers.
DataType element(Arguments& a, const char* name) {
  return a.number<DataType>(name, DataType::float32, DataType::int8);
}

LinearLayerData linear_of(Arguments& a) {
  LinearLayerData layer;
  layer.x = matrix(a, "layer.x");
  layer.w = matrix(a, "layer.w");
  layer.bias = a.sizing<float>("layer.bias", columns).data();
  layer.y = matrix(a, "layer.y");
  layer.rows = rows;
  layer.inputs = layer.x_stride = layer.w_stride = 4;
  layer.outputs = columns;
  layer.output = element(a, "layer.output");
  layer.y_stride = a.number<std::uint64_t>("layer.y_stride", columns, columns - 1);
  return layer;
}
LinearEnd end_of(Arguments& a) {
  LinearEnd end;
  end.products = a.pointer<float>("end.products", 64);
  end.stride = columns;
  end.bias = a.sizing<float>("end.bias", columns).data();
  end.y = matrix(a, "end.y");
  end.output = element(a, "end.output");
  end.y_stride = a.number<std::uint64_t>("end.y_stride", columns, columns - 1);
  end.rows = rows;
  end.outputs = columns;
  return end;
}
NormLayerData norm_of(Arguments& a) {
  NormLayerData layer;
  layer.x = matrix(a, "layer.x");
  layer.y = matrix(a, "layer.y");
  layer.gamma = a.sizing<float>("layer.gamma", columns).data();
  layer.beta = a.sizing<float>("layer.beta", columns).data();
  layer.mean = a.sizing<float>("layer.mean", rows).data();
  layer.variance = a.sizing<float>("layer.variance", rows).data();
  layer.rows = rows;
  layer.columns = a.number<std::uint64_t>("layer.columns", columns, norm_columns_max + 1);
  layer.x_stride = columns;
  layer.input = element(a, "layer.input");
  layer.output = element(a, "layer.output");
  layer.y_stride = a.number<std::uint64_t>("layer.y_stride", columns, columns - 1);
  return layer;
}

TEST(LayerArguments, AreCheckedBeforeALaunch) {
  const auto& check = expect_checked;
  check({"fused_linears", [](const HostSpace& on, Arguments& a) {
           LinearLayerData layer;
           layer.x = a.plain<std::byte>(64).data();
           layer.w = a.plain<std::byte>(64).data();
           layer.y = a.plain<std::byte>(64).data();
           layer.rows = layer.inputs = layer.outputs = 1;
           layer.x_stride = layer.w_stride = layer.y_stride = 1;
           const std::uint64_t items = plan_linears<HostSpace>(std::span(&layer, 1));
           const auto count = a.number<std::size_t>("the size of layers", 1, 0);
           fused_linears<HostSpace>(on, items, a.sizing<LinearLayerData>("layers", count, layer));
         }});
  check({"fused_linear", [](const HostSpace& on, Arguments& a) {
           LinearLayerData layer = linear_of(a);
           fused_linear<HostSpace>(on, plan_linears<HostSpace>(std::span(&layer, 1)), layer);
         }});
  check({"end_linear",
         [](const HostSpace& on, Arguments& a) { end_linear<HostSpace>(on, end_of(a)); }});
  check({"end_linear_here", [](const HostSpace&, Arguments& a) { end_linear_here(end_of(a)); }});
  check({"fused_norms", [](const HostSpace& on, Arguments& a) {
           NormLayerData layer;
           layer.x = a.plain<std::byte>(64).data();
           layer.y = a.plain<std::byte>(64).data();
           layer.rows = layer.columns = layer.x_stride = layer.y_stride = 1;
           const NormPlan plan = plan_norms(on, std::span(&layer, 1));
           const auto count = a.number<std::size_t>("the size of layers", 1, 0);
           fused_norms<HostSpace>(on, plan, a.sizing<NormLayerData>("layers", count, layer));
         }});
  check({"fused_norm", [](const HostSpace& on, Arguments& a) {
           NormLayerData layer = norm_of(a);
           const NormPlan plan = plan_norms(on, std::span(&layer, 1));
           fused_norm<HostSpace>(on, plan, layer);
         }});
  check({"linear_derivatives", [](const HostSpace& on, Arguments& a) {
           LinearDerivative layer;
           layer.gradient = matrix(a, "layer.gradient");
           layer.z = a.pointer<float>("layer.z", 64);
           layer.dz = matrix(a, "layer.dz");
           layer.transposed =
               reinterpret_cast<std::byte*>(a.sizing<float>("layer.transposed", 64).data());
           layer.rows = rows;
           layer.outputs = layer.gradient_stride = layer.z_stride = columns;
           layer.activation = LayerActivation::relu;
           layer.input = element(a, "layer.input");
           layer.output = element(a, "layer.output");
           linear_derivatives<HostSpace>(on, layer);
         }});
  check({"transpose_padded", [](const HostSpace& on, Arguments& a) {
           transpose_padded<HostSpace>(on, element(a, "element"), matrix(a, "matrix"), rows,
                                       columns, columns, matrix(a, "transposed"));
         }});
  check({"column_sums", [](const HostSpace& on, Arguments& a) {
           column_sums<HostSpace>(on, element(a, "element"), matrix(a, "matrix"), rows, columns,
                                  columns, a.pointer<float>("sums", columns),
                                  a.pointer<std::byte>("workspace", 1024, alignof(double)));
         }});
  check({"norm_gradients", [](const HostSpace& on, Arguments& a) {
           NormGradientData layer;
           layer.x = matrix(a, "layer.x");
           layer.gradient = matrix(a, "layer.gradient");
           layer.dx = matrix(a, "layer.dx");
           layer.gamma = a.sizing<float>("layer.gamma", columns).data();
           layer.beta = a.sizing<float>("layer.beta", columns).data();
           layer.dgamma = a.sizing<float>("layer.dgamma", columns).data();
           layer.dbeta = a.sizing<float>("layer.dbeta", columns).data();
           layer.rows = rows;
           layer.columns = layer.x_stride = layer.gradient_stride = columns;
           layer.input = element(a, "layer.input");
           layer.output = element(a, "layer.output");
           layer.dx_stride = a.number<std::uint64_t>("layer.dx_stride", columns, columns - 1);
           norm_gradients<HostSpace>(
               on, layer, a.array<std::byte>("workspace", norm_gradient_workspace(layer), {}, 16));
         }});
}

}  // namespace Kindred::Testing::LayerArgumentsTest
