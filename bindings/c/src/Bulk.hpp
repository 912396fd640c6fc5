// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_BULK_HPP
#define KINDRED_C_BULK_HPP

#include <kindred/matcher/Bulk.hpp>

#include "Prepared.hpp"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <vector>

namespace Kindred::C {

KINDRED_C_HANDLE(bulk, WithContext<Bulk>);

inline const Bulk& bulk_of(const kindred_bulk* bulk) { return object_of(bulk, "bulk").engine; }

BulkOptions bulk_options_of(const kindred_bulk_options* options);

kindred_bulk_report bulk_report_of(const BulkReport& report);

/// What a call reports: both may be null.
class BulkOutputs {
 public:
  BulkOutputs(kindred_bulk_report* report, kindred_record* record);
  void write(const BulkReport& report) const;

 private:
  kindred_bulk_report* m_report;
  kindred_record* m_record;
};

/// \throws InvalidArgument for null lists of more than 0 arrays
void check_lists(std::initializer_list<NamedPointer> lists, std::size_t count);
/// The arrays of a list, whatever their shapes, as arrays of one dimension. \throws
/// InvalidArgument for arrays with gaps
std::vector<ConstArray> list_of(const DLTensor* const* tensors, std::size_t count,
                                const char* name);
std::optional<std::vector<ConstArray>> optional_list_of(const DLTensor* const* tensors,
                                                        std::size_t count, const char* name);
std::vector<Array> output_list_of(DLTensor* const* tensors, std::size_t count, const char* name);
/// The same for one array.
Array output_of(DLTensor* tensor, const char* name);

ElementWise element_wise_of(std::int32_t operation);
Reduction reduction_of(std::int32_t reduction);
/// Whether the operation has a second operand. \throws InvalidArgument for one that it lacks
bool has_operand(ElementWise operation, const void* others, const char* name);
/// The second operand of \p operation: \p others, a number of the type of \p arrays if there are
/// none, or nothing. \throws InvalidArgument as `has_operand`, and for a number that an integer
/// cannot be
BulkArrays operand_of(ElementWise operation, const std::optional<std::vector<ConstArray>>& others,
                      double number, const std::vector<ConstArray>& arrays);

}  // namespace Kindred::C

#endif  // KINDRED_C_BULK_HPP
