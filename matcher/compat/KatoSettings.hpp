// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_COMPAT_KATO_SETTINGS_HPP
#define KINDRED_MATCHER_COMPAT_KATO_SETTINGS_HPP

#include "ReadSetting.hpp"

#include <kindred/matcher/PatternSettings.hpp>

namespace Kindred::Compat {

/// \brief The defaults, overridden by the settings of KATO's matcher, and validated.
///
/// The variable of each is `KINDRED_` followed by a suffix; KATO's own, `KATO_GPU_` with the same
/// suffix, is used if that is not set. docs/internals/kato.md has a table. Of KATO's fifteen
/// settings, THREADS_PER_BLOCK, SHARED_MEMORY and EARLY_TERM have no effect and are not read.
/// \throws InvalidArgument for a malformed value, naming the variable, and for a disallowed one
PatternSettings kato_settings(const SettingSource& source = {});

}  // namespace Kindred::Compat

#endif  // KINDRED_MATCHER_COMPAT_KATO_SETTINGS_HPP
