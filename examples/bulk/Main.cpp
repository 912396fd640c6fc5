#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/CallQueue.hpp>

#include <iostream>
#include <span>
#include <vector>

int main() {
  Kindred::Context context;
  const Kindred::Bulk bulk(context);
  const std::vector<float> first{1, 2, 3}, second{4, 5};
  const std::vector<std::span<const float>> arrays{first, second};
  std::vector<float> doubled(3), other(2), sums(2);
  const std::vector<std::span<float>> results{doubled, other};
  bulk.element_wise<float>(Kindred::ElementWise::multiply, arrays, 2.0F, results);  // one launch
  std::cout << doubled[2] << ' ' << other[1] << '\n';

  Kindred::CallQueue queue;  // runs calls on a thread of its own, in order
  auto submission =
      queue.submit([&] { return bulk.reduce<float>(Kindred::Reduction::sum, arrays, sums); });
  submission.get();  // waits; throws what the call threw
  std::cout << sums[0] << ' ' << sums[1] << '\n';
}
