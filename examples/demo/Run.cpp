// SPDX-License-Identifier: Apache-2.0
#include "Demo.hpp"
#include "program/ManPage.hpp"
#include "program/Options.hpp"
#include "program/Output.hpp"
#include "program/Program.hpp"

namespace Kindred::Tools {

namespace {

void add_demo_options(CLI::App& app, DemoOptions& options) {
  app.add_option("--wordnet", options.wordnet, "Folder with data.noun, .verb, .adj and .adv")
      ->capture_default_str()
      ->type_name("DIR");
  app.add_option("--query", options.query, "What to recall")
      ->capture_default_str()
      ->type_name("TEXT");
  app.add_option("--out", options.out, "Output folder of report.html and trace.json")
      ->capture_default_str()
      ->type_name("DIR");
  add_count(app, "--limit", options.limit, "Synsets read from each file; 0: all", 0);
  add_top(app, options.top, "Maximum number of hits to print (default: 10)", 50);
  add_count(app, "--proof", options.proof,
            "Number of glosses that Python's difflib scores too, to compare results and times");
  app.add_flag_callback(
      "--no-sweep", [&options] { options.sweep = false; }, "Skip the sweep of batch sizes");
  app.add_flag_callback(
      "--no-calibrate", [&options] { options.calibrate = false; },
      "Do not calibrate a machine that has no calibration");
}

}  // namespace

int run(int argc, const char* const* argv, const LoadedLibrary& library) {
  CLI::App app(
      "Recall from WordNet by matching, searching and spreading.\nThe answer goes to standard "
      "output, everything else to stderr. Exit status: 0 the proof holds, 1 runtime, 2 usage,\n3 "
      "bad file or data, 4 out of memory.",
      "kindred-demo");
  DemoOptions options;
  add_demo_options(app, options);
  app.set_config("--config", "", "Defaults of flags in TOML")->type_name("FILE");
  app.allow_config_extras(CLI::config_extras_mode::error);
  prepare(app, options, "Options", argc, argv, library);
  bool man = false;
  app.add_flag("--man", man, "Print the manual page");
  app.callback([&] {
    if (man) {
      Output output;
      output.text() = man_page(app);
      return output.flush();
    }
    if (const int status = run_demo(options); status != 0) throw CLI::RuntimeError(status);
  });
  return parse(app, argc, argv);
}

}  // namespace Kindred::Tools
