// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a checkpoint of seeds and as blueprints: rejected, or read within their
// bounds.
#include "MemoryFile.hpp"
#include "SealedMutator.hpp"
#include "seed/StoredSeeds.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/BlueprintRegistry.hpp>

#include <unistd.h>

using namespace Kindred;

namespace {

std::string own_path() { return "/tmp/kindred-fuzz-seeds-" + std::to_string(::getpid()); }

/// A valid checkpoint: three seeds, one of them grafting, with the state of its schedule.
std::string good_checkpoint() {
  Impl::StoredSeeds checkpoint;
  checkpoint.hidden = 7;
  checkpoint.epoch = 120;
  checkpoint.state = SeedState(3);
  checkpoint.state.lifecycle[1] = Lifecycle::grafting;
  checkpoint.state.blueprint[1] = 1;
  checkpoint.state.alpha[1] = 0.5F;
  checkpoint.state.schedule[1] = AlphaSchedule::stability;
  for (const std::vector<double>& row : {std::vector<double>{}, {0.25, 1.0}, {}})
    checkpoint.schedules.push_row(row);
  for (const std::string_view name : {"", "doubles"})
    checkpoint.blueprints.push_row({name.data(), name.size()});
  Impl::save_checkpoint(own_path(), checkpoint);
  return Testing::take_file(own_path());
}
std::string good_blueprints() {
  BlueprintRegistry registry;
  registry.add("doubles", std::vector<float>(7, 2.0F));
  registry.add("gone", std::vector<float>(3, 1.0F));
  registry.remove(1);
  registry.add("short", std::vector<float>(2, -1.0F));
  registry.save(own_path());
  return Testing::take_file(own_path());
}

/// The sum of all numbers that were read.
double use(const Impl::StoredSeeds& checkpoint) {
  double sum = static_cast<double>(checkpoint.hidden + checkpoint.epoch);
  for (std::size_t i = 0; i < checkpoint.state.seeds(); ++i)
    sum += checkpoint.state.alpha[i] + static_cast<double>(checkpoint.state.blueprint[i]);
  for (std::size_t row = 0; row < checkpoint.schedules.rows(); ++row) {
    for (const double number : checkpoint.schedules[row]) sum += number;
  }
  for (std::size_t row = 0; row < checkpoint.blueprints.rows(); ++row) {
    for (const char letter : checkpoint.blueprints[row]) sum += letter;
  }
  return sum;
}
double use(const BlueprintRegistry& registry) {
  double sum = 0;
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(registry.size()); ++id) {
    if (!registry.contains(id)) continue;
    for (const float weight : registry.weights(id)) sum += weight;
    sum += static_cast<double>(registry.name(id).size());
  }
  return sum;
}

template <class Load>
void try_load(const Load& load) {
  try {
    const volatile double sum = use(load());
    static_cast<void>(sum);
  } catch (const CorruptFile&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // The valid files must be accepted, or nothing behind the first check would be tested.
  const Testing::MemoryFile memory;
  memory.set(good_checkpoint());
  if (Impl::load_checkpoint(memory.path()).epoch != 120) __builtin_trap();
  memory.set(good_blueprints());
  if (BlueprintRegistry::load(memory.path()).weights(2).size() != 2) __builtin_trap();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Testing::MemoryFile memory;
  memory.set({reinterpret_cast<const char*>(data), size});
  try_load([] { return Impl::load_checkpoint(memory.path()); });
  try_load([] { return BlueprintRegistry::load(memory.path()); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  static const std::string good[] = {good_checkpoint(), good_blueprints()};
  return Testing::mutate_sealed(data, size, size_max, seed, good[seed % 128 < 64 ? 0 : 1]);
}
