// SPDX-License-Identifier: Apache-2.0
#include "Log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>
#include <string>

namespace Kindred::Tools::Log {

namespace {

spdlog::logger& logger() {
  static const auto shared = [] {
    auto made = std::make_shared<spdlog::logger>("kindred",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%n: %l: %v");
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *shared;
}

}  // namespace

void set_quiet(bool quiet) { logger().set_level(quiet ? spdlog::level::err : spdlog::level::info); }

void error(std::string_view message) { logger().error("{}", message); }
void warning(std::string_view message) { logger().warn("{}", message); }
void info(std::string_view message) { logger().info("{}", message); }

void library(LogLevel level, std::string_view message) {
  if (level == LogLevel::warning) warning(message);
  if (level == LogLevel::info) info(message);
}

void line(std::string_view text) {
  const std::string whole = std::string(text) + '\n';
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

}  // namespace Kindred::Tools::Log
