// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BULK_HPP
#define KINDRED_BULK_HPP

// All public headers of Kindred::bulk.
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/BulkArrays.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>

#endif  // KINDRED_BULK_HPP
