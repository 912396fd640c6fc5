// SPDX-License-Identifier: Apache-2.0
#include <bit>

static_assert(
    std::endian::native == std::endian::little,
    "Kindred needs a little-endian machine: it maps files, hashes bytes and packs symbols "
    "in that order");
