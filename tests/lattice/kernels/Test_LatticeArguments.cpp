// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/lattice/LatticeAdjacency.hpp>
#include <kindred/core/lattice/LatticeRoutes.hpp>
#include <kindred/core/lattice/LatticeSearch.hpp>

#include "CheckedCalls.hpp"

namespace LatticeArgumentsTest {

using namespace Kindred;
using Testing::Arguments;

const LatticeShape shape(2, 3);

LatticeSearch<HostSpace> search_of(Arguments& a) {
  LatticeSearch<HostSpace> search;
  search.bits = LatticeBits(shape);
  const LatticeBits& bits = search.bits;
  search.step_masks = a.array<std::uint64_t>("search.step_masks", bits.step_masks().size());
  search.blocked_edges = a.array<std::uint64_t>("search.blocked_edges", 2 * bits.guarded_words());
  search.unreached = a.array<std::uint64_t>("search.unreached", bits.words());
  search.frontiers[0] = a.array<std::uint64_t>("search.frontiers[0]", bits.guarded_words());
  search.frontiers[1] = a.array<std::uint64_t>("search.frontiers[1]", bits.guarded_words());
  search.distances = a.array<std::uint32_t>("search.distances", shape.nodes());
  search.found = a.array<std::uint32_t>("search.found", search.found_size);
  return search;
}

TEST(LatticeArguments, AreCheckedBeforeALaunch) {
  const auto& check = Testing::expect_checked;
  check({"lattice_routes", [](const HostSpace& on, Arguments& a) {
           lattice_routes<HostSpace>(on, LatticeGrid(shape), a.array<std::uint64_t>("pairs", 2),
                                     a.sizing<std::uint64_t>("begins", 1),
                                     a.sizing<std::uint64_t>("paths", 1));
         }});
  check({"fill_lattice_adjacency", [](const HostSpace& on, Arguments& a) {
           LatticeGrid grid(shape);
           grid.nodes = a.number<std::uint64_t>("grid.nodes", grid.nodes, std::uint64_t{1} << 33U);
           fill_lattice_adjacency<HostSpace>(on, grid, a.array<std::uint64_t>("offsets", 10),
                                             a.array<std::uint32_t>("ends", 24));
         }});
  check({"start_lattice_search", [](const HostSpace& on, Arguments& a) {
           const LatticeSearch<HostSpace> search = search_of(a);
           start_lattice_search<HostSpace>(on, search,
                                           a.sizing<std::uint64_t>("open", search.bits.words()),
                                           a.sizing<std::uint64_t>("sources", 1));
         }});
  check({"lattice_level", [](const HostSpace& on, Arguments& a) {
           lattice_level<HostSpace>(on, search_of(a), a.number<std::uint32_t>("level", 1, 0),
                                    a.number<std::uint32_t>("first", 0, 2),
                                    a.number<std::uint32_t>("last", 1, 5));
         }});
  check({"lattice_level_of", [](const HostSpace&, Arguments& a) {
           std::vector<std::uint64_t> next;
           lattice_level_of(search_of(a), a.number<std::uint32_t>("level", 1, 0), {}, next);
         }});
  check({"count_unreached", [](const HostSpace& on, Arguments& a) {
           LatticeSearch<HostSpace> search;
           search.bits = LatticeBits(shape);
           search.unreached = a.array<std::uint64_t>("search.unreached", search.bits.words());
           count_unreached<HostSpace>(on, search);
         }});
  check({"gather_distances", [](const HostSpace& on, Arguments& a) {
           LatticeSearch<HostSpace> search;
           search.bits = LatticeBits(shape);
           search.distances = a.array<std::uint32_t>("search.distances", shape.nodes());
           gather_distances<HostSpace>(on, search, a.sizing<std::uint64_t>("targets", 2),
                                       a.array<std::uint32_t>("out", 2));
         }});
  check({"trace_lattice_paths", [](const HostSpace& on, Arguments& a) {
           trace_lattice_paths<HostSpace>(on, search_of(a), a.sizing<std::uint64_t>("targets", 1),
                                          a.array<std::uint64_t>("begins", 1),
                                          a.sizing<std::uint64_t>("paths", 1));
         }});
}

}  // namespace LatticeArgumentsTest
