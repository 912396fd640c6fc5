// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"

#include <kindred/Version.hpp>
#include <kindred/backends/InstructionSet.hpp>
#include <kindred/backends/VendorLibraries.hpp>
#include <kindred/core/common/LibraryFile.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace Kindred::Tools {

namespace {

/// The features of this processor that affect Kindred, spelled as in `/proc/cpuinfo`.
std::vector<std::string> cpu_features() {
  constexpr std::array<std::string_view, 14> requested{
      "sse4_2",  "popcnt",   "bmi2",        "avx",         "f16c",     "fma",   "avx2",
      "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "amx_bf16", "asimd", "sve"};
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    const std::vector<std::string> flags(std::istream_iterator<std::string>(words), {});
    std::vector<std::string> found;
    for (const std::string_view name : requested) {
      if (std::find(flags.begin(), flags.end(), name) != flags.end()) found.emplace_back(name);
    }
    return found;
  }
  return {};
}

/// Also false if the folder of \p path cannot be read.
bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool machine_has_nvidia_device() { return exists("/dev/nvidia0"); }

/// The reasons of a library for hosts are those for its choice.
std::string why_not(const SpaceInfo& info, const LoadedLibrary& library) {
  if (info.space != Space::cuda || info.compiled) return info.why_not;
  const std::string& reason = library.is_for_hosts() ? library.why : info.why_not;
  return machine_has_nvidia_device() ? reason + "; this machine has an NVIDIA device" : reason;
}

std::string gib(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / 1073741824.0);
}

/// The name of a processor or GPU; with several GPUs, including its index.
std::string device_name(const SpaceInfo& info) {
  if (info.device_count < 2) return info.device;
  return fmt::format("{} (device {} of {})", info.device, info.device_index, info.device_count);
}

/// If the driver compiles the kernels: the source and the target architecture.
std::string kernels_of(const SpaceInfo& info) {
  if (!info.kernels_from_ptx) return {};
  return fmt::format(", kernels compiled for {:.1f} from PTX for {:.1f}", info.compute_capability,
                     info.kernels_for);
}

/// The level, what it has in addition, and why: `x86-64-v4 with VBMI, VNNI, BF16`.
std::string instruction_set_text(const InstructionSet& set) {
  if (!set.compiled.empty())
    return fmt::format("{} with {}, as compiled", set.level, fmt::join(set.compiled, ", "));
  if (!set.checked.empty())
    return fmt::format("{} with {}, found at run time", set.level, fmt::join(set.checked, ", "));
  return set.level;
}

std::string calibration_state(const Context& context) {
  if (context.dispatcher().calibrated()) return "in use";
  std::error_code failed;
  const bool is_present = std::filesystem::exists(context.profile_path(), failed);
  if (failed) return "cannot be read: " + failed.message();
  return is_present ? "present, not usable" : "not made yet";
}

nlohmann::ordered_json as_json(const Context& context, const LoadedLibrary& loaded) {
  nlohmann::ordered_json out;
  out["version"] = KINDRED_VERSION_STRING;
  out["library"] = library_file();
  if (!loaded.name.empty()) out["library_choice"] = {{"name", loaded.name}, {"why", loaded.why}};
  for (const SpaceInfo& info : context.spaces()) {
    nlohmann::ordered_json space;
    space["space"] = to_string(info.space);
    space["compiled"] = info.compiled;
    space["usable"] = info.usable;
    space["why_not"] = why_not(info, loaded);
    space["device"] = info.device;
    if (info.device_count > 0) {
      space["device_index"] = info.device_index;
      space["device_count"] = info.device_count;
    }
    if (info.kernels_for > 0) {
      space["compute_capability"] = info.compute_capability;
      space["kernels"] = {{"for", info.kernels_for}, {"from_ptx", info.kernels_from_ptx}};
    }
    space["concurrency"] = info.concurrency;
    space["memory"] = {
        {"total", info.memory_total}, {"free", info.memory_free}, {"budget", info.memory_budget}};
    out["spaces"].push_back(space);
  }
  out["cpu"] = {{"name", context.info(Space::serial).device},
                {"threads", context.threads()},
                {"threads_why", context.info(Space::openmp).concurrency_why},
                {"features", cpu_features()}};
  const InstructionSet set = instruction_set();
  out["instruction_set"] = {
      {"level", set.level}, {"compiled", set.compiled}, {"run_time", set.checked}};
  out["matrix_products"] = nlohmann::ordered_json::array();
  for (const VendorLibrary& library : vendor_libraries()) {
    out["matrix_products"].push_back({{"library", library.name},
                                      {"version", library.version},
                                      {"space", library.space},
                                      {"used_for", library.used_for},
                                      {"why_not", library.why_not}});
  }
  out["nvidia_device"] = machine_has_nvidia_device();
  out["calibration"] = {{"path", context.profile_path()},
                        {"present", exists(context.profile_path())},
                        {"in_use", context.dispatcher().calibrated()}};
  return out;
}

std::string as_text(const Context& context, const LoadedLibrary& loaded) {
  std::string out =
      fmt::format("Kindred {}\n\n{}\n", KINDRED_VERSION_STRING, heading("Spaces", STDOUT_FILENO));
  auto to = std::back_inserter(out);
  for (const SpaceInfo& info : context.spaces()) {
    if (info.usable) {
      const std::string why =
          info.concurrency_why.empty() ? "" : fmt::format(" ({})", info.concurrency_why);
      fmt::format_to(to, "  {:7} usable: {}, {}{}, {} of memory, {} free, budget {}{}\n",
                     to_string(info.space), device_name(info), concurrency_text(info), why,
                     gib(info.memory_total), gib(info.memory_free), gib(info.memory_budget),
                     kernels_of(info));
    } else {
      fmt::format_to(to, "  {:7} not usable: {}\n", to_string(info.space), why_not(info, loaded));
    }
  }
  fmt::format_to(to, "\n{}\n  {}, {} thread{}\n  {}\n  instruction set: {}\n",
                 heading("Processor", STDOUT_FILENO), context.info(Space::serial).device,
                 context.threads(), context.threads() == 1 ? "" : "s",
                 fmt::join(cpu_features(), " "), instruction_set_text(instruction_set()));
  out += "\n" + heading("Library", STDOUT_FILENO) + "\n  " + library_file() + "\n";
  if (!loaded.name.empty()) fmt::format_to(to, "  {}: {}\n", loaded.name, loaded.why);
  out += "\n" + heading("Matrix products", STDOUT_FILENO) + "\n";
  for (const VendorLibrary& library : vendor_libraries()) {
    if (!library.why_not.empty()) {
      fmt::format_to(to, "  {}: {}\n", library.name, library.why_not);
    } else if (!library.used_for.empty()) {
      fmt::format_to(to, "  {} {} ({}): {}\n", library.name, library.version, library.space,
                     fmt::join(library.used_for, ", "));
    }
  }
  fmt::format_to(to, "\n{}\n  {}\n", heading("Calibration", STDOUT_FILENO),
                 context.profile_path().empty()
                     ? "no path: set KINDRED_PROFILE or HOME"
                     : context.profile_path() + ": " + calibration_state(context));
  return out;
}

void info(const GlobalOptions& global) {
  Session session(global, "info");
  print(global.json ? as_json(session.context(), global.library).dump(2) + "\n"
                    : as_text(session.context(), global.library));
}

}  // namespace

void add_info_command(CLI::App& app, const GlobalOptions& global) {
  app.add_subcommand("info",
                     "Show what Kindred can use on this machine, and why it cannot use the rest")
      ->callback([&global] { info(global); });
}

}  // namespace Kindred::Tools
