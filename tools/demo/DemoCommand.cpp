// SPDX-License-Identifier: Apache-2.0
#include "Demo.hpp"

#include "Options.hpp"

#include <memory>

namespace Kindred::Tools {

void add_demo_command(CLI::App& app, const GlobalOptions& globals) {
  CLI::App* command =
      app.add_subcommand("demo", "Recall from WordNet by matching, searching and spreading");
  const auto options = std::make_shared<DemoOptions>();
  command->add_option("--wordnet", options->wordnet, "Folder with data.noun, .verb, .adj and .adv")
      ->capture_default_str()
      ->type_name("DIR");
  command->add_option("--query", options->query, "What to recall")
      ->capture_default_str()
      ->type_name("TEXT");
  command->add_option("--out", options->out, "Output folder of report.html and trace.json")
      ->capture_default_str()
      ->type_name("DIR");
  add_count(*command, "--limit", options->limit, "Synsets read from each file; 0: all", 0);
  add_top(*command, options->top, "Maximum number of hits to print (default: 10)", 50);
  add_count(*command, "--proof", options->proof,
            "Number of glosses that Python's difflib scores too, to compare results and times");
  command->add_flag_callback(
      "--no-sweep", [options] { options->sweep = false; }, "Skip the sweep of batch sizes");
  command->add_flag_callback(
      "--no-calibrate", [options] { options->calibrate = false; },
      "Do not calibrate a machine that has no calibration");
  command->callback([options, &globals] {
    options->report = globals.report;
    options->trace = globals.trace;
    options->space = globals.space;
    options->threads = globals.threads;
    options->quiet = globals.quiet;
    options->explain = globals.explain;
    options->json = globals.json;
    if (const int status = run_demo(*options); status != 0) throw CLI::RuntimeError(status);
  });
}

}  // namespace Kindred::Tools
