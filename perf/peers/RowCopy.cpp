// SPDX-License-Identifier: Apache-2.0
#include "peers/RowCopy.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace Kindred::Perf {

void copy_rows(Context& context, Space space, std::span<const std::byte> from,
               std::span<std::byte> to) {
  const auto threads = static_cast<std::size_t>(space == Space::serial ? 1 : context.threads());
  const std::size_t each = (from.size() / threads + 63) / 64 * 64;
  const auto part = [&](std::size_t i) {
    const std::size_t begin = std::min(from.size(), i * each);
    std::memcpy(to.data() + begin, from.data() + begin, std::min(each, from.size() - begin));
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(part, i);
  part(0);
}

}  // namespace Kindred::Perf
