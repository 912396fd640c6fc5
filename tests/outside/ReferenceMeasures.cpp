// SPDX-License-Identifier: Apache-2.0
// Helper of test_reference_measures.py. `reference_measures FOLDER` reads the texts in
// FOLDER/patterns and FOLDER/queries, each of which ends with a zero byte, and writes one file per
// measure: the float64 values of every pattern with every query, in row-major order.
#include <kindred/reference/Reference.hpp>

#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace Kindred;
using Reference::PairMeasure;

struct Text {
  std::string utf8;
  std::vector<Symbol> symbols;
};

std::vector<Text> read_texts(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Text> texts;
  for (std::string text; std::getline(file, text, '\0');)
    texts.push_back({text, Reference::code_points(text)});
  return texts;
}

void write_values(const std::string& path, const std::vector<Text>& patterns,
                  const std::vector<Text>& queries,
                  const std::function<double(const Text&, const Text&)>& value) {
  std::vector<double> values;
  values.reserve(patterns.size() * queries.size());
  for (const Text& pattern : patterns)
    for (const Text& query : queries) values.push_back(value(pattern, query));
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void answer(const std::string& folder) {
  const std::vector<Text> patterns = read_texts(folder + "/patterns");
  const std::vector<Text> queries = read_texts(folder + "/queries");
  for (const auto& [name, measure] :
       {std::pair("levenshtein", PairMeasure::levenshtein), std::pair("osa", PairMeasure::osa),
        std::pair("jaro-winkler", PairMeasure::jaro_winkler),
        std::pair("prefix", PairMeasure::prefix), std::pair("postfix", PairMeasure::postfix)}) {
    const PairMeasure wanted = measure;
    write_values(folder + "/" + name, patterns, queries, [wanted](const Text& a, const Text& b) {
      return Reference::normalized_similarity(wanted, a.symbols, b.symbols);
    });
    write_values(folder + "/" + name + ".distance", patterns, queries,
                 [wanted](const Text& a, const Text& b) {
                   return Reference::distance(wanted, a.symbols, b.symbols);
                 });
  }
  write_values(folder + "/token-sort", patterns, queries, [](const Text& a, const Text& b) {
    return Reference::token_sort_similarity(a.utf8, b.utf8);
  });
  write_values(folder + "/token-set", patterns, queries, [](const Text& a, const Text& b) {
    return Reference::token_set_similarity(a.utf8, b.utf8);
  });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: reference_measures FOLDER");
    answer(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
