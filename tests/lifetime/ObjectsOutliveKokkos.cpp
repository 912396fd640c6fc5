// SPDX-License-Identifier: Apache-2.0
// Contexts and engines may still live when Kokkos is finalised: at the end of the process, in
// static objects that were constructed before Kokkos was initialised.
#include <kindred/Graph.hpp>
#include <kindred/Patterns.hpp>
#include <kindred/Vector.hpp>
#include <kindred/backends/Context.hpp>

#include "Check.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace {

using namespace Kindred;

std::unique_ptr<Context> context;
std::optional<VectorIndex> vectors;
std::unique_ptr<PatternMemory> memory;

}  // namespace

int main() {
  const ContextOptions options{.load_profile = false};
  context = std::make_unique<Context>(options);
  vectors.emplace(*context, std::vector<float>(4000, 1), 4);
  memory = std::make_unique<PatternMemory>(*context);
  for (const Space space : all_spaces) {
    if (!context->is_usable(space)) continue;
    const SearchOptions search{.space = space};
    const std::vector<float> query(4, 1);
    check(vectors->search(query, search).record.chosen == space, "a search runs where it should");
  }
  return 0;
}
