#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <iostream>

int main() {
  Kindred::Vocabulary words;
  Kindred::Ragged<Kindred::Symbol> patterns, queries;
  for (const auto* name : {"the", "cat", "sat"}) patterns.values.push_back(words.add(name));
  patterns.close_row();
  for (const auto* name : {"a", "cat", "sat"}) queries.values.push_back(words.find(name));
  queries.close_row();
  Kindred::Context context;  // finds the spaces of this machine, and picks one for every call
  const Kindred::SequenceMatcher matcher(context, patterns);
  const auto answer = matcher.match(queries);
  std::cout << answer.matches.values[0].similarity << '\n';  // 0.666667
}
