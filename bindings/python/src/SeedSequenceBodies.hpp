// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SEED_SEQUENCE_BODIES_HPP
#define KINDRED_PYTHON_SEED_SEQUENCE_BODIES_HPP

#include <kindred/core/common/Mutex.hpp>

#include "Prepared.hpp"
#include "SeedLayerRows.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

// What is special of SeedSequence.
namespace Kindred::Python::SeedSequences {

namespace {

/// \brief The space of a prepared call, which uses its arrays where they lie: the requested one, or
/// that of \p first; on the host one thread for few elements, otherwise all.
/// \throws InvalidArgument for the space cuda and arrays on the host
Space space_of_arrays(const Context& context, const Borrowed& first,
                      const std::optional<Space>& requested, double elements) {
  if (first.on_device()) return Space::cuda;
  if (requested) {
    if (*requested == Space::cuda)
      refuse(std::string(first.name()) + " is " + first.text() +
             " and lies on the host, and space is 'cuda'; a prepared call uses its arrays where "
             "they lie");
    return *requested;
  }
  // To wake the other threads takes as long as this.
  constexpr double elements_of_one_thread = 1 << 15;
  return elements > elements_of_one_thread && context.is_usable(Space::openmp) ? Space::openmp
                                                                               : Space::serial;
}

/// A forward pass with its layer and its rows.
struct Pass {
  Pass(std::shared_ptr<Seeds::Shared> of, nb::handle given, nb::handle out,
       const std::optional<Space>& space, nb::handle stream)
      : layer(std::move(of)),
        order(stream),
        x(given, "x", &order, Copying::never),
        rows(*layer, given, x, space, !stream.is_none()),
        made(out.is_none() ? rows.made_rows() : nb::borrow(out)),
        y(made, "out", &order) {
    rows.require_output(y);
  }

  std::shared_ptr<Seeds::Shared> layer;
  CallStream order;
  Input x;
  Seeds::LayerRows rows;
  nb::object made;
  Output y;
};

/// \brief A sequence with what it uses. Calls of several threads run one after the other. Made and
/// destroyed with the GIL held.
struct Shared {
  ~Shared() {
    const Unlocked guard(false);
    sequence.reset();  // waits for the last run
  }
  int traverse(visitproc visit, void* arg) const { return borrowed.traverse(visit, arg); }

  std::optional<Space> space;    ///< of the option, later that of the sequence
  std::optional<Stream> stream;  ///< likewise
  Impl::Mutex mutex;
  SharedContext context;    ///< that of the first layer
  BorrowedArrays borrowed;  ///< of the passes
  std::vector<std::unique_ptr<Pass>> passes;
  std::optional<SeedSequence> sequence;  ///< once there is a pass
  std::atomic<std::size_t> size{0};      ///< number of passes
};
using Handle = EngineHandle<Shared>;

/// Runs a call that has the sequence for itself, without the GIL.
template <class Call>
void ordered(const Handle& self, const Call& call) {
  const std::shared_ptr<Shared> shared = self.open();
  unlocked([&] {
    const std::lock_guard lock(shared->mutex);
    call(*shared);
  });
}

Handle create(nb::handle space, nb::handle stream) {
  auto shared = std::make_shared<Shared>();
  shared->space = space_of(space);
  shared->stream = CallStream(stream).stream();
  if (shared->stream && shared->space.value_or(Space::cuda) != Space::cuda)
    refuse("stream is given, and space is '" + std::string(to_string(*shared->space)) +
           "'; a stream is only for the space 'cuda'");
  return {"SeedSequence", std::move(shared)};
}

/// The array of the results.
nb::object add(Handle& self, nb::handle layer, nb::handle x, nb::handle telemetry, nb::handle out) {
  const std::shared_ptr<Shared> shared = self.open();
  const Seeds::Handle* handle = nullptr;
  if (!nb::try_cast(layer, handle) || handle == nullptr)
    refuse_type("layer is of type " + type_text(layer) + "; it must be a pykindred.SeedLayer");
  const bool has_telemetry = flag_of(telemetry, "telemetry");
  std::optional<Space> space;
  std::optional<Stream> stream;
  ordered(self, [&](const Shared& sequence) {
    space = sequence.space;
    stream = sequence.stream;
  });
  std::optional<BorrowedArrays::Scope> kept(std::in_place, shared->borrowed);
  auto pass =
      std::make_unique<Pass>(handle->open(), x, out, space,
                             stream ? nb::steal(PyLong_FromVoidPtr(stream->handle())) : nb::none());
  kept.reset();
  const nb::object made = std::move(pass->made);
  space = space_of_arrays(*pass->layer->context, pass->x, space,
                          static_cast<double>(pass->x.array().size()));
  stream = pass->order.stream();
  ordered(self, [&](Shared& of) {
    of.passes.reserve(of.passes.size() + 1);
    std::optional<SeedSequence> first;
    if (!of.sequence) first.emplace(*pass->layer->context, *space, stream);
    SeedSequence& sequence = first ? *first : *of.sequence;
    sequence.add(pass->layer->seeds, pass->x.array(), pass->y.array(), has_telemetry);
    if (first) {
      of.context = pass->layer->context;
      of.space = space;
      of.stream = stream;
      of.sequence = std::move(first);
    }
    of.passes.push_back(std::move(pass));
    of.size = of.passes.size();
  });
  self.keep(handle->kept());
  return made;
}

std::size_t size(const Handle& self) { return self.open()->size.load(); }

void run(const Handle& self) {
  ordered(self, [](Shared& of) {
    if (of.sequence) of.sequence->run();
  });
}

void wait(const Handle& self) {
  ordered(self, [](Shared& of) {
    if (of.sequence) of.sequence->wait();
  });
}

}  // namespace

}  // namespace Kindred::Python::SeedSequences

#endif  // KINDRED_PYTHON_SEED_SEQUENCE_BODIES_HPP
