// SPDX-License-Identifier: Apache-2.0
// Records of calls, and what a dispatcher knows about operations.
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Calibration.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"
#include "Strings.hpp"

#include <algorithm>
#include <cstring>

namespace Kindred::C {

namespace {

/// The operations of the engines; their names end with a zero.
struct NamedOperation {
  std::string name;
  Operation operation;
};
const std::vector<NamedOperation>& all_operations() {
  static const auto& all =
      *new std::vector<NamedOperation>([] {  // names live as long as the process
        std::vector<NamedOperation> out;
        for (const Operation operation : engine_operations())
          out.push_back({std::string(operation.name()), operation});
        return out;
      }());
  return all;
}

Operation operation_of(const char* name, std::size_t size) {
  const std::string_view given = text_of(name, size, "operation");
  for (const NamedOperation& known : all_operations())
    if (known.name == given) return known.operation;
  throw NotFound("there is no operation '" + std::string(given) +
                 "'; kindred_operation_name lists all");
}

/// The contents of a record, whose name of the operation stays with it.
DispatchRecord record_of_c(const kindred_record& record, const OperationInfo& operation) {
  DispatchRecord out;
  out.operation = operation;
  out.items = record.items;
  out.work = record.work;
  out.transfer_bytes = record.transfer_bytes;
  std::copy(std::begin(record.predicted), std::end(record.predicted), out.predicted.begin());
  out.chosen = enum_of<Space>(record.space, static_cast<std::int32_t>(space_count), "record.space");
  out.why = enum_of<Reason>(record.reason, static_cast<std::int32_t>(enum_names<Reason>.size()),
                            "record.reason");
  out.taken = record.taken;
  out.threads = record.threads;
  out.starts = record.starts;
  out.pieces = record.pieces;
  out.first = record.first != 0;
  return out;
}

}  // namespace

kindred_status kindred_record_json(const kindred_record* record, kindred_string** json) noexcept {
  return guarded([&] {
    require_all({{record, "record"}, {json, "json"}});
    const kindred_record given = options_of(record, kindred_record KINDRED_RECORD_INIT, "record");
    const std::string_view name(given.operation,
                                ::strnlen(given.operation, sizeof(given.operation)));
    KINDRED_C_REFUSE_IF(
        std::any_of(name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }),
        "record.operation has bytes that are not printable ASCII characters");
    const OperationInfo operation{name, {}, {}};
    *json = make_handle_of<kindred_string>(to_json(record_of_c(given, operation)));
  });
}

const char* kindred_operation_name(std::size_t position) noexcept {
  const char* name = nullptr;
  guarded([&] {
    const std::vector<NamedOperation>& all = all_operations();
    KINDRED_C_REFUSE_IF(position >= all.size(), "position is " + std::to_string(position) +
                                                    "; there are " + std::to_string(all.size()) +
                                                    " operations");
    name = all[position].name.c_str();
  });
  return name;
}

kindred_status kindred_context_dispatch_statistics(
    const kindred_context* context, kindred_dispatch_statistics* statistics) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    check_output(statistics, "statistics");
    const Dispatcher::Regret regret = object->dispatcher().regret();
    write_output(statistics,
                 kindred_dispatch_statistics{sizeof(kindred_dispatch_statistics), regret.decisions,
                                             regret.seconds, regret.taken,
                                             object->dispatcher().calibrated() ? 1 : 0, 0});
  });
}

kindred_status kindred_context_crossover(const kindred_context* context, const char* operation,
                                         std::size_t size, std::int32_t space,
                                         double* work) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(work, "work");
    *work = object->dispatcher().crossover(operation_of(operation, size), space_argument(space));
  });
}

kindred_status kindred_context_breaker_open(const kindred_context* context, const char* operation,
                                            std::size_t size, std::int32_t space,
                                            std::int32_t* open) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(open, "open");
    const Operation found = operation_of(operation, size);
    *open = object->dispatcher().breaker_open(found, space_argument(space)) ? 1 : 0;
  });
}

kindred_status kindred_context_batch_bytes(const kindred_context* context, const char* operation,
                                           std::size_t size, std::uint64_t* bytes) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(bytes, "bytes");
    *bytes = object->dispatcher().batch_bytes(operation_of(operation, size));
  });
}

kindred_status kindred_context_force_threads(kindred_context* context,
                                             std::int32_t threads) noexcept {
  return guarded([&] { context_of(context)->dispatcher().force_threads(threads); });
}

}  // namespace Kindred::C
