// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_LATTICE_ARGUMENTS_HPP
#define KINDRED_PYTHON_LATTICE_ARGUMENTS_HPP

#include <kindred/matcher/Lattice.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "Results.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Arguments and results of lattices.
namespace Kindred::Python::Lattices {

namespace nb = nanobind;

/// Pairs of nodes: int64 [n, 2], or a collection of pairs of ints.
inline std::vector<LatticePair> pairs_of(nb::handle given, const char* name) {
  std::vector<LatticePair> pairs;
  const auto end_of = [&](const nb::object& end) {
    return static_cast<std::uint64_t>(integer_of(end, name, 0));
  };
  if (PyObject_CheckBuffer(given.ptr()) != 0 || nb::hasattr(given, "__dlpack__")) {
    const Input array(given, name, nullptr, Copying::if_needed, Layout::dense);
    array.require_rank(2, 2);
    array.require_columns(2);
    const std::span<const std::int64_t> values = array.host_values<std::int64_t>();
    for (std::size_t i = 0; i < values.size(); i += 2) {
      if (values[i] < 0 || values[i + 1] < 0)
        refuse(std::string(name) + " has the number " +
               std::to_string(std::min(values[i], values[i + 1])) + "; nodes are not negative");
      pairs.push_back(
          {static_cast<std::uint64_t>(values[i]), static_cast<std::uint64_t>(values[i + 1])});
    }
    return pairs;
  }
  if (!is_collection(given))
    refuse_type(std::string(name) + " is of type " + type_text(given) +
                "; it must be an array [n, 2] or a collection of pairs of nodes");
  for (const nb::handle pair : given) {
    const Py_ssize_t size = is_collection(pair) ? PyObject_Size(pair.ptr()) : -1;
    if (size < 0) PyErr_Clear();
    if (size != 2 || PySequence_Check(pair.ptr()) == 0)
      refuse_type(std::string(name) + " has an item of type " + type_text(pair) +
                  "; items are pairs of nodes");
    pairs.push_back({end_of(pair[0]), end_of(pair[1])});
  }
  return pairs;
}

struct Blocked {
  std::vector<std::uint64_t> nodes;
  std::vector<LatticePair> edges;
};
/// A lattice with its blocks, which pickles contain.
class Lattice : public Kindred::Lattice {
 public:
  Lattice(Context& context, std::uint32_t dimensions, std::uint32_t size, Blocked blocks)
      : Kindred::Lattice(context, dimensions, size, {blocks.nodes, blocks.edges}),
        m_blocks(std::move(blocks)) {}
  const Blocked& blocks() const noexcept { return m_blocks; }

 private:
  Blocked m_blocks;
};

inline nb::object matrix_of(const std::vector<std::uint8_t>& matrix, std::uint64_t nodes) {
  const auto extent = static_cast<std::int64_t>(nodes);
  nb::object made = empty_array(DataType::uint8, {extent, extent});
  std::copy(matrix.begin(), matrix.end(),
            Output(made, "results").array().host_values<std::uint8_t>().begin());
  return made;
}

/// `(offsets, nodes)`: int64
inline nb::object rows_of(const Ragged<std::uint64_t>& paths) {
  return nb::make_tuple(ids_array_of(paths.offsets), ids_array_of(paths.values));
}
inline nb::object rows_of(const LatticePaths& paths) {
  keep_record(paths.record);
  return rows_of(paths.paths);
}
/// `(indptr, indices)`: int64 and uint32
inline nb::object rows_of(const LatticeRows& rows) {
  keep_record(rows.record);
  return nb::make_tuple(ids_array_of(rows.offsets),
                        array_of(std::span<const std::uint32_t>(rows.ends)));
}

}  // namespace Kindred::Python::Lattices

#endif  // KINDRED_PYTHON_LATTICE_ARGUMENTS_HPP
