// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Quotes.hpp>

namespace Kindred::Impl {

void refuse_name(std::string_view name, std::string_view parameter, const std::string_view* names,
                 std::size_t count) {
  std::string all;
  for (std::size_t number = 0; number < count; ++number)
    all += (number == 0 ? "" : ", ") + std::string(names[number]);
  throw InvalidArgument(std::string(parameter) + " is " + in_quotes(name) + "; it must be one of " +
                        all);
}

}  // namespace Kindred::Impl
