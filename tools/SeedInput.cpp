// SPDX-License-Identifier: Apache-2.0
#include "SeedInput.hpp"

#include "VectorInput.hpp"

#include <kindred/matcher/VectorFile.hpp>

#include <bit>
#include <cstring>

namespace Kindred::Tools {

namespace {

/// Rounds to nearest, ties to even; NaN stays NaN.
std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16U | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
}

/// How the rows or weights in \p path are read: a name without a format is that of a .npy file.
VectorFileOptions seed_file_options(const std::string& path) {
  VectorFileOptions options = vector_file_options(path, VectorFormat::npy, "train");
  options.one_row = true;
  return options;
}

}  // namespace

void add_seed_element_flag(CLI::App& command, std::optional<DataType>& element) {
  add_element_flag(command, element, {DataType::float32, DataType::float16, DataType::bfloat16},
                   "float32, float16 or bfloat16, which rounds float32 rows (default: the file's)");
}

SeedStateFile load_seed_state(Session& session, const std::string& path) {
  return session.timed(Phase::load, [&] { return read_seed_state(path); });
}

SeedRowsInput load_seed_rows(Session& session, const std::string& path,
                             std::optional<DataType> element) {
  const auto read = [&] {
    const VectorFile file(path, seed_file_options(path));
    if (file.type() != DataType::float32 && file.type() != DataType::float16)
      throw InputError(fmt::format("{}: is of {}; the rows of a layer are float32 or float16", path,
                                   to_string(file.type())));
    const bool is_half = file.type() == DataType::float16;
    SeedRowsInput out;
    out.element = element.value_or(is_half ? DataType::float16 : DataType::float32);
    out.rows = file.rows();
    if (file.dimension() > 1U << 31U)
      throw InputError(fmt::format("{}: rows of {} features; at most 2147483648 can be", path,
                                   file.dimension()));
    out.hidden = static_cast<std::uint32_t>(file.dimension());
    if (is_half && out.element == DataType::float16) {
      out.bytes.resize(file.rows() * file.row_bytes());
      const auto elements = static_cast<std::int64_t>(file.rows() * file.dimension());
      file.read(0, file.rows(), Array(out.bytes.data(), file.type(), {&elements, 1}));
      return out;
    }
    if (out.element == DataType::float16)
      throw InputError(path + ": is of float32, which float16 cannot represent; convert it first");
    const Matrix matrix = read_matrix(path, seed_file_options(path), session.read_progress(path));
    const std::span<const float> values = matrix.span();
    out.bytes.resize(values.size() * size_of(out.element));
    if (out.element == DataType::float32) {
      std::memcpy(out.bytes.data(), values.data(), out.bytes.size());
    } else {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t rounded = to_bfloat16(values[i]);
        std::memcpy(out.bytes.data() + 2 * i, &rounded, 2);
      }
    }
    return out;
  };
  return session.timed(Phase::load, [&] { return reading_file(read); });
}

SeedLayer load_seed_layer(Session& session, std::uint32_t hidden, const std::string& state_path,
                          const SeedStateFile& state, const std::string& weights_path,
                          std::uint32_t telemetry_epochs) {
  return session.timed(Phase::upload, [&] {
    SeedLayerOptions options;
    options.hidden = hidden;
    options.seeds = static_cast<std::uint32_t>(state.state.seeds());
    options.telemetry_epochs = telemetry_epochs;
    SeedLayer layer(session.context(), options);
    if (!weights_path.empty()) {
      const Matrix weights = read_matrix(weights_path, seed_file_options(weights_path),
                                         session.read_progress(weights_path));
      if (weights.columns != hidden)
        throw InputError(fmt::format("{}: blueprints of {} weights; the rows have {} features",
                                     weights_path, weights.columns, hidden));
      for (std::size_t i = 0; i < weights.rows; ++i)
        layer.add_blueprint(std::to_string(i), weights.span().subspan(i * hidden, hidden));
    }
    with_errors_as<InputError>(state_path + ": ", [&] { layer.set_state(state.state); });
    return layer;
  });
}

}  // namespace Kindred::Tools
