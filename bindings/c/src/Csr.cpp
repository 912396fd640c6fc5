// SPDX-License-Identifier: Apache-2.0
// Graphs as compressed sparse rows.
#include <kindred/matcher/CsrGraph.hpp>

#include "Arguments.hpp"
#include "Graph.hpp"

namespace Kindred::C {

namespace {

/// Tells the caller that a graph no longer needs its arrays.
class Release {
 public:
  Release(kindred_release_callback call, void* user) : m_call(call), m_user(user) {}
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  ~Release() {
    if (m_enabled) m_call(m_user);
  }
  /// A call that fails does not release the arrays.
  void enable() { m_enabled = true; }

 private:
  kindred_release_callback m_call;
  void* m_user;
  bool m_enabled = false;
};

CsrGraph csr_of(const DLTensor* offsets, const DLTensor* ends, const DLTensor* weights) {
  return {array_of(offsets, "offsets"),
          array_of(ends, "ends"),
          optional_array_of(weights, "weights"),
          {}};
}

CsrHopOptions csr_hop_options(std::int32_t direction, std::int32_t space) {
  return {enum_of<HopDirection>(direction, 2, "direction"), space_option(space)};
}

}  // namespace

kindred_status kindred_graph_create_csr(kindred_context* context, const DLTensor* offsets,
                                        const DLTensor* ends, const DLTensor* weights,
                                        const kindred_graph_options* options,
                                        kindred_release_callback release, void* user,
                                        kindred_graph** graph) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require_all({{offsets, "offsets"}, {ends, "ends"}, {graph, "graph"}});
    const GraphOptions settings = graph_options(options);
    CsrGraph rows = csr_of(offsets, ends, weights);
    std::shared_ptr<Release> owner;
    if (release != nullptr) owner = std::make_shared<Release>(release, user);
    if (!rows.offsets.on_device()) rows.owner = owner;  // arrays on a device are copied
    *graph = make_handle_of<kindred_graph>(object, SpreadingEngine(*object, rows, settings));
    if (owner) owner->enable();
  });
}

kindred_status kindred_hop_csr_arrays(kindred_context* context, const DLTensor* offsets,
                                      const DLTensor* ends, const DLTensor* weights,
                                      const DLTensor* x, std::int32_t direction, std::int32_t space,
                                      DLTensor* y, kindred_record* record) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    check_record(record);
    require_all({{offsets, "offsets"}, {ends, "ends"}, {x, "x"}, {y, "y"}});
    const CsrHopOptions options = csr_hop_options(direction, space);
    write_record(record, hop(*object, csr_of(offsets, ends, weights), array_of(x, "x"),
                             output_array_of(y, "y"), options));
  });
}

kindred_status kindred_hop_csr(kindred_context* context, const std::int32_t* offsets,
                               const std::int32_t* ends, const float* weights, std::size_t nodes,
                               const float* x, float* y, std::int32_t direction) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(offsets, "offsets");
    const CsrHopOptions options = csr_hop_options(direction, KINDRED_SPACE_ANY);
    const std::span<const float> from = span_of(x, nodes, "x");  // so that nodes + 1 is a number
    const std::span<float> to = span_of(y, nodes, "y");
    const std::int32_t edges = offsets[nodes];
    KINDRED_C_REFUSE_IF(edges < 0, "offsets[" + std::to_string(nodes) + "] is " +
                                       std::to_string(edges) + "; it must be the number of edges");
    const auto count = static_cast<std::uint64_t>(edges);
    CsrGraph rows;
    rows.offsets = std::span<const std::int32_t>(offsets, nodes + 1);
    rows.ends = span_of(ends, count, "ends");
    if (weights != nullptr) rows.weights = ConstArray(span_of(weights, count, "weights"));
    hop(*object, rows, from, to, options);
  });
}

}  // namespace Kindred::C
