// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/InstructionSet.hpp>

#include <kindred/core/arch/simd/HostExtensions.hpp>
#include <kindred/core/common/Quotes.hpp>

namespace KINDRED_PUBLIC Kindred {

namespace {

std::vector<std::string> names_of(Arch::ExtensionUse use) {
  std::vector<std::string> names;
  const auto add = [&](Arch::ExtensionUse own, bool usable, const char* name) {
    if (own == use && usable && Arch::compiled_level > 0) names.emplace_back(name);
  };
  add(Arch::ByteLookups::use, Arch::has_extension<Arch::ByteLookups>(), "VBMI");
  add(Arch::ByteProducts::use, Arch::has_extension<Arch::ByteProducts>(), "VNNI");
  add(Arch::Bfloat16Rounding::use, Arch::has_extension<Arch::Bfloat16Rounding>(), "BF16");
  return names;
}

}  // namespace

InstructionSet instruction_set() {
  return {Arch::level_name(Arch::compiled_level), names_of(Arch::ExtensionUse::always),
          names_of(Arch::ExtensionUse::checked)};
}

const char* why_processor_is_unusable() noexcept {
  return Arch::why_cannot_run(Arch::compiled_level, Arch::is_required<Arch::ByteLookups>,
                              Arch::is_required<Arch::ByteProducts>,
                              Arch::is_required<Arch::Bfloat16Rounding>, Arch::processor_level());
}

namespace KINDRED_HIDDEN Impl {

std::string problem_of_max_level(const char* text, const InstructionSet& compiled) {
  if (text == nullptr) return {};
  const std::string problem = "KINDRED_MAX_LEVEL is " + in_quotes(text);
  const int limit = Arch::level_of_name(text);
  if (limit == 0)
    return problem + "; it must be x86-64, x86-64-v2, x86-64-v3 or x86-64-v4, or not set";
  if (Arch::level_of_name(compiled.level.c_str()) <= limit && compiled.compiled.empty()) return {};
  std::string text_of_level = compiled.level;
  for (std::size_t i = 0; i < compiled.compiled.size(); ++i)
    text_of_level += (i == 0 ? " with " : ", ") + compiled.compiled[i];
  return problem + ", and this build of Kindred is compiled for " + text_of_level +
         ": the variable limits only what is chosen at run time; use a build for that level "
         "(-DKINDRED_ARCH=…)";
}

}  // namespace Impl

}  // namespace Kindred
