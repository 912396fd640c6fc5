// SPDX-License-Identifier: Apache-2.0
// Compiled for the oldest x86-64 (core/CMakeLists.txt). Therefore no inline function of another
// header may be used here: the linker could choose this copy for the whole program, or another one
// for this file.
#include <kindred/core/arch/HostLevel.hpp>

#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

namespace Kindred::Arch {

namespace {

constexpr int level_max = 4;

/// Text of a limited length.
struct Text {
  char value[512];

  void append(const char* more) { strncat(value, more, sizeof(value) - strlen(value) - 1); }
  void append_level(int level, const HostAdditions& additions) {
    append(level_name(level));
    const char* before = " with ";
    const auto add = [&](bool has, const char* name) {
      if (!has) return;
      append(before);
      append(name);
      before = ", ";
    };
    add(additions.byte_lookups, "VBMI");
    add(additions.byte_products, "VNNI");
    add(additions.bfloat16, "BF16");
  }
};

#if defined(__x86_64__) && defined(__GNUC__)
/// F16C, MOVBE and LZCNT, which hypervisors can hide, and not all compilers have names for.
bool has_rest_of_level_3() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_F16C) == 0 || (c & bit_MOVBE) == 0)
    return false;
  return __get_cpuid(0x80000001U, &a, &b, &c, &d) != 0 && (c & bit_LZCNT) != 0;
}
#endif

}  // namespace

HostLevel processor_level() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  HostLevel host{1, {false, false, false}};
  if (!(__builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
        __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")))
    return host;
  host.level = 2;
  if (!(__builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && has_rest_of_level_3()))
    return host;
  host.level = 3;
  if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")))
    return host;
  host.level = 4;
  host.additions.byte_lookups = __builtin_cpu_supports("avx512vbmi") &&
                                __builtin_cpu_supports("avx512bitalg") &&
                                __builtin_cpu_supports("gfni");
  host.additions.byte_products = __builtin_cpu_supports("avx512vnni");
  host.additions.bfloat16 = __builtin_cpu_supports("avx512bf16");
  return host;
#else
  return {0, {false, false, false}};
#endif
}

const char* level_name(int level) noexcept {
  switch (level) {
    case 1:
      return "x86-64";
    case 2:
      return "x86-64-v2";
    case 3:
      return "x86-64-v3";
    case level_max:
      return "x86-64-v4";
    default:
#if defined(__aarch64__)
      return "aarch64";
#else
      return "another architecture";
#endif
  }
}

const char* why_cannot_run(int level, bool byte_lookups, bool byte_products, bool bfloat16,
                           const HostLevel& processor) noexcept {
  static Text text;
  const HostAdditions& has = processor.additions;
  if (level <= processor.level && (!byte_lookups || has.byte_lookups) &&
      (!byte_products || has.byte_products) && (!bfloat16 || has.bfloat16))
    return nullptr;
  text.value[0] = '\0';
  text.append("this build of Kindred is compiled for ");
  text.append_level(level, {byte_lookups, byte_products, bfloat16});
  text.append(", and this processor has only ");
  text.append_level(processor.level, has);
  text.append("; compile it with -DKINDRED_ARCH=");
  text.append(level_name(processor.level));
  return text.value;
}

const char* max_level_text() noexcept {
  const char* const text = getenv("KINDRED_MAX_LEVEL");
  return text == nullptr || *text == '\0' ? nullptr : text;
}

int level_of_name(const char* name) noexcept {
  for (int level = 1; level <= level_max; ++level) {
    if (strcmp(name, level_name(level)) == 0) return level;
  }
  return 0;
}

const HostAdditions usable_additions =
    max_level_text() == nullptr ? processor_level().additions : HostAdditions{false, false, false};

}  // namespace Kindred::Arch
