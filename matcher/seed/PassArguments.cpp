// SPDX-License-Identifier: Apache-2.0
#include "PassArguments.hpp"

#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace Kindred::Impl {

void require_type(const NamedArray& given, std::initializer_list<DataType> types) {
  if (std::find(types.begin(), types.end(), given.array.type()) != types.end()) return;
  throw InvalidArgument(std::string(given.name) + " is " + to_string(given.array) +
                        "; its elements must be " + text_of(types));
}

RowLayout PassArguments::checked_rows(const NamedArray& given, std::int64_t rows,
                                      std::int64_t hidden) const {
  const ConstArray& array = given.array;
  const DataType type = array.type();
  KINDRED_THROW_IF(!widens_to_float32(type),
                   std::string(given.name) + " is " + to_string(array) +
                       "; its elements must be float32, float16 or bfloat16");
  const bool is_flat = m_may_be_flat && array.rank() == 1;
  if (is_flat) {
    KINDRED_THROW_IF(array.extent(0) % hidden != 0,
                     std::string(given.name) + " has " + std::to_string(array.extent(0)) +
                         " elements, which is not a multiple of " + std::to_string(hidden));
    require_array(given, type, {rows == any_extent ? any_extent : rows * hidden});
  } else {
    require_array(given, type, {rows, hidden});
  }
  return {type, is_flat ? static_cast<std::uint64_t>(hidden) : row_stride(given),
          checked_bytes(given)};
}

PassArguments::PassArguments(const ConstArray& x) {
  const NamedArray given{"x", x};
  const RowLayout layout = checked_rows(given, any_extent, any_extent);
  KINDRED_THROW_IF(x.extent(1) > std::numeric_limits<std::uint32_t>::max(),
                   "x is " + to_string(x) + "; rows may have at most 2^32 − 1 features");
  m_rows = static_cast<std::uint64_t>(x.extent(0));
  m_hidden = static_cast<std::uint32_t>(x.extent(1));
  append(given, layout, Use::input, {});
}

PassArguments::PassArguments(const ConstArray& x, std::uint32_t hidden)
    : m_hidden(hidden), m_may_be_flat(true) {
  const NamedArray given{"x", x};
  const RowLayout layout = checked_rows(given, any_extent, hidden);
  m_rows = static_cast<std::uint64_t>(x.extent(0)) / (x.rank() == 1 ? hidden : 1);
  append(given, layout, Use::input, {});
}

RowLayout PassArguments::add_rows(const NamedArray& given, Use use, std::string_view may_be) {
  const RowLayout layout = checked_rows(given, static_cast<std::int64_t>(m_rows), m_hidden);
  append(given, layout, use, may_be);
  return layout;
}

void PassArguments::add(const NamedArray& given, std::initializer_list<DataType> types,
                        std::initializer_list<std::int64_t> shape, Use use) {
  require_type(given, types);
  require_array(given, given.array.type(), shape);
  append(given, {{}, 0, checked_bytes(given)}, use, {});
}

void PassArguments::append(const NamedArray& given, const RowLayout& layout, Use use,
                           std::string_view may_be) {
  const ConstArray& array = given.array;
  const Given added{static_cast<std::byte*>(const_cast<void*>(array.data())),
                    layout,
                    given.name,
                    use,
                    array.memory(),
                    array.device()};
  for (const Given& other : arrays()) {
    if (use == Use::input && other.use == Use::input) continue;
    if (!overlap(added.range(), other.range())) continue;
    const bool may_be_same = may_be == other.name;
    KINDRED_THROW_IF(
        !(may_be_same && added.data == other.data && layout == other.layout),
        std::string(given.name) + " and " + other.name +
            " overlap; outputs must be apart from all other arrays" +
            (may_be_same ? ", or the same rows with the same element type and stride" : ""));
  }
  m_arrays.at(m_count++) = added;
}

std::optional<Space> PassArguments::space(const Context& context) const {
  const auto is_on_host = [](const Given& given) { return given.memory == ArrayMemory::host; };
  if (std::ranges::all_of(arrays(), is_on_host)) return {};
  std::vector<NamedArray> named;
  for (const Given& given : arrays()) {
    const std::array bytes{static_cast<std::int64_t>(given.layout.bytes)};
    named.push_back({given.name, ConstArray(given.data, DataType::uint8, bytes, {}, given.memory,
                                            given.device)});
  }
  return space_of(context, named);
}

}  // namespace Kindred::Impl
