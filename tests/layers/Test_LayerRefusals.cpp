// SPDX-License-Identifier: Apache-2.0
#include "LayerCases.hpp"
#include "MessageOf.hpp"

namespace Kindred::Testing::Layers::LayerRefusalsTest {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

template <class Layer, class Void>
auto with_shape(BasicArray<Void> Layer::*member, std::int64_t rows, std::int64_t columns,
                std::int64_t stride = 0) {
  return [=](Layer& layer) {
    const auto array = layer.*member;
    layer.*member = {array.data(), array.type(), std::array{rows, columns},
                     std::array{stride == 0 ? array.stride(0) : stride, std::int64_t{1}}};
  };
}
template <class Layer, class Void>
auto with_type(BasicArray<Void> Layer::*member, DataType type) {
  return [=](Layer& layer) {
    const auto array = layer.*member;
    layer.*member = {array.data(), type, array.shape(), std::array{array.stride(0), 1L}};
  };
}
template <class First, class Second>
auto both(const First& first, const Second& second) {
  return [=](auto& layer) { first(layer), second(layer); };
}
template <class Layer, class T>
auto with(T Layer::*member, const std::type_identity_t<T>& value) {
  return [=](Layer& layer) { layer.*member = value; };
}

/// A change that makes a layer invalid, and words of the message.
template <class Layer>
struct Refused {
  std::function<void(Layer&)> change;
  std::string words;
};

/// Expects that calls are refused whose second layer is invalid, and that they write nothing.
template <class Case, class Layer>
void expect_refused(Case& one, Layer (Case::*layer)(), const std::vector<Refused<Layer>>& rows) {
  const auto before = one.results();
  for (const auto& [change, words] : rows) {
    std::vector<Layer> layers{(one.*layer)(), (one.*layer)()};
    change(layers[1]);
    for (const Space space : spaces()) {
      for (const bool reproducible : {false, true}) {
        const std::string message = message_of<InvalidArgument>([&] {
          run_layers(context(), layers, {space, reproducible});
        });
        EXPECT_THAT(message, ::testing::HasSubstr("layer 1: "));
        EXPECT_THAT(message, ::testing::HasSubstr(words));
      }
    }
  }
  const LayerOptions on_device{.space = Space::cuda};
  const Layer valid = (one.*layer)();
  const auto prepare = [&] { prepare_layers(context(), std::span(&valid, 1), on_device); };
  if (context().is_usable(Space::cuda)) {
    EXPECT_THROW(prepare(), InvalidArgument);
  } else {
    EXPECT_THROW(run(valid, on_device), SpaceUnavailable);
    EXPECT_THROW(prepare(), SpaceUnavailable);
  }
  EXPECT_EQ(one.results(), before);
}

NormCase norm(DataType out) {
  auto generator = Testing::generator("LayerRefusals");
  return norm_case(generator, float32, out, 4, 8, none, 1);
}
LinearCase linear() {
  auto generator = Testing::generator("LayerRefusals");
  LinearCase one = linear_case(generator, float32, float32, {4, 8, 6}, none, 1);
  one.dx = Matrix(float32, 4, 8);
  one.dw = Matrix(float32, 6, 8);
  one.bias.resize(6);
  return one;
}
const std::vector<float> seven(7);

TEST(LayerRefusals, OfNorms) {
  NormCase one = norm(float32);
  std::vector<float> three(3);
  one.mean.clear();
  one.variance.clear();
  const std::span values(static_cast<const float*>(one.y.view().data()), 32);
  const ConstArray shifted = matrix_array(values.subspan(8), 3, 8);
  const ConstArray odd(reinterpret_cast<const std::byte*>(seven.data()) + 1, float32,
                       std::array{1L, 4L});
  expect_refused<NormCase, NormLayer>(
      one, &NormCase::forward,
      {{with_shape(&NormLayer::y, 3, 8), "y is float32 [3, 8]"},
       {with_shape(&NormLayer::y, 4, 7), "y is float32 [4, 7]"},
       {both(with_shape(&NormLayer::x, 4, 0), with_shape(&NormLayer::y, 4, 0)), "x has 0 columns"},
       {with_shape(&NormLayer::x, 4, 8, 7), "x is float32 [4, 8]"},
       {with_shape(&NormLayer::x, 4, 8, huge / 3), ""},
       {with_type(&NormLayer::x, int8), "x is int8"},
       {with_type(&NormLayer::y, int8), "y is int8"},
       {with(&NormLayer::gamma, seven), "gamma has 7"},
       {with(&NormLayer::beta, seven), "beta has 7"},
       {with(&NormLayer::mean, three), "mean has 3"},
       {with(&NormLayer::variance, three), "variance has 3"},
       {with(&NormLayer::epsilon, 0), "epsilon is 0"},
       {with(&NormLayer::epsilon, -1), "epsilon is -1"},
       {with(&NormLayer::epsilon, 1e-40F), "epsilon is "},
       {with(&NormLayer::epsilon, infinity), "epsilon is inf"},
       {with(&NormLayer::epsilon, not_a_number), "epsilon is "},
       {both(with(&NormLayer::x, shifted), with_shape(&NormLayer::y, 3, 8)), "overlap"},
       {both(with(&NormLayer::x, odd), with_shape(&NormLayer::y, 1, 4)), "not aligned"}});
}

TEST(LayerRefusals, OfLinears) {
  LinearCase one = linear();
  const Array flat(one.y.view().data(), float32, std::array{24L});
  const ConstArray sparse(one.x.view().data(), float32, std::array{4L, 8L}, std::array{16L, 2L});
  const auto overlapping = [](Matrix& input) {
    return both(with(&LinearLayer::y, input.view()), with_shape(&LinearLayer::y, 4, 6));
  };
  expect_refused<LinearCase, LinearLayer>(
      one, &LinearCase::forward,
      {{with_shape(&LinearLayer::x, 4, 7), "w is float32 [6, 8]; it must be float32 [any, 7]"},
       {with_shape(&LinearLayer::w, 6, 7), "w is float32 [6, 7]"},
       {with_shape(&LinearLayer::w, 5, 8), "bias has 6"},
       {with_shape(&LinearLayer::y, 3, 6), "y is float32 [3, 6]"},
       {with_shape(&LinearLayer::y, 4, 5), "y is float32 [4, 5]"},
       {with(&LinearLayer::y, flat), "y is float32 [24]"},
       {with_shape(&LinearLayer::x, 4, 8, 7), "x is float32 [4, 8]"},
       {with_shape(&LinearLayer::x, 4, 8, -8), "x is float32 [4, 8]"},
       {with_shape(&LinearLayer::x, 4, 8, huge), ""},
       {with_shape(&LinearLayer::x, 4, 8, huge / 4 + 9), ""},
       {with(&LinearLayer::x, sparse), "x is float32 [4, 8]"},
       {with_type(&LinearLayer::x, bfloat16), "bfloat16"},
       {both(with_type(&LinearLayer::x, int8), with_type(&LinearLayer::w, int8)), "x is int8"},
       {with(&LinearLayer::bias, std::span(one.bias).first(5)), "bias has 5"},
       {overlapping(one.x), "overlaps x"},
       {overlapping(one.w), "overlaps x or w"}});
}

TEST(LayerRefusals, OfGradientsOfNorms) {
  NormCase one = norm(float16);
  std::vector<float> nine(9);
  expect_refused<NormCase, NormGradient>(
      one, &NormCase::backward,
      {{with_shape(&NormGradient::gradient, 3, 8, 8),
        "gradient is float16 [3, 8]; it must be float16 [4, 8]"},
       {with_shape(&NormGradient::dx, 4, 7), "dx is float32 [4, 7]"},
       {with_type(&NormGradient::dx, bfloat16), "it must be float32 [4, 8]"},
       {with_type(&NormGradient::gradient, int8), "int8"},
       {with(&NormGradient::gamma, seven), "gamma has 7"},
       {with(&NormGradient::dbeta, nine), "dbeta has 9"},
       {with(&NormGradient::epsilon, 0), "epsilon is 0"},
       {with(&NormGradient::x, one.dx.view()), "overlaps x"}});
}

TEST(LayerRefusals, OfGradientsOfLinears) {
  LinearCase one = linear();
  expect_refused<LinearCase, LinearGradient>(
      one, &LinearCase::backward,
      {{with_shape(&LinearGradient::gradient, 4, 5, 5),
        "gradient is float32 [4, 5]; it must be float32 [4, 6]"},
       {with_shape(&LinearGradient::w, 6, 7), "w is float32 [6, 7]"},
       {with_shape(&LinearGradient::dx, 3, 8), "dx is float32 [3, 8]"},
       {with_shape(&LinearGradient::dw, 4, 8), "dw is float32 [4, 8]"},
       {with_type(&LinearGradient::w, float16), "w is float16"},
       {with(&LinearGradient::bias, seven), "bias has 7"},
       {with(&LinearGradient::x, one.dx.view()), "overlaps x"}});
}

}  // namespace Kindred::Testing::Layers::LayerRefusalsTest
