// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_ROWS_ROW_HPP
#define KINDRED_PERF_ROWS_ROW_HPP

#include <kindred/backends/Context.hpp>

#include "problems/Problem.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// \brief One measurement with a name: a call on data of a given size, and what it is judged by.
struct Row {
  std::string name;  ///< such as `lcs-4096` or `published/bmm-gain`
  /// What it belongs to, by which rows are selected: its engine and the collection of its sizes.
  std::vector<std::string> tags = {};
  std::string work;      ///< human-readable description
  double target = 0;     ///< seconds that a call should take, or takes elsewhere; 0: none
  double of_beside = 0;  ///< least ratio of the time of `make_beside` to that of the row; 0: none
  double of_peer = 0;    ///< least ratio per core of the time of the fastest peer; 0: none
  double calls = 1;      ///< divisor of the target and the displayed time, such as query-hops
  bool on_request = false;   ///< runs only if named: takes minutes on some machines
  bool compare_bits = true;  ///< also run on another space and compare all bits
  bool is_routed = false;    ///< on the space that the dispatcher chooses
  std::string kernel = {};   ///< part of the label of a kernel that must have run at scale 1
  int warm = 1;              ///< warm-up calls before the timed ones
  int repeats = 0;           ///< timed calls; 0: as the command says
  bool queued = false;  ///< the target is the time per call of many calls enqueued before one fence
  std::function<std::unique_ptr<Problem>()> make = {};
  /// Another call that is measured after it (by `peers`: in turn with it), and its name: a copy
  /// that reads and writes as many bytes, the same without a filter, on one thread; null: none.
  std::function<std::unique_ptr<Problem>()> make_beside = {};
  std::string beside = {};

  bool has_tag(const std::string& tag) const;
};

/// Where the problems of rows run, and their sizes: 1 is that of the collection.
struct RowSizes {
  Context& context;
  double scale = 1;
  std::uint64_t seed = 7;

  /// \p count at this scale, but at least \p least.
  std::size_t scaled(double count, double least = 256) const;
};

// The rows of each collection, ordered such that adjacent rows share their data.
std::vector<Row> h200_rows(const RowSizes& sizes);
std::vector<Row> peer_rows(const RowSizes& sizes);
std::vector<Row> sequence_rows(const RowSizes& sizes);
std::vector<Row> kato_rows(const RowSizes& sizes);
std::vector<Row> published_rows(const RowSizes& sizes);
std::vector<Row> memory_rows(const RowSizes& sizes);
std::vector<Row> hnsw_rows(const RowSizes& sizes);

/// All rows; each has its collection's name among its tags.
std::vector<Row> all_rows(const RowSizes& sizes);

/// What a user asks for.
struct RowFilter {
  std::vector<std::string> only;  ///< names
  std::vector<std::string> tags;  ///< a row must have all of them

  bool is_empty() const noexcept { return only.empty() && tags.empty(); }
};

/// \brief The rows of \p filter. Those on request only if they are named.
/// \throws InvalidArgument for a name or a tag that no row has
std::vector<Row> selected_rows(const RowSizes& sizes, const RowFilter& filter);
/// The row \p name. \throws InvalidArgument if there is none
Row row_named(const RowSizes& sizes, const std::string& name);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_ROWS_ROW_HPP
