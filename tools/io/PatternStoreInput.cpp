// SPDX-License-Identifier: Apache-2.0
#include "io/PatternStoreInput.hpp"

#include "io/InputKind.hpp"
#include "program/Errors.hpp"

namespace Kindred::Tools {

PatternSettings store_settings() {
  PatternSettings settings;
  settings.background_sync = false;
  settings.log_memory_usage = false;
  return settings;
}

PatternMemory load_store(Context& context, const std::string& path, Level level) {
  const PatternSettings settings = store_settings();
  check_kind(path, InputKind::patterns);
  return reading_file([&] { return PatternMemory::load(context, path, settings, level); });
}

}  // namespace Kindred::Tools
