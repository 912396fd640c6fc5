// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_PREPARED_HPP
#define KINDRED_C_PREPARED_HPP

#include <kindred/matcher/Prepared.hpp>

#include "Handle.hpp"

#include <utility>

namespace Kindred::C {

/// A prepared call and its context. The memory of a call that still runs is not freed.
struct PreparedCall {
  ~PreparedCall() {
    try {
      call.wait();
    } catch (...) {
      return;  // the device is lost
    }
  }
  SharedContext context;
  Prepared call;
};
KINDRED_C_HANDLE(prepared, PreparedCall);

inline Prepared& prepared_of(const kindred_prepared* prepared) {
  return object_of(prepared, "prepared").call;
}
inline kindred_prepared* make_prepared(const SharedContext& context, Prepared call) {
  return make_handle_of<kindred_prepared>(context, std::move(call));
}

}  // namespace Kindred::C

#endif  // KINDRED_C_PREPARED_HPP
