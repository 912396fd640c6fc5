// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "common/Record.hpp"
#include "report/Page.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

void add_report(CLI::App& app, Action& action) {
  struct Arguments {
    std::vector<std::string> files;
    std::string out = "kindred-perf.html";
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "report",
      "A page of records, also of several machines: what pays where, and how far it is "
      "from the limits");
  command->add_option("files", arguments->files, "Records that sweep or rows wrote (--out)")
      ->required();
  command->add_option("--out", arguments->out, "HTML file (default: kindred-perf.html)");
  command->callback([arguments, &action] {
    action = [arguments] {
      std::vector<NamedRecord> records;
      for (const std::string& file : arguments->files)
        records.push_back({std::filesystem::path(file).stem().string(), read_record(file)});
      write_page(arguments->out, records);
      return 0;
    };
  });
}

}  // namespace Kindred::Perf
