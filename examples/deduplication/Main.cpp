#include <kindred/matcher/SequenceMatcher.hpp>

#include <iostream>

int main() {
  Kindred::Context context;
  const std::vector<std::string_view> names{"Acme Trading Ltd",  "Globex Corporation",
                                            "Acme Trading Ltd.", "Initech",
                                            "Acme Tradng Ltd",   "Globex Corporatoin"};
  const Kindred::SequenceMatcher matcher(context, names);
  const auto clusters =
      matcher.cluster({.linkage = Kindred::Linkage::complete, .matching = {.threshold = 0.85}});
  for (std::size_t cluster = 0; cluster < clusters.members.rows(); ++cluster) {
    std::cout << names[clusters.representatives[cluster]] << ':';
    for (const auto member : clusters.members[cluster]) std::cout << ' ' << member;
    std::cout << '\n';
  }
}
