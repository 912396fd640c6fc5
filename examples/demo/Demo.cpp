// SPDX-License-Identifier: Apache-2.0
#include "Demo.hpp"

#include "Answer.hpp"
#include "AnswerHash.hpp"
#include "AnswerText.hpp"
#include "DifflibProof.hpp"
#include "Sweep.hpp"

#include <kindred/Version.hpp>
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/backends/Trace.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Calibration.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

namespace Kindred::Tools {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
  }

 private:
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

std::string time_text(double seconds) {
  if (!std::isfinite(seconds)) return "–";
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.0f} µs", seconds * 1e6);
}

std::string count_text(double value) {
  const std::string digits = fmt::format("{:.0f}", value);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

void print_out(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error("standard output cannot be written");
}

/// \brief A run of the demo, step by step.
class Demo {
 public:
  explicit Demo(const DemoOptions& options)
      : m_options(options),
        m_report_path(options.report.empty() ? options.out + "/report.html" : options.report),
        m_trace_path(options.trace.empty() ? options.out + "/trace.json" : options.trace),
        m_context(context_options()) {}

  int run() {
    make_folder();
    calibrate_once();
    m_trace = std::make_unique<Trace>();
    m_profile = std::make_unique<KernelProfile>();
    load();
    answer_query();
    report_dispatches();
    prove();
    keep_kernels();
    if (m_options.sweep) show_crossovers();
    write();
    for (const ReportClaim& claim : m_data.claims) {
      if (claim.state != ClaimState::holds) return 1;
    }
    return 0;
  }

 private:
  template <class... Arguments>
  void log(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    if (m_options.quiet) return;
    fmt::print(stderr, "{}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  ContextOptions context_options() {
    ContextOptions options;
    options.space = m_options.space;
    options.threads = m_options.threads;
    options.device = m_options.device;
    options.log = [this](LogLevel level, std::string_view message) {
      if (level != LogLevel::debug) log("{}", message);
    };
    options.on_dispatch = [this](const DispatchRecord& record) {
      const std::lock_guard lock(m_mutex);
      if (m_options.explain) fmt::print(stderr, "{}\n", to_json(record));
      if (m_trace) m_trace->add(record);
      if (record.why != Reason::forced || m_options.space) m_data.decisions.push_back(record);
    };
    return options;
  }

  void make_folder() const {
    std::error_code status;
    std::filesystem::create_directories(m_options.out, status);
    if (status) {
      throw Error("the folder " + m_options.out + " cannot be made: " + status.message() +
                  "; name another with --out");
    }
  }

  void calibrate_once() {
    if (!m_options.calibrate || m_options.space || m_context.dispatcher().calibrated()) return;
    log("calibrate  measuring this machine once; this takes some seconds");
    const Stopwatch watch;
    CalibrationOptions options;
    options.seconds = 3;
    calibrate(m_context, options);
    m_data.decisions.clear();
    try {
      m_context.save_profile();
      log("           {}, saved to {}", time_text(watch.seconds()), m_context.profile_path());
    } catch (const Error& error) {
      log("           {}, not saved: {}", time_text(watch.seconds()), error.what());
    }
  }

  void load() {
    Stopwatch watch;
    {
      const auto span = m_trace->span("load");
      m_corpus = std::make_unique<Corpus>(read_wordnet(m_options.wordnet, m_options.limit));
    }
    const Corpus& corpus = *m_corpus;
    log("load       {}: {} synsets, {} words, {} links, {} × {} vectors",
        time_text(watch.seconds()), count_text(corpus.size()), count_text(corpus.words.size()),
        count_text(corpus.edges.size()), count_text(corpus.size()), corpus.indexing.dimension());
    if (corpus.net.pointers_left_out > 0)
      log("           {} links to synsets beyond --limit omitted",
          count_text(corpus.net.pointers_left_out));
    watch = {};
    const auto span = m_trace->span("upload");
    m_engines = std::make_unique<Engines>(m_context, corpus, corpus.size());
    log("upload     {}: the engines hold {} MB on the host", time_text(watch.seconds()),
        count_text(static_cast<double>(m_engines->matcher.bytes(Space::serial) +
                                       m_engines->index.bytes(Space::serial) +
                                       m_engines->graph.bytes(Space::serial)) /
                   1e6));
  }

  void answer_query() {
    const Stopwatch watch;
    {
      const auto span = m_trace->span("answer");
      m_hits = answer(*m_corpus, *m_engines, m_options.query, m_options.top);
    }
    log("compute    {}: matched, searched, spread, fused\n", time_text(watch.seconds()));
    print_out(m_options.json ? answer_json(*m_corpus, m_options.query, m_hits) + "\n"
                             : answer_text(*m_corpus, m_options.query, m_hits));
    m_data.query = m_options.query;
    m_data.hits = report_hits(*m_corpus, m_hits);
  }

  void report_dispatches() const {
    log("What ran where, and why");
    for (const DispatchRecord& record : m_data.decisions) {
      std::string predicted;
      for (const Space space : all_spaces) {
        const double seconds = record.predicted[static_cast<std::size_t>(space)];
        if (!std::isfinite(seconds)) continue;
        predicted += (predicted.empty() ? "" : ", ") + std::string(to_string(space)) + " " +
                     time_text(seconds);
      }
      log("  {:<8} {:>12} items  ran on {:<6} in {:>8}  ({}{}; predicted {})",
          to_string(record.operation), count_text(static_cast<double>(record.items)),
          to_string(record.chosen), time_text(record.taken), to_string(record.why),
          record.first ? ", first call" : "", predicted);
    }
    log("");
  }

  void prove() {
    const auto span = m_trace->span("proof");
    prove_difflib();
    prove_same_bits();
    std::string text = m_options.json ? "" : "Proof\n";
    for (const ReportClaim& claim : m_data.claims)
      text += fmt::format("  {:<8} {}\n", to_string(claim.state), claim.claim);
    if (!m_options.json) print_out(text);
    for (const ReportClaim& claim : m_data.claims)
      log("{:<10} {}", to_string(claim.state), claim.detail);
    log("");
  }

  void prove_difflib() {
    std::vector<std::string> texts;
    const std::size_t count = std::min(m_options.proof, m_corpus->size());
    for (std::size_t i = 0; i < count; ++i)
      texts.push_back(m_corpus->net.synsets[i * m_corpus->size() / count].gloss);
    const std::vector<std::string> queries{m_options.query,
                                           m_corpus->net.synsets[m_hits.front().synset].gloss};
    const DifflibProof proof = prove_with_difflib(m_context, texts, queries);
    ReportClaim claim;
    claim.claim =
        fmt::format("{} glosses scored the same as by Python's difflib: matched, ratio and blocks",
                    count_text(static_cast<double>(count)));
    if (!proof.run) {
      claim.detail = proof.why_not;
    } else {
      claim.state = proof.differences == 0 ? ClaimState::holds : ClaimState::fails;
      claim.claim += fmt::format(": {} differences", proof.differences);
      claim.detail = fmt::format(
          "{} pairs by characters; difflib {}, Kindred {}: {:.0f} times faster",
          count_text(static_cast<double>(proof.pairs)), time_text(proof.python_seconds),
          time_text(proof.kindred_seconds), proof.python_seconds / proof.kindred_seconds);
    }
    m_data.claims.push_back(std::move(claim));
  }

  void prove_same_bits() {
    const std::vector<AnswerHash> hashes = hash_answers(m_context, *m_corpus, *m_engines);
    ReportClaim claim;
    claim.claim = "the same bits from every space of this machine, for every operation";
    claim.state = ClaimState::holds;
    for (const AnswerHash& hash : hashes) {
      if (hash.hash != hashes.front().hash) claim.state = ClaimState::fails;
      claim.detail += fmt::format("{}{} {:016x}", claim.detail.empty() ? "" : ", ",
                                  to_string(hash.space), hash.hash);
    }
    m_data.claims.push_back(std::move(claim));
  }

  /// Ends the profile and the trace, which fence devices, before the sweep takes measurements.
  void keep_kernels() {
    for (const KernelTime& kernel : m_profile->kernels()) {
      m_data.kernels.push_back(
          {kernel.label, kernel.device ? "cuda" : "host", kernel.count, kernel.seconds});
    }
    m_trace->write(m_trace_path);
    m_profile.reset();
    const std::lock_guard lock(m_mutex);
    m_trace.reset();
  }

  void show_crossovers() {
    const Stopwatch watch;
    log("Size from which each space is the fastest (measured and predicted)");
    m_data.sweeps = sweep(m_context, *m_corpus, *m_engines);
    for (const ReportSweep& sweep : m_data.sweeps) {
      for (const Space space : all_spaces) {
        if (space == Space::serial || !m_context.is_usable(space)) continue;
        const double taken = crossover(sweep, space, &ReportSweepPoint::taken);
        const double predicted = crossover(sweep, space, &ReportSweepPoint::predicted);
        log("  {:<8} {:<6} {} (predicted {})", sweep.operation, to_string(space),
            std::isnan(taken) ? "never the fastest here"
                              : fmt::format("fastest from {} {}", count_text(taken), sweep.unit),
            std::isnan(predicted) ? "never" : "from " + count_text(predicted));
      }
    }
    log("sweep      {}\n", time_text(watch.seconds()));
  }

  void write() {
    m_data.title = "Kindred on WordNet";
    m_data.subtitle = fmt::format(
        "{} synsets, {} links, {} vectors: one query matched, searched, spread and fused.",
        count_text(static_cast<double>(m_corpus->size())),
        count_text(static_cast<double>(m_corpus->edges.size())),
        count_text(static_cast<double>(m_corpus->size())));
    auto& environment = m_data.environment;
    environment.emplace_back("Kindred", KINDRED_VERSION_STRING);
    for (const SpaceInfo& info : m_context.spaces()) {
      environment.emplace_back(
          fmt::format("space {}", to_string(info.space)),
          info.usable
              ? fmt::format("{}, concurrency {}, budget {} MB", info.device, info.concurrency,
                            count_text(static_cast<double>(info.memory_budget) / 1e6))
              : "not usable: " + info.why_not);
    }
    environment.emplace_back("calibration", m_context.dispatcher().calibrated()
                                                ? m_context.profile_path()
                                                : "none: the dispatcher's priors");
    environment.emplace_back("WordNet", m_options.wordnet);
    const Dispatcher::Regret regret = m_context.dispatcher().regret();
    environment.emplace_back(
        "regret", fmt::format("{} of {} in {} dispatched calls", time_text(regret.seconds),
                              time_text(regret.taken), regret.decisions));
    write_report(m_report_path, m_data);
    log("report     {}", m_report_path);
    log("trace      {}", m_trace_path);
  }

  const DemoOptions& m_options;
  std::string m_report_path;
  std::string m_trace_path;
  std::mutex m_mutex;  // for the callback of dispatched calls
  ReportData m_data;
  Context m_context;
  std::unique_ptr<Trace> m_trace;
  std::unique_ptr<KernelProfile> m_profile;
  std::unique_ptr<Corpus> m_corpus;
  std::unique_ptr<Engines> m_engines;
  std::vector<AnswerHit> m_hits;
};

}  // namespace

int run_demo(const DemoOptions& options) { return Demo(options).run(); }

}  // namespace Kindred::Tools
