// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_BULK_HPP
#define KINDRED_C_BULK_HPP

#include <kindred/core/common/ElementType.hpp>
#include <kindred/matcher/Bulk.hpp>

#include "Arguments.hpp"
#include "Prepared.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// What is special of bulk operations.
namespace Kindred::C {

/// The operations, with the workspaces that the context keeps.
class BulkOfContext {
 public:
  explicit BulkOfContext(const SharedContext& context)
      : m_context(context), m_bulk(Bulk::of(*context)) {}

  /// \brief Runs the operation \p run, or makes the handle \p prepared by \p prepare.
  template <auto run, auto prepare, class... Arguments>
  std::optional<BulkReport> call(const BulkOptions& options, kindred_prepared** prepared,
                                 const Arguments&... arguments) const {
    if (prepared == nullptr) return call<run>(options, arguments...);
    *prepared = make_prepared(m_context, prepare(*m_context, arguments..., options));
    return {};
  }
  template <auto run, class... Arguments>
  BulkReport call(const BulkOptions& options, const Arguments&... arguments) const {
    return (m_bulk.*run)(arguments..., options);
  }

 private:
  const SharedContext& m_context;
  const Bulk& m_bulk;
};
inline BulkOfContext bulk_of(const kindred_context* context) {
  return BulkOfContext(context_of(context));
}

/// One array as such, which may be on a device; several as a list.
template <class Void>
BasicBulkArrays<Void> bulk_arrays(const std::vector<BasicArray<Void>>& arrays) {
  if (arrays.size() == 1) return arrays[0];
  return arrays;
}

/// \brief A number as the second operand of an operation that has one, of the type of \p arrays.
/// \throws InvalidArgument for a number that such an integer cannot be
inline BulkArrays number_operand(std::int32_t operation, double number,
                                 const std::vector<ConstArray>& arrays) {
  const bool is_binary = operation == KINDRED_BULK_ADD || operation == KINDRED_BULK_MULTIPLY;
  if (!is_binary || arrays.empty()) return {};
  return with_element_type(arrays[0].type(), [&]<class T>(T) -> BulkArrays {
    if constexpr (std::is_integral_v<T>) {
      const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const auto least = static_cast<double>(std::numeric_limits<T>::min());
      KINDRED_C_REFUSE_IF(!(number >= least && number < end) || std::trunc(number) != number,
                          "number is " + std::to_string(number) + "; it must be a number of type " +
                              std::string(to_string(data_type_of<T>)) + ", as the arrays");
    }
    return static_cast<T>(number);
  });
}

inline kindred_bulk_report bulk_report_of(const BulkReport& report) {
  return {sizeof(kindred_bulk_report), report.batches, report.batch_bytes, report.splits};
}
/// A call that was prepared has no report.
inline void write_bulk_report(kindred_bulk_report* report, kindred_record* record,
                              const std::optional<BulkReport>& found) {
  if (!found) return;
  write_output(report, bulk_report_of(*found));
  write_record(record, found->record);
}

}  // namespace Kindred::C

#endif  // KINDRED_C_BULK_HPP
