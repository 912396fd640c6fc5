// SPDX-License-Identifier: Apache-2.0
// Records of calls.
#include "Arguments.hpp"
#include "Handle.hpp"
#include "Strings.hpp"

#include <algorithm>
#include <cstring>

namespace Kindred::C {

namespace {

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

}  // namespace Kindred::C
