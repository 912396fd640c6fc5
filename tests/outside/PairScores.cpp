// SPDX-License-Identifier: Apache-2.0
// Helper of test_scores.py. `pair_scores FOLDER` reads the texts in FOLDER/patterns and
// FOLDER/queries, each of which ends with a zero byte, and writes the matrices of
// `SequenceMatcher::score_all`, one row per query, in row-major order: per measure the similarities
// (NAME: float64, NAME.float32) and those with a cutoff of 0.6 (NAME.cut: float64), the distances
// (NAME.distance: int32 for numbers of edits, else float64) and, for numbers of edits, those with a
// cutoff of 3 (NAME.distance.cut: uint8).
#include <kindred/matcher/SequenceMatcher.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace Kindred;

std::vector<std::string> read_texts(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> texts;
  for (std::string text; std::getline(file, text, '\0');) texts.push_back(text);
  return texts;
}

class Scores {
 public:
  explicit Scores(const std::string& folder)
      : m_folder(folder),
        m_patterns(read_texts(folder + "/patterns")),
        m_queries(read_texts(folder + "/queries")),
        m_views(m_queries.begin(), m_queries.end()),
        m_matcher(m_context, std::vector<std::string_view>(m_patterns.begin(), m_patterns.end())) {}

  void write_all(Measure measure) const {
    const std::string name(to_string(measure));
    PairOptions options;
    options.measure = measure;
    write<double>(name, options);
    write<float>(name + ".float32", options);
    options.cutoff = 0.6;
    write<double>(name + ".cut", options);
    options.value = PairValue::distance;
    options.cutoff.reset();
    if (!counts_edits(measure)) {
      write<double>(name + ".distance", options);
      return;
    }
    write<std::int32_t>(name + ".distance", options);
    options.cutoff = 3;
    write<std::uint8_t>(name + ".distance.cut", options);
  }

 private:
  template <class T>
  void write(const std::string& name, const PairOptions& options) const {
    std::vector<T> values(m_queries.size() * m_patterns.size());
    m_matcher.score_all(m_views, std::span(values), options);
    std::ofstream file(m_folder + "/" + name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
    if (!file.flush()) throw std::runtime_error("cannot write " + name);
  }

  std::string m_folder;
  std::vector<std::string> m_patterns;
  std::vector<std::string> m_queries;
  std::vector<std::string_view> m_views;
  Context m_context;
  SequenceMatcher m_matcher;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: pair_scores FOLDER");
    const Scores scores(argv[1]);
    for (const Measure measure : all_measures) scores.write_all(measure);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
