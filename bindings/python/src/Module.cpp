// SPDX-License-Identifier: Apache-2.0
#include <kindred/Version.hpp>

#include <nanobind/nanobind.h>

#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"

namespace nb = nanobind;

NB_MODULE(_kindred, plain) {
  Kindred::Python::Module module(plain);
  // Objects that live until the end, such as globals of a program, are no leaks.
  nb::set_leak_warnings(false);
  module.attr("version") = KINDRED_VERSION_STRING;
  Kindred::Python::register_errors();
  Kindred::Python::register_calls(module);
  Kindred::Python::register_callback(module);
  Kindred::Python::register_context(module);
  Kindred::Python::register_default_context(module);
  Kindred::Python::register_vector_index(module);
  Kindred::Python::register_hnsw_index(module);
  Kindred::Python::register_row_functions(module);
  Kindred::Python::register_vocabulary(module);
  Kindred::Python::register_prepared_query(module);
  Kindred::Python::register_difflib(module);
  Kindred::Python::register_sequence_matcher(module);
  Kindred::Python::register_pattern_memory(module);
  Kindred::Python::register_spreading_engine(module);
  Kindred::Python::register_prepared(module);
  Kindred::Python::register_prepared_score(module);
  Kindred::Python::register_bulk(module);
  Kindred::Python::register_lattice(module);
  Kindred::Python::register_layers(module);
  Kindred::Python::register_seed_functions(module);
  Kindred::Python::register_seed_layer(module);
  Kindred::Python::register_seed_sequence(module);
  Kindred::Python::register_keyed_vector_index(module);
}
