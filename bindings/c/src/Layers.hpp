// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_LAYERS_HPP
#define KINDRED_C_LAYERS_HPP

#include <kindred/matcher/FusedLayers.hpp>

#include "Arguments.hpp"
#include "Prepared.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

// What is special of fused layers.
namespace Kindred::C {

/// A call on layers, whose tensors are all in host memory or all on a device.
class LayerCall {
 public:
  /// The layers of C++. \throws InvalidArgument with the name of what does not fit
  template <class Layer, class Struct>
  std::vector<Layer> layers(std::span<const Struct* const> list, const Struct& defaults) {
    std::vector<Layer> out;
    out.reserve(list.size());
    for (const Struct* const one : list) {
      m_name = "layers[" + std::to_string(out.size()) + "]";
      require(one, m_name.c_str());
      out.push_back(layer<Layer>(options_of(one, defaults, m_name.c_str())));
    }
    return out;
  }

  /// \brief Runs \p layers; or makes the handle \p prepared, or writes \p workspace_bytes. \throws
  /// InvalidArgument for a stream and tensors in host memory
  template <class Layer>
  void run(const SharedContext& context, const std::vector<Layer>& layers,
           const LayerOptions& options, kindred_prepared** prepared,
           std::size_t* workspace_bytes) const {
    const bool on_device = m_on_device.value_or(false);
    KINDRED_C_REFUSE_IF(options.stream && !on_device,
                        "a stream is given, but the tensors are in host memory; a stream orders "
                        "calls on tensors on a device");
    if (workspace_bytes != nullptr) {
      *workspace_bytes = on_device ? layers_workspace(*context, layers, options) : 0;
    } else if (prepared != nullptr) {
      *prepared = make_prepared(context, prepare_layers(*context, layers, options));
    } else {
      run_layers(*context, layers, options);
    }
  }

 private:
  template <class Layer, class Struct>
  Layer layer(const Struct& given) {
    Layer out;
    if constexpr (requires { given.reserved; }) check_reserved(given.reserved, m_name.c_str());
    if constexpr (requires { given.epsilon; }) out.epsilon = given.epsilon;
    out.activation = enum_of<LayerActivation>(given.activation, 3, named("activation").c_str());
    m_has_optional_matrices = requires { given.dw; };
// Each kind of layer has some of them.
#define KINDRED_C_TENSOR(name) \
  if constexpr (requires { given.name; }) set(out.name, given.name, #name)
    KINDRED_C_TENSOR(x);
    KINDRED_C_TENSOR(w);
    KINDRED_C_TENSOR(gradient);
    KINDRED_C_TENSOR(gamma);
    KINDRED_C_TENSOR(beta);
    KINDRED_C_TENSOR(bias);
    KINDRED_C_TENSOR(y);
    KINDRED_C_TENSOR(mean);
    KINDRED_C_TENSOR(variance);
    KINDRED_C_TENSOR(dx);
    KINDRED_C_TENSOR(dw);
    KINDRED_C_TENSOR(dgamma);
    KINDRED_C_TENSOR(dbeta);
    KINDRED_C_TENSOR(dbias);
#undef KINDRED_C_TENSOR
    return out;
  }

  std::string named(const char* tensor) const { return m_name + "." + tensor; }
  void set(ConstArray& to, const DLTensor* tensor, const char* name) {
    to = placed(array_of(tensor, named(name).c_str()), name);
  }
  void set(Array& to, const DLTensor* tensor, const char* name) {
    if (tensor != nullptr || !m_has_optional_matrices || std::string_view(name) == "y")
      to = placed(output_array_of(tensor, named(name).c_str()), name);
  }
  void set(std::span<const float>& to, const DLTensor* tensor, const char* name) {
    if (tensor != nullptr) to = row<const float>(array_of(tensor, named(name).c_str()), name);
  }
  void set(std::span<float>& to, const DLTensor* tensor, const char* name) {
    if (tensor != nullptr) to = row<float>(output_array_of(tensor, named(name).c_str()), name);
  }
  template <class Float, class Void>
  std::span<Float> row(const BasicArray<Void>& array, const char* name) {
    const bool is_row = array.rank() == 1 || (array.rank() == 2 && array.extent(0) == 1);
    KINDRED_C_REFUSE_IF(array.type() != DataType::float32 || !is_row || !array.is_contiguous(),
                        named(name) + " is " + to_string(ConstArray(array)) +
                            "; it must be one row of contiguous elements of type float32");
    placed(array, name);
    return {static_cast<Float*>(array.data()), static_cast<std::size_t>(array.size())};
  }
  /// A tensor without elements lies nowhere.
  template <class Void>
  const BasicArray<Void>& placed(const BasicArray<Void>& array, const char* name) {
    if (array.size() == 0) return array;
    if (!m_on_device) m_on_device = array.on_device();
    KINDRED_C_REFUSE_IF(
        array.on_device() != *m_on_device,
        named(name) + " is " + to_string(ConstArray(array)) + ", but " +
            (*m_on_device ? "others are on the device" : "others are in host memory") +
            "; all tensors of a call must be in the same memory");
    return array;
  }

  std::string m_name;
  bool m_has_optional_matrices = false;
  std::optional<bool> m_on_device;
};

}  // namespace Kindred::C

#endif  // KINDRED_C_LAYERS_HPP
