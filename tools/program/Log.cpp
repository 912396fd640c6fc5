// SPDX-License-Identifier: Apache-2.0
#include "program/Log.hpp"

#include "program/Color.hpp"
#include "program/StatusLine.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

namespace Kindred::Tools::Log {

namespace {

spdlog::logger& logger() {
  static const auto shared = [] {
    auto made = std::make_shared<spdlog::logger>("kindred",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *shared;
}

void write(spdlog::level::level_enum level, const char* name, const char* color,
           std::string_view message) {
  if (!logger().should_log(level)) return;
  const StatusLine::Hidden hidden;
  if (is_colored(STDERR_FILENO)) {
    logger().log(level, "kindred: \x1b[{}m{}:\x1b[0m {}", color, name, message);
  } else {
    logger().log(level, "kindred: {}: {}", name, message);
  }
}

}  // namespace

void set_quiet(bool quiet) { logger().set_level(quiet ? spdlog::level::err : spdlog::level::info); }

void error(std::string_view message) { write(spdlog::level::err, "error", "1;31", message); }
void warning(std::string_view message) { write(spdlog::level::warn, "warning", "1;33", message); }
void info(std::string_view message) { write(spdlog::level::info, "info", "2", message); }

void library(LogLevel level, std::string_view message) {
  if (level == LogLevel::warning) warning(message);
  if (level == LogLevel::info) info(message);
}

void line(std::string_view text) {
  const StatusLine::Hidden hidden;
  const std::string whole = std::string(text) + '\n';
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

}  // namespace Kindred::Tools::Log
