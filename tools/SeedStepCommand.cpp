// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "SeedInput.hpp"
#include "io/JsonLines.hpp"

#include <nlohmann/json.hpp>

namespace Kindred::Tools {

namespace {

using Json = nlohmann::json;

struct StepFlags {
  std::string state;
  std::string steps;
  std::string out;
};

using MetricField = std::optional<double> SeedMetrics::*;
constexpr std::array<std::pair<const char*, MetricField>, 9> metric_names{
    {{"reconstruction_loss", &SeedMetrics::reconstruction_loss},
     {"performance_delta", &SeedMetrics::performance_delta},
     {"stability_score", &SeedMetrics::stability_score},
     {"error_rate", &SeedMetrics::error_rate},
     {"total_improvement", &SeedMetrics::total_improvement},
     {"final_stability", &SeedMetrics::final_stability},
     {"loss_variance", &SeedMetrics::loss_variance},
     {"gradient_norm", &SeedMetrics::gradient_norm},
     {"accuracy_variance", &SeedMetrics::accuracy_variance}}};

/// One input line: a request, an error, or epochs.
struct Step {
  std::optional<std::uint32_t> seed;
  std::optional<Lifecycle> to;
  std::optional<std::int32_t> blueprint;
  ApplyMode mode = ApplyMode::linear;
  AlphaSchedule schedule = AlphaSchedule::linear;
  std::uint64_t epochs = 0;
  std::vector<SeedMetrics> metrics;         ///< one in total or one per seed
  std::vector<std::vector<float>> weights;  ///< memory that the metrics refer to
};

/// \brief Reads one line. Every error is a `RecordError`.
class StepReader {
 public:
  StepReader(std::string_view line, std::size_t seeds) : m_seeds(seeds) {
    try {
      m_object = Json::parse(line.begin(), line.end());
    } catch (const Json::exception& error) {
      throw RecordError(fmt::format("not JSON: {}", json_reason(error.what())));
    }
    if (!m_object.is_object()) throw RecordError("a line must be a JSON object, {\"…\": …}");
  }

 private:
  template <class FromString>
  auto code(const char* field, const FromString& from_string, const char* form) const {
    const Json& value = m_object[field];
    const auto found =
        value.is_string() ? from_string(value.get_ref<const std::string&>()) : std::nullopt;
    if (!found) refuse(field, form);
    return *found;
  }

 public:
  Step read() {
    Step step;
    const bool is_request = has("to");
    const bool is_error = has("error");
    const bool is_epochs = has("epochs");
    if (is_request + is_error + is_epochs != 1)
      throw RecordError("a line has one of \"to\", \"error\" and \"epochs\"");
    if (is_epochs) {
      step.epochs = whole("epochs", 1, 1'000'000);
    } else {
      if (!has("seed")) throw RecordError("\"seed\" is missing");
      if (m_seeds == 0) throw RecordError("there is no seed");
      step.seed = static_cast<std::uint32_t>(whole("seed", 0, m_seeds - 1));
    }
    if (is_error && m_object["error"] != Json(true)) refuse("error", "true");
    if (is_request) {
      step.to = code("to", from_string<Lifecycle>, "the name of a state");
      if (has("blueprint"))
        step.blueprint = static_cast<std::int32_t>(whole("blueprint", 0, 2147483647));
      if (has("mode")) step.mode = code("mode", from_string<ApplyMode>, "the name of a mode");
      if (has("schedule"))
        step.schedule =
            code("schedule", from_string<AlphaSchedule>, "the name of an alpha schedule");
    }
    read_metrics(step, is_epochs);
    return step;
  }

 private:
  bool has(const char* field) const { return m_object.contains(field); }
  [[noreturn]] void refuse(const char* field, const std::string& form) const {
    throw RecordError(
        fmt::format("\"{}\" is {}; it must be {}", field, json_summary(m_object[field]), form));
  }
  std::uint64_t whole(const char* field, std::uint64_t least, std::uint64_t most) const {
    const Json& value = m_object[field];
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least ||
        value.get<std::uint64_t>() > most)
      refuse(field, fmt::format("a whole number from {} to {}", least, most));
    return value.get<std::uint64_t>();
  }
  void read_metrics(Step& step, bool may_be_lists) {
    bool are_lists = false;
    for (const auto& [name, member] : metric_names)
      are_lists = are_lists || (has(name) && m_object[name].is_array());
    const bool has_weights = has("weights");
    const bool weights_are_lists = has_weights && m_object["weights"].is_array() &&
                                   !m_object["weights"].empty() &&
                                   m_object["weights"][0].is_array();
    are_lists = are_lists || weights_are_lists;
    if (are_lists && !may_be_lists)
      throw RecordError("a request needs one number per metric, not a list");
    step.metrics.resize(are_lists ? m_seeds : 1);
    for (const auto& [name, member] : metric_names) {
      if (!has(name)) continue;
      const Json& value = m_object[name];
      if (value.is_array() && value.size() != m_seeds)
        refuse(name, fmt::format("a number, or a list of {}", m_seeds));
      for (std::size_t i = 0; i < step.metrics.size(); ++i) {
        const Json& one = value.is_array() ? value[i] : value;
        if (!one.is_number() && !one.is_null()) refuse(name, "a number, or one per seed");
        if (one.is_number()) step.metrics[i].*member = one.get<double>();
      }
    }
    if (!has_weights) return;
    const Json& value = m_object["weights"];
    if (!value.is_array() || (weights_are_lists && value.size() != m_seeds))
      refuse("weights", "a list of numbers, or one per seed");
    step.weights.resize(weights_are_lists ? m_seeds : 1);
    for (std::size_t i = 0; i < step.weights.size(); ++i) {
      const Json& list = weights_are_lists ? value[i] : value;
      if (!list.is_array()) refuse("weights", "a list of numbers, or one per seed");
      for (const Json& one : list) {
        if (!one.is_number()) refuse("weights", "a list of numbers, or one per seed");
        step.weights[i].push_back(one.get<float>());
      }
    }
    for (std::size_t i = 0; i < step.metrics.size(); ++i)
      step.metrics[i].weights = step.weights[weights_are_lists ? i : 0];
  }

  std::size_t m_seeds;
  Json m_object;
};

std::vector<Step> read_steps(const std::string& path, std::size_t seeds, Session& session) {
  std::vector<Step> steps;
  LineReader lines(path, session.read_progress(path));
  while (const auto line = lines.next()) {
    lines.located([&] { steps.push_back(StepReader(*line, seeds).read()); });
  }
  return steps;
}

/// \brief Maps blueprint ids of the input to those of this command's layer, which contains only the
/// ones that occur. Their weights do not affect a step.
class Blueprints {
 public:
  explicit Blueprints(SeedLayer& layer) : m_layer(layer) {}
  std::int32_t own(std::int32_t id) {
    if (id < 0) return id;
    const auto [found, is_new] = m_own.try_emplace(id, static_cast<std::int32_t>(m_given.size()));
    if (is_new) {
      const float weight = 0;
      m_layer.add_blueprint(std::to_string(id), {&weight, 1});
      m_given.push_back(id);
    }
    return found->second;
  }
  std::int32_t given(std::int32_t own) const {
    return own < 0 ? own : m_given[static_cast<std::size_t>(own)];
  }

 private:
  SeedLayer& m_layer;
  std::map<std::int32_t, std::int32_t> m_own;
  std::vector<std::int32_t> m_given;
};

/// The changes that a report lists.
class StepReport {
 public:
  StepReport() {
    m_table.title = "Changes of the seeds";
    m_table.columns = {{"line", ColumnKind::number},
                       {"seed", ColumnKind::number},
                       {"from", ColumnKind::text},
                       {"to", ColumnKind::text},
                       {"result", ColumnKind::text}};
  }
  /// \param line of the step, from 1
  void add(std::size_t line, std::uint32_t seed, std::string_view from, std::string_view to,
           std::string result) {
    constexpr std::size_t rows_max = 1000;
    if (m_count++ >= rows_max) return;
    m_table.add_row({digits_cell(line),
                     digits_cell(seed),
                     {std::string(from)},
                     {std::string(to)},
                     {std::move(result)}});
    if (m_count == rows_max) m_table.note = fmt::format("The first {} changes.", rows_max);
  }
  ReportTable table() const {
    ReportTable table = m_table;
    if (m_count == 0) table.note = "No seed changed its state.";
    return table;
  }

 private:
  ReportTable m_table;
  std::size_t m_count = 0;
};

void append_changes(std::string& out, const std::vector<SeedEvent>& events, std::size_t line,
                    StepReport& report) {
  for (const SeedEvent& event : events)
    report.add(line, event.seed, to_string(event.change.from), to_string(event.change.to),
               event.why);
  out += ", \"changes\": ";
  append_list(out, events, [&](const SeedEvent& event) {
    out += fmt::format("{{\"seed\": {}, \"from\": \"{}\", \"to\": \"{}\"", event.seed,
                       to_string(event.change.from), to_string(event.change.to));
    if (!event.why.empty()) append_field(out, "why", event.why);
    out += '}';
  });
  out += "}\n";
}

/// Executes the step of a line, from 1, and appends its result.
void make(const Step& step, std::size_t line, SeedLayer& layer, Blueprints& blueprints,
          std::string& out, StepReport& report) {
  if (!step.seed) {
    std::vector<SeedEvent> events;
    for (std::uint64_t i = 0; i < step.epochs; ++i) {
      const auto more = step.metrics.size() == 1 ? layer.step(step.metrics[0])
                                                 : layer.step(std::span(step.metrics));
      events.insert(events.end(), more.begin(), more.end());
    }
    out += fmt::format("\"epochs\": {}", step.epochs);
    return append_changes(out, events, line, report);
  }
  const SeedState before = layer.state();
  const Lifecycle from = before.lifecycle[*step.seed];
  out += fmt::format("\"seed\": {}", *step.seed);
  if (!step.to) {
    std::vector<SeedEvent> events;
    if (layer.report_error(*step.seed))
      events.push_back({*step.seed, {from, Lifecycle::culled}, {}});
    out += fmt::format(", \"errors\": {}", layer.state().errors[*step.seed]);
    return append_changes(out, events, line, report);
  }
  const TransitionResult result =
      *step.to == Lifecycle::germinated && step.blueprint
          ? layer.germinate(*step.seed, blueprints.own(*step.blueprint), step.mode, step.schedule)
          : layer.request(*step.seed, *step.to, step.metrics[0]);
  out += fmt::format(", \"from\": \"{}\", \"to\": \"{}\", \"accepted\": {}", to_string(from),
                     to_string(*step.to), result.accepted);
  report.add(line, *step.seed, to_string(from), to_string(*step.to),
             result.accepted ? "accepted" : fmt::format("refused: {}", result.why));
  if (!result.accepted) append_field(out, "why", result.why);
  out += "}\n";
}

void run_steps(const GlobalOptions& global, const StepFlags& flags) {
  check_outputs("seeds step", {flags.out}, {flags.state, flags.steps});
  AtomicFile file(flags.out);
  Session session(global, "seeds step");
  const SeedStateFile state = load_seed_state(session, flags.state);
  const std::vector<Step> steps = session.timed(
      Phase::load, [&] { return read_steps(flags.steps, state.state.seeds(), session); });
  SeedLayerOptions options;
  options.hidden = 1;
  options.seeds = static_cast<std::uint32_t>(state.state.seeds());
  options.telemetry_epochs = 0;
  options.residency = Residency::host;
  SeedLayer layer(session.context(), options);
  Blueprints blueprints(layer);
  SeedState own = state.state;
  for (std::int32_t& id : own.blueprint) id = blueprints.own(id);
  std::string text;
  StepReport report;
  with_errors_as<InputError>(flags.state + ": ", [&] {
    layer.set_state(own);
    for (std::uint32_t seed = 0; seed < state.schedules.size(); ++seed) {
      if (state.schedules[seed]) layer.set_schedule_state(seed, *state.schedules[seed]);
    }
    session.timed(Phase::compute, [&] {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        text += fmt::format("{{\"line\": {}, ", i + 1);
        with_errors_as<InputError>(fmt::format("{}:{}: ", flags.steps, i + 1),
                                   [&] { make(steps[i], i + 1, layer, blueprints, text, report); });
      }
    });
  });
  SeedStateFile after;
  after.state = layer.state();
  after.epoch = state.epoch + layer.epoch();
  for (std::int32_t& id : after.state.blueprint) id = blueprints.given(id);
  for (std::uint32_t seed = 0; seed < layer.seeds(); ++seed)
    after.schedules.push_back(layer.schedule_state(seed));
  std::string state_text;
  append_seed_state(state_text, after);
  file.write(state_text.data(), state_text.size());
  AtomicFile::publish({&file});
  print(std::move(text));
  session.add_input("state", flags.state, Html::counted(state.state.seeds(), "seed", "seeds"));
  session.add_input("steps", flags.steps, Html::counted(steps.size(), "line", "lines"));
  session.add_result(report.table());
  session.show(report_of({{flags.state, state.state}, {flags.out, after.state}}, {}));
  session.finish();
}

}  // namespace

void add_seed_step_command(CLI::App& group, const GlobalOptions& global) {
  const auto [command, flags] = add_command<StepFlags>(
      group, "step", "Apply transitions, errors and epochs to a state", global, run_steps);
  add_input(*command, "--state", flags->state,
            "The state (JSON), in the format of `seeds forward`");
  add_input(*command, "--steps", flags->steps,
            "JSON lines: {\"seed\", \"to\", ...}, {\"seed\", \"error\": true} or "
            "{\"epochs\", ...}, with metrics");
  add_input(*command, "--out", flags->out, "Output file of the new state (JSON)");
}

}  // namespace Kindred::Tools
