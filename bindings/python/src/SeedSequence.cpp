// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Mutex.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "SeedRows.hpp"
#include "Texts.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace SeedSequences {

namespace {

/// A forward pass with its layer and its rows.
struct Pass {
  Pass(std::shared_ptr<Seeds::Shared> of, nb::handle x, nb::handle out, nb::handle space,
       nb::handle stream)
      : layer(std::move(of)),
        rows(*layer, x, space, stream, nb::bool_(false)),
        made(out.is_none() ? rows.made_rows() : nb::borrow(out)),
        y(made, "out", &rows.order()) {
    rows.require_output(y);
  }

  std::shared_ptr<Seeds::Shared> layer;
  Seeds::Rows rows;
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

/// A stream as an argument of Python.
nb::object argument_of(const std::optional<Stream>& stream) {
  if (!stream) return nb::none();
  return nb::steal(PyLong_FromVoidPtr(stream->handle()));
}

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

/// The array of the results.
nb::object add(Handle& self, nb::handle layer, nb::handle x, nb::handle out, nb::handle telemetry) {
  const std::shared_ptr<Shared> shared = self.open();
  const Seeds::Handle* handle = nullptr;
  if (!nb::try_cast(layer, handle) || handle == nullptr)
    refuse_type("layer is of type " + type_text(layer) + "; it must be a pykindred.SeedLayer");
  const bool has_telemetry = flag_of(telemetry, "telemetry");
  std::optional<Space> space;
  std::optional<Stream> stream;
  unlocked([&] {
    const std::lock_guard lock(shared->mutex);
    space = shared->space;
    stream = shared->stream;
  });
  std::optional<BorrowedArrays::Scope> kept(std::in_place, shared->borrowed);
  auto pass = std::make_unique<Pass>(
      handle->open(), x, out, space ? nb::object(nb::str(to_string(*space).data())) : nb::none(),
      argument_of(stream));
  kept.reset();
  const nb::object made = std::move(pass->made);
  space = space_of_arrays(*pass->layer->context, pass->rows.x(), space,
                          static_cast<double>(pass->rows.x().array().size()));
  stream = pass->rows.options().stream;
  unlocked([&] {
    const std::lock_guard lock(shared->mutex);
    shared->passes.reserve(shared->passes.size() + 1);
    std::optional<SeedSequence> first;
    if (!shared->sequence) first.emplace(*pass->layer->context, *space, stream);
    SeedSequence& sequence = first ? *first : *shared->sequence;
    sequence.add(pass->layer->layer, pass->rows.x().array(), pass->y.array(), has_telemetry);
    if (first) {
      shared->context = pass->layer->context;
      shared->space = space;
      shared->stream = stream;
      shared->sequence = std::move(first);
    }
    shared->passes.push_back(std::move(pass));
    shared->size = shared->passes.size();
  });
  self.keep(handle->kept());
  return made;
}

}  // namespace

}  // namespace SeedSequences

void register_seed_sequence(Module& module) {
  using namespace SeedSequences;
  Class<Handle>(module, "SeedSequence")
      .def(
          "__init__",
          [](Handle* self, nb::handle space, nb::handle stream) {
            auto shared = std::make_shared<Shared>();
            shared->space = space_of(space);
            shared->stream = CallStream(stream).stream();
            if (shared->stream && shared->space.value_or(Space::cuda) != Space::cuda)
              refuse("stream is given, and space is '" + std::string(to_string(*shared->space)) +
                     "'; a stream is only for the space 'cuda'");
            new (self) Handle{"SeedSequence", std::move(shared)};
          },
          nb::arg("space").none(), nb::arg("stream").none())
      .def("close", &Handle::close)
      .def("is_closed", &Handle::is_closed)
      .def("size", [](const Handle& self) { return self.open()->size.load(); })
      .def("add", add, nb::arg("layer").none(), nb::arg("x").none(), nb::arg("out").none(),
           nb::arg("telemetry").none())
      .def("run",
           [](const Handle& self) {
             const std::shared_ptr<Shared> shared = self.open();
             unlocked([&] {
               const std::lock_guard lock(shared->mutex);
               if (shared->sequence) shared->sequence->run();
             });
           })
      .def("wait", [](const Handle& self) {
        const std::shared_ptr<Shared> shared = self.open();
        unlocked([&] {
          const std::lock_guard lock(shared->mutex);
          if (shared->sequence) shared->sequence->wait();
        });
      });
}

}  // namespace Kindred::Python
