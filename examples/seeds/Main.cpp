#include <kindred/matcher/SeedLayer.hpp>

#include <iostream>
#include <span>
#include <vector>

int main() {
  Kindred::Context context;
  Kindred::SeedLayerOptions options;
  options.hidden = 8;
  options.seeds = 4;  // of two features each
  Kindred::SeedLayer layer(context, options);
  const std::int32_t blueprint = layer.add_blueprint("triples", std::vector<float>(8, 3.0F));

  layer.germinate(1, blueprint);
  layer.request(1, Kindred::Lifecycle::training);
  const auto early = layer.request(1, Kindred::Lifecycle::grafting);
  std::cout << early.why << '\n';  // 0 epochs in training; at least 100 are needed
  for (int epoch = 0; epoch < 100; ++epoch) layer.step();
  Kindred::SeedMetrics metrics;
  metrics.reconstruction_loss = 0.001;
  layer.request(1, Kindred::Lifecycle::grafting, metrics);
  for (int epoch = 0; epoch < 25; ++epoch) layer.step();  // half of the ramp

  const std::vector<float> x(8, 2.0F);
  std::vector<float> y(8);
  layer.forward(std::span(x), std::span(y));
  for (const float value : y) std::cout << value << ' ';   // 2 2 4 4 2 2 2 2
  std::cout << '\n' << layer.telemetry()[1].mean << '\n';  // 2: the mean of the input
}
