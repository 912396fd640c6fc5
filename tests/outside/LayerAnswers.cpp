// SPDX-License-Identifier: Apache-2.0
// Helper of test_layers.py, because layers have no command. `layer_answers FOLDER ROWS INPUTS
// OUTPUTS` reads raw float32 values from FOLDER (x, gamma, beta, w, bias) and writes the results of
// each space.
#include <kindred/matcher/FusedLayers.hpp>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace Kindred;

class Folder {
 public:
  explicit Folder(std::string path) : m_path(std::move(path)) {}

  std::vector<float> read(const std::string& name, std::size_t count) const {
    std::vector<float> values(count);
    std::ifstream file(m_path + "/" + name, std::ios::binary);
    file.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(count * sizeof(float)));
    if (!file) throw Error(name + " is too short");
    return values;
  }
  void write(const std::string& name, const std::vector<float>& values) const {
    std::ofstream file(m_path + "/" + name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
    if (!file.flush()) throw Error(name + " cannot be written");
  }

 private:
  std::string m_path;
};

void answer(const Folder& folder, std::size_t rows, std::size_t inputs, std::size_t outputs) {
  ContextOptions options;
  options.load_profile = false;
  Context context(options);
  const std::vector<float> x = folder.read("x", rows * inputs);
  const std::vector<float> gamma = folder.read("gamma", inputs);
  const std::vector<float> beta = folder.read("beta", inputs);
  const std::vector<float> w = folder.read("w", outputs * inputs);
  const std::vector<float> bias = folder.read("bias", outputs);
  for (const Space space : all_spaces) {
    if (!context.is_usable(space)) continue;
    const std::string name(to_string(space));
    std::vector<float> y(rows * inputs);
    std::vector<float> mean(rows);
    std::vector<float> variance(rows);
    NormLayer norm;
    norm.x = matrix_array(x, rows, inputs);
    norm.y = matrix_array(y, rows, inputs);
    norm.gamma = gamma;
    norm.beta = beta;
    norm.mean = mean;
    norm.variance = variance;
    run_layers(context, std::span(&norm, 1), {space});
    folder.write(name + ".norm", y);
    folder.write(name + ".mean", mean);
    folder.write(name + ".variance", variance);
    for (const bool reproducible : {false, true}) {
      for (const auto& [label, activation] :
           {std::pair("none", LayerActivation::none), std::pair("relu", LayerActivation::relu),
            std::pair("gelu", LayerActivation::gelu)}) {
        std::vector<float> z(rows * outputs);
        LinearLayer linear;
        linear.x = norm.x;
        linear.w = matrix_array(w, outputs, inputs);
        linear.bias = bias;
        linear.y = matrix_array(z, rows, outputs);
        linear.activation = activation;
        run_layers(context, std::span(&linear, 1), {space, reproducible});
        folder.write(name + (reproducible ? ".reproducible." : ".linear.") + label, z);
      }
    }
    std::cout << name << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 5) throw Error("layer_answers FOLDER ROWS INPUTS OUTPUTS");
    answer(Folder(argv[1]), std::strtoull(argv[2], nullptr, 10),
           std::strtoull(argv[3], nullptr, 10), std::strtoull(argv[4], nullptr, 10));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
