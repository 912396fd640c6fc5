// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"

#include <kindred/Version.hpp>
#include <kindred/core/common/Error.hpp>

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <new>

namespace {

enum ExitStatus : int { runtime_failure = 1, usage_error = 2, bad_file = 3, out_of_memory = 4 };

int fail(const std::exception& error, int status) {
  std::cerr << "kindred-perf: " << error.what() << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Measures Kindred: limits of this machine, sweeps over sizes, comparisons with other "
      "libraries");
  app.set_version_flag("--version", KINDRED_VERSION_STRING);
  app.require_subcommand(1);
  Kindred::Perf::Action action;
  Kindred::Perf::add_bandwidth(app, action);
  Kindred::Perf::add_sweep(app, action);
  Kindred::Perf::add_dispatch_quality(app, action);
  Kindred::Perf::add_rows(app, action);
  Kindred::Perf::add_threads(app, action);
  Kindred::Perf::add_peers(app, action);
  Kindred::Perf::add_compare(app, action);
  Kindred::Perf::add_report(app, action);
  Kindred::Perf::add_special(app, action);
  Kindred::Perf::add_delays(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_error;
  }
  try {
    return action();
  } catch (const Kindred::CorruptFile& error) {
    return fail(error, bad_file);
  } catch (const Kindred::NotFound& error) {
    return fail(error, bad_file);
  } catch (const Kindred::OutOfMemory& error) {
    return fail(error, out_of_memory);
  } catch (const std::bad_alloc& error) {
    return fail(error, out_of_memory);
  } catch (const Kindred::InvalidArgument& error) {
    return fail(error, usage_error);
  } catch (const std::exception& error) {
    return fail(error, runtime_failure);
  }
}
