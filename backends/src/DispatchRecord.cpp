// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/DispatchRecord.hpp>

#include "Json.hpp"

#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <array>
#include <cmath>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

std::string to_json(const DispatchRecord& record) try {
  Impl::Json::Object predicted;
  for (const Space space : all_spaces) {
    const double seconds = record.predicted[space_index(space)];
    if (!std::isnan(seconds)) predicted.emplace_back(to_string(space), seconds);
  }
  return Impl::Json(Impl::Json::Object{{"op", to_string(record.operation)},
                                       {"items", record.items},
                                       {"predicted", std::move(predicted)},
                                       {"chosen", to_string(record.chosen)},
                                       {"taken", record.taken},
                                       {"why", to_string(record.why)},
                                       {"threads", record.threads},
                                       {"starts", record.starts},
                                       {"first", record.first}})
      .dump();
} catch (...) {
  Impl::rethrow_translated("Kindred::to_json");
}

}  // namespace Kindred
