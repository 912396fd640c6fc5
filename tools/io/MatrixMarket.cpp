// SPDX-License-Identifier: Apache-2.0
#include "io/MatrixMarket.hpp"

#include "program/ParseNumber.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace Kindred::Tools {

namespace {

constexpr std::string_view space = " \t\r";

struct Banner {
  bool pattern = false;
  bool symmetric = false;
};

Banner read_banner(LineReader& lines) {
  const auto line = lines.next();
  const auto banner = words(line.value_or(""), space);
  if (banner.size() != 5 || lower_case(banner[0]) != "%%matrixmarket" ||
      lower_case(banner[1]) != "matrix") {
    lines.fail(
        "no Matrix Market file: it must begin with '%%MatrixMarket matrix coordinate "
        "<field> <symmetry>'");
  }
  if (lower_case(banner[2]) != "coordinate")
    lines.fail(fmt::format("format {}; expected coordinate", in_quotes(banner[2])));
  const std::string field = lower_case(banner[3]);
  if (field != "real" && field != "integer" && field != "pattern")
    lines.fail(fmt::format("field {}; expected real, integer or pattern", in_quotes(banner[3])));
  const std::string symmetry = lower_case(banner[4]);
  if (symmetry != "general" && symmetry != "symmetric")
    lines.fail(fmt::format("symmetry {}; expected general or symmetric", in_quotes(banner[4])));
  return {field == "pattern", symmetry == "symmetric"};
}

/// The words of the next line that is neither empty nor a comment.
std::vector<std::string_view> next_words(LineReader& lines) {
  while (const auto line = lines.next()) {
    if (!line->empty() && line->front() == '%') continue;
    auto found = words(*line, space);
    if (!found.empty()) return found;
  }
  return {};
}

std::uint32_t node_of(std::string_view text, std::uint64_t count, const LineReader& lines) {
  const auto number = parse_count(text);
  if (!number || *number < 1 || *number > count)
    lines.fail(fmt::format("the index {} is not in 1 … {}", in_quotes(text), count));
  return static_cast<std::uint32_t>(*number - 1);
}

}  // namespace

Graph read_matrix_market(const std::string& path, WeightRange range, const ReadProgress& progress) {
  LineReader lines(path, progress);
  const Banner banner = read_banner(lines);

  const auto sizes = next_words(lines);
  if (sizes.size() != 3) {
    lines.fail(
        fmt::format("{} numbers where the size line, rows columns entries, must be", sizes.size()));
  }
  std::vector<std::uint64_t> size;
  for (const std::string_view text : sizes) {
    const auto number = parse_count(text);
    if (!number) lines.fail(fmt::format("the size {} is not a whole number", in_quotes(text)));
    size.push_back(*number);
  }
  if (size[0] != size[1]) {
    lines.fail(
        fmt::format("{} rows and {} columns; a graph needs a square matrix", size[0], size[1]));
  }
  constexpr std::uint64_t nodes_max = std::numeric_limits<std::uint32_t>::max() - 1;
  if (size[0] > nodes_max) lines.fail(fmt::format("{} nodes; the limit is {}", size[0], nodes_max));
  // The shortest entry is "1 1\n", or "1 1 1\n" with a weight; the last line may have no end.
  const std::uint64_t entry_bytes = banner.pattern ? 4 : 6;
  if (const auto left = lines.bytes_left(); left && size[2] > (*left + 1) / entry_bytes) {
    lines.fail(
        fmt::format("the header says {} entries, {} bytes follow: the file is cut, or the "
                    "header is wrong",
                    size[2], *left));
  }

  Graph graph;
  graph.nodes = NodeNames::numbers(size[0]);
  const std::size_t fields = banner.pattern ? 2 : 3;
  std::uint64_t entries = 0;
  while (true) {
    const auto entry = next_words(lines);
    if (entry.empty()) break;
    if (++entries > size[2])
      lines.fail(fmt::format("more entries than the {} that the header says", size[2]));
    if (entry.size() != fields)
      lines.fail(fmt::format("{} fields; an entry has {}", entry.size(), fields));
    const std::uint32_t from = node_of(entry[0], size[0], lines);
    const std::uint32_t to = node_of(entry[1], size[0], lines);
    const float weight = banner.pattern ? 1.0F : parse_weight(entry[2], range, lines);
    graph.edges.push_back({from, to, weight});
    if (banner.symmetric && from != to) graph.edges.push_back({to, from, weight});
  }
  if (entries != size[2]) {
    lines.fail(fmt::format("the file ends after {} entries, the header says {}", entries, size[2]));
  }
  return graph;
}

}  // namespace Kindred::Tools
