// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>
#include <kindred/matcher/Lattice.hpp>

#include "problems/ProblemFactories.hpp"
#include "rows/Row.hpp"
#include "sweep/DispatchQuality.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Perf {

namespace {

/// xor of five bytes with a key.
std::unique_ptr<Problem> small_xor(Context& context) {
  const auto bulk = std::make_shared<const Bulk>(context);
  const auto result = std::make_shared<std::array<std::uint8_t, 5>>();
  return call_problem(
      "BM_Bulk_small_xor",
      [=](std::optional<Space> space) {
        constexpr std::array<std::uint8_t, 5> bytes{1, 2, 3, 4, 5};
        constexpr std::array<std::uint8_t, 5> key{200, 100, 50, 25, 12};
        return bulk->xor_elements(bytes, key, *result, {space}).record;
      },
      [=] { return (*result)[4] == (5 ^ 12) ? "" : "another xor"; });
}

/// A shortest path between opposite corners of a lattice of 4 dimensions of 10.
std::unique_ptr<Problem> corner_path(Context& context, std::vector<std::uint64_t> blocked) {
  const auto lattice = std::make_shared<const Lattice>(context, 4, 10, LatticeBlocks{blocked, {}});
  const auto length = std::make_shared<std::size_t>(0);
  return call_problem(
      "BM_Lattice_path",
      [=](std::optional<Space> space) {
        *length = lattice->path(0, lattice->shape().nodes() - 1, {space}).size();
        return DispatchRecord{};
      },
      [=] { return *length == 37 ? "" : "a path of another length"; });
}

std::unique_ptr<Problem> products(Context& context, std::size_t side, std::size_t count,
                                  std::uint64_t seed) {
  return bulk_problem(context, {Operations::matrix_multiply, side * side, count, 1, false}, seed);
}

}  // namespace

std::vector<Row> published_rows(const RowSizes& sizes) {
  std::vector<Row> rows;
  Context& context = sizes.context;
  const std::uint64_t seed = sizes.seed;
  const auto add = [&](const char* name, const char* work, double seconds,
                       const auto& make) -> Row& {
    rows.push_back(
        {.name = std::string("published/") + name,
         .work = std::string(work) + "; the target is KA Lattice's figure (GTX 1080, Python)",
         .target = seconds,
         .compare_bits = false,
         .is_routed = true,
         .make = make});
    return rows.back();
  };
  const auto lattice = [&context](std::uint32_t size) {
    return std::make_shared<const Lattice>(context, 4, size);
  };
  add("xor-small", "xor of 5 bytes with a key", 0.20e-3, [&context] { return small_xor(context); });
  add("lattice-10k", "the rows of a lattice of 4 dimensions of 10", 10.34e-3,
      [=] { return lattice_rows_problem(lattice(10)); });
  add("path-10k", "a shortest path from corner to corner of it", 71.87e-3,
      [&context] { return corner_path(context, {}); });
  add("search-10k", "the same by a search, a node blocked", 71.87e-3,
      [&context] { return corner_path(context, {9989}); });
  add("analysis-10k", "its structure, measured by searches", 71.87e-3,
      [=] { return lattice_measure_problem(lattice(10)); });
  add("analysis-4k", "the structure of 4 dimensions of 8, measured", 345.35e-3,
      [=] { return lattice_measure_problem(lattice(8)); });
  Row& one = add("matmul-1024", "a product of 1024 x 1024", 10e-3,
                 [=, &context] { return products(context, 1024, 1, seed); });
  one.of_beside = 21.22;
  one.beside = "one host thread";
  one.make_beside = [=, &context] {
    const auto product = std::shared_ptr<Problem>(products(context, 1024, 1, seed));
    return call_problem("BM_Bulk_one_thread",
                        [=](std::optional<Space>) { return product->run(Space::serial); });
  };
  Row& ten = add("bmm-10-256", "10 products of 256 x 256 in a call", 6.00e-3,
                 [=, &context] { return products(context, 256, 10, seed); });
  ten.of_beside = 1.95;
  ten.beside = "10 calls";
  ten.make_beside = [=, &context] {
    std::vector<std::shared_ptr<Problem>> calls;
    for (std::uint64_t i = 0; i < 10; ++i)
      calls.emplace_back(products(context, 256, 1, seed + 2 * i));
    return call_problem("BM_Bulk_ten_calls", [calls](std::optional<Space> space) {
      for (const auto& call : calls) call->run(space);
      return DispatchRecord{};
    });
  };
  // The empty calls distort what a dispatcher has learned, so these have one of their own.
  constexpr int decisions = 200'000;
  for (const auto& [name, work, is_called] :
       {std::tuple("decision", "choosing a space", false),
        std::tuple("routing", "an empty call by the dispatcher", true)}) {
    add(name, work, 0.03e-3, [is_called = is_called] {
      const auto own = std::make_shared<Context>();
      return call_problem("BM_Dispatch", [=](std::optional<Space>) {
        is_called ? route_often(*own, decisions) : decide_often(own->dispatcher(), decisions);
        return DispatchRecord{};
      });
    }).calls = decisions;
  }
  return rows;
}

}  // namespace Kindred::Perf
