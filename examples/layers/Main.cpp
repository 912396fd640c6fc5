#include <kindred/matcher/FusedLayers.hpp>

#include <iostream>
#include <vector>

int main() {
  Kindred::Context context;
  const std::vector<float> x{1, 2, 3, 4, 10, 10, 10, 10};  // two rows of four
  std::vector<float> y(x.size()), mean(2);
  Kindred::NormLayer norm;
  norm.x = Kindred::matrix_array(x, 2, 4);
  norm.y = Kindred::matrix_array(y, 2, 4);
  norm.mean = mean;  // optional: the mean of each row
  norm.activation = Kindred::LayerActivation::relu;
  Kindred::run_layers(context, std::span(&norm, 1));
  for (const float value : y) std::cout << value << ' ';
  std::cout << "| means " << mean[0] << ' ' << mean[1] << '\n';

  const std::vector<float> weights{1, 0, 0, 0, 1, 1, 1, 1}, bias{0.5F, 0};  // two outputs
  std::vector<float> z(4);
  Kindred::LinearLayer linear;
  linear.x = Kindred::matrix_array(x, 2, 4);
  linear.w = Kindred::matrix_array(weights, 2, 4);
  linear.bias = bias;
  linear.y = Kindred::matrix_array(z, 2, 2);
  Kindred::run_layers(context, std::span(&linear, 1));
  for (const float value : z) std::cout << value << ' ';
  std::cout << '\n';
}
