// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "SeedInput.hpp"
#include "io/Matrix.hpp"

namespace Kindred::Tools {

namespace {

struct CallFlags {
  std::string input;
  std::string gradient;
  std::string state;
  std::string weights;
  std::optional<DataType> element;
  std::string out;
  std::string second;  ///< telemetry, or the gradient of the weights
};

void check_files(const char* command, const CallFlags& flags) {
  check_outputs(command, {flags.out, flags.second},
                {flags.input, flags.gradient, flags.state, flags.weights});
}

/// Formats rows as a .npy file; bfloat16 is stored as float32, which is exact.
std::string npy_of(const std::vector<std::byte>& bytes, DataType element, std::uint64_t rows,
                   std::uint64_t columns) {
  std::string out = npy_header(element == DataType::float16 ? "<f2" : "<f4", rows, columns);
  if (element != DataType::bfloat16)
    return out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    out.append(2, '\0');
    out.append(reinterpret_cast<const char*>(bytes.data()) + i, 2);
  }
  return out;
}

/// Publishes \p first and, if requested, \p second together.
void publish(AtomicFile& file, const std::string& first, AtomicFile* other,
             const std::string& second) {
  file.write(first.data(), first.size());
  if (other == nullptr) return AtomicFile::publish({&file});
  other->write(second.data(), second.size());
  AtomicFile::publish({&file, other});
}

/// Adds the files that were read to the report.
void report_inputs(Session& session, const CallFlags& flags, const SeedRowsInput& x,
                   const SeedStateFile& state) {
  const std::string rows = fmt::format("{} rows of {} features", x.rows, x.hidden);
  session.add_input("input", flags.input, rows);
  if (!flags.gradient.empty()) session.add_input("gradient", flags.gradient, rows);
  session.add_input("state", flags.state, Html::counted(state.state.seeds(), "seed", "seeds"));
  if (!flags.weights.empty()) session.add_input("weights", flags.weights);
  session.add_to_report("element", std::string(to_string(x.element)));
}

/// The gradient of each blueprint's weights, for the report.
ReportTable gradients_of(const std::vector<float>& gradients, std::size_t blueprints) {
  const std::size_t hidden = blueprints > 0 ? gradients.size() / blueprints : 0;
  std::vector<double> norms(blueprints);
  for (std::size_t i = 0; i < gradients.size(); ++i)
    norms[i / hidden] += static_cast<double>(gradients[i]) * static_cast<double>(gradients[i]);
  double most = 0;
  for (double& norm : norms) most = std::max(most, norm = std::sqrt(norm));
  ReportTable table{
      .title = "Gradient of the weights",
      .columns = {{"blueprint", ColumnKind::number}, {"Euclidean norm", ColumnKind::bar}}};
  for (std::size_t i = 0; i < blueprints; ++i) {
    table.add_row({digits_cell(i),
                   bar_cell(Html::score(norms[i]), norms[i], most > 0 ? norms[i] / most : 0)});
  }
  return table;
}

void forward(const GlobalOptions& global, const CallFlags& flags) {
  check_files("seeds forward", flags);
  AtomicFile out(flags.out);  // fails before the work
  std::optional<AtomicFile> telemetry;
  if (!flags.second.empty()) telemetry.emplace(flags.second);
  Session session(global, "seeds forward");
  const SeedStateFile state = load_seed_state(session, flags.state);
  const SeedRowsInput x = load_seed_rows(session, flags.input, flags.element);
  SeedLayer layer = load_seed_layer(session, x.hidden, flags.state, state, flags.weights, 1);
  std::vector<std::byte> y(x.bytes.size());
  session.timed(Phase::compute, [&] { layer.forward(x.array(), x.like(y)); });
  const std::vector<SeedTelemetry> seen = layer.telemetry();
  std::string text;
  append_telemetry(text, seen);
  publish(out, npy_of(y, x.element, x.rows, x.hidden), telemetry ? &*telemetry : nullptr,
          text + '\n');
  report_inputs(session, flags, x, state);
  session.show(report_of({{flags.state, state.state}}, {{flags.input, seen}}));
  session.finish();
}

void backward(const GlobalOptions& global, const CallFlags& flags) {
  check_files("seeds backward", flags);
  AtomicFile out(flags.out);
  AtomicFile out_weights(flags.second);
  Session session(global, "seeds backward");
  const SeedStateFile state = load_seed_state(session, flags.state);
  const SeedRowsInput x = load_seed_rows(session, flags.input, flags.element);
  const SeedRowsInput gradient = load_seed_rows(session, flags.gradient, x.element);
  if (gradient.rows != x.rows || gradient.hidden != x.hidden)
    throw InputError(fmt::format("{}: {} rows of {}; {} has {} rows of {}", flags.gradient,
                                 gradient.rows, gradient.hidden, flags.input, x.rows, x.hidden));
  SeedLayer layer = load_seed_layer(session, x.hidden, flags.state, state, flags.weights, 0);
  std::vector<std::byte> dx(x.bytes.size());
  std::vector<float> dw(x.hidden);
  session.timed(Phase::compute,
                [&] { layer.backward(x.array(), gradient.array(), x.like(dx), std::span(dw)); });
  // The weights of a feature are those of its seed's blueprint.
  const std::size_t blueprints = layer.blueprints().size();
  std::vector<float> all(blueprints * x.hidden, 0.0F);
  for (std::uint32_t seed = 0; seed < layer.seeds(); ++seed) {
    const std::int32_t blueprint = state.state.blueprint[seed];
    if (!applies_blueprint(state.state.lifecycle[seed]) || blueprint < 0) continue;
    for (std::uint32_t f = layer.chunk_begin(seed); f < layer.chunk_begin(seed + 1); ++f)
      all[static_cast<std::size_t>(blueprint) * x.hidden + f] = dw[f];
  }
  const auto bytes = std::as_bytes(std::span(all));
  publish(out, npy_of(dx, x.element, x.rows, x.hidden), &out_weights,
          npy_of({bytes.begin(), bytes.end()}, DataType::float32, blueprints, x.hidden));
  report_inputs(session, flags, x, state);
  if (session.reports()) session.add_result(gradients_of(all, blueprints));
  session.show(report_of({{flags.state, state.state}}, {}));
  session.finish();
}

struct TelemetryFlags {
  std::vector<std::string> inputs;
  std::uint32_t seeds = 0;
  std::optional<DataType> element;
};

void telemetry(const GlobalOptions& global, const TelemetryFlags& flags) {
  Session session(global, "seeds telemetry");
  std::optional<SeedLayer> layer;
  std::vector<std::pair<std::string, std::vector<SeedTelemetry>>> epochs;
  for (const std::string& path : flags.inputs) {
    const SeedRowsInput x = load_seed_rows(session, path, flags.element);
    if (!layer) {
      SeedLayerOptions options;
      options.hidden = x.hidden;
      options.seeds = flags.seeds;
      options.telemetry_epochs = static_cast<std::uint32_t>(flags.inputs.size());
      layer.emplace(session.context(), options);
    }
    if (x.hidden != layer->hidden())
      throw InputError(fmt::format("{}: rows of {} features; those of {} have {}", path, x.hidden,
                                   flags.inputs[0], layer->hidden()));
    if (!epochs.empty()) layer->step();
    std::vector<std::byte> y(x.bytes.size());
    session.timed(Phase::compute, [&] { layer->forward(x.array(), x.like(y)); });
    epochs.emplace_back(path, layer->telemetry());
  }
  Output output;
  std::string& out = output.text();
  for (const auto& [path, epoch] : epochs) {
    append_telemetry(out, epoch, true);
    out += '\n';
  }
  if (epochs.size() > 1) {
    const auto all =
        layer->reduce_telemetry(static_cast<std::uint32_t>(epochs.size()), 0, layer->seeds());
    out += fmt::format("{{\"epochs\": {}, \"seeds\": ", epochs.size());
    append_telemetry(out, all.each, true);
    out += ", \"all\": ";
    append_telemetry(out, {&all.whole, 1}, true);
    out += "}\n";
  }
  output.flush();
  for (const std::string& path : flags.inputs) {
    session.add_input("input", path,
                      fmt::format("rows of {} features, {} seeds", layer->hidden(), flags.seeds));
  }
  ReportSeeds seeds = report_of({{"no state", layer->state()}}, epochs);
  seeds.states.clear();  // there is no state file: every seed is dormant
  seeds.seeds.clear();
  session.show(std::move(seeds));
  session.finish();
}

void add_inputs(CLI::App& command, CallFlags& flags) {
  add_input(command, "--input", flags.input, "Rows (.npy, float32 or float16): x");
  add_input(command, "--state", flags.state,
            "JSON: {\"lifecycle\": [...], \"blueprint\": [...], \"mode\": [...], \"alpha\": "
            "[...]}, with one entry per seed");
  add_file(command, "--weights", flags.weights,
           "Blueprints (.npy): one row each, with one weight per feature; can be omitted if "
           "no seed applies one");
  add_seed_element_flag(command, flags.element);
}

void add_forward(CLI::App& group, const GlobalOptions& global) {
  const auto [command, flags] =
      add_command<CallFlags>(group, "forward", "Apply the seeds to rows", global, forward);
  add_inputs(*command, *flags);
  add_input(*command, "--out", flags->out, "Output file of y (.npy, as x)");
  add_file(*command, "--out-telemetry", flags->second,
           "Output file of the telemetry of x (JSON): {\"count\", \"mean\", \"variance\", "
           "\"min\", \"max\", \"dead_ratio\": [...]}");
}

void add_backward(CLI::App& group, const GlobalOptions& global) {
  const auto [command, flags] = add_command<CallFlags>(
      group, "backward", "Gradients of rows and weights from the gradient of the output", global,
      backward);
  add_inputs(*command, *flags);
  add_input(*command, "--gradient", flags->gradient, "Gradient of y (.npy, as many rows as x)");
  add_input(*command, "--out", flags->out, "Output file of the gradient of x (.npy, as x)");
  add_input(*command, "--out-weights", flags->second,
            "Output file of the gradient of the weights (.npy, float32, as --weights)");
}

void add_telemetry(CLI::App& group, const GlobalOptions& global) {
  const auto [command, flags] = add_command<TelemetryFlags>(
      group, "telemetry", "Compute the telemetry of seeds for given rows", global, telemetry);
  command
      ->add_option("--input", flags->inputs,
                   "Rows (.npy, float32 or float16); several files are epochs, and are also merged")
      ->type_name("FILE")
      ->required();
  add_count(*command, "--seeds", flags->seeds, "Number of seeds that share the features", 1,
            1U << 24U)
      ->required();
  add_seed_element_flag(*command, flags->element);
}

}  // namespace

void add_seeds_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* group = add_group(app, "seeds", "Run the seed layer on files");
  add_forward(*group, global);
  add_backward(*group, global);
  add_seed_step_command(*group, global);
  add_telemetry(*group, global);
  add_seed_report_command(*group, global);
}

}  // namespace Kindred::Tools
