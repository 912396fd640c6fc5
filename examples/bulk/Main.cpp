#include <kindred/core/common/Cancellation.hpp>
#include <kindred/matcher/Bulk.hpp>

#include <future>
#include <iostream>
#include <semaphore>
#include <span>
#include <vector>

/// A place in a queue of calls, until it is destroyed.
struct Place {
  std::counting_semaphore<>& of;
  ~Place() { of.release(); }
};

int main() {
  Kindred::Context context;
  const Kindred::Bulk bulk(context);
  const std::vector<float> first{1, 2, 3}, second{4, 5};
  const std::vector<std::span<const float>> arrays{first, second};
  std::vector<float> doubled(3), other(2);
  const std::vector<std::span<float>> results{doubled, other};
  bulk.element_wise(Kindred::ElementWise::multiply, arrays, 2.0F, results);  // one launch
  std::cout << doubled[2] << ' ' << other[1] << '\n';

  std::counting_semaphore<> places(4);  // calls that run at the same time
  Kindred::Cancellation cancellation;   // of all of them
  const auto start = [&](std::span<float> sums) {
    places.acquire();  // waits while there is no place
    return std::async(std::launch::async, [&, sums] {
      const Place place{places};
      const Kindred::Cancellation::Scope scope(cancellation);
      bulk.reduce(Kindred::Reduction::sum, arrays, sums);
    });
  };
  std::vector<std::vector<float>> sums(10, std::vector<float>(2));
  std::vector<std::future<void>> calls;
  for (std::vector<float>& of_call : sums) calls.push_back(start(of_call));
  for (std::future<void>& call : calls) call.get();  // waits; throws what the call threw
  std::cout << sums[9][0] << ' ' << sums[9][1] << '\n';

  cancellation.cancel();  // may be called while calls run
  try {
    start(sums[0]).get();
  } catch (const Kindred::Cancelled&) {
    std::cout << "cancelled\n";
  }
}
