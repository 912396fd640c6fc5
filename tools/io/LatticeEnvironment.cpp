// SPDX-License-Identifier: Apache-2.0
#include "io/LatticeEnvironment.hpp"

#include "program/Errors.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace Kindred::Tools {

LatticeSettings settings_of_environment() {
  return LatticeSettings::from_environment(
      [](const std::string& name) -> std::optional<std::string> {
        const char* const value = std::getenv(name.c_str());
        if (value == nullptr || name.starts_with("KINDRED_")) {
          return value == nullptr ? std::nullopt : std::optional<std::string>(value);
        }
        // For two of its variables, KA Lattice also reads a name with an additional prefix GPU_.
        const std::string_view documented =
            std::string_view(name).substr(name.starts_with("GPU_GPU_") ? 4 : 0);
        throw UsageError(fmt::format("{} is set: set KINDRED_{} instead", name, documented));
      });
}

}  // namespace Kindred::Tools
