// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PEERS_ROW_COPY_HPP
#define KINDRED_PERF_PEERS_ROW_COPY_HPP

#include <kindred/backends/Context.hpp>

#include <cstddef>
#include <span>

namespace Kindred::Perf {

/// Name of the alternative call for passes over rows.
inline constexpr const char* row_copy_name = "copy of the same rows";
/// Copies the same bytes with as many threads: the alternative call for passes over rows.
void copy_rows(Context& context, Space space, std::span<const std::byte> from,
               std::span<std::byte> to);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PEERS_ROW_COPY_HPP
