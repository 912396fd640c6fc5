// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Space.hpp>

namespace KINDRED_PUBLIC Kindred {}  // namespace Kindred
