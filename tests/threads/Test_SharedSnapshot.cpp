// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/SharedSnapshot.hpp>

#include "OneThread.hpp"

namespace SharedSnapshotTest {

using namespace Kindred;

/// Two equal numbers, and a count of the objects that exist.
struct Data {
  explicit Data(int value) : first(value), second(value) { ++alive; }
  ~Data() { --alive; }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  int first;
  int second;
  static inline std::atomic<int> alive{0};
};

TEST(SharedSnapshot, ReadersSeeTheNewestValueAndKeepTheirs) {
  {
    Impl::SharedSnapshot<Data> snapshot(std::make_shared<Data>(1));
    const auto first = snapshot.get();
    snapshot.set(std::make_shared<Data>(2));
    EXPECT_EQ(first->first, 1);
    EXPECT_EQ(snapshot.get()->first, 2);
    std::thread([&] { EXPECT_EQ(snapshot.get()->first, 2); }).join();
    EXPECT_EQ(Data::alive, 2);
  }
  EXPECT_EQ(Data::alive, 0);
}

TEST(SharedSnapshot, KeepsNoEarlierValueForThreadsThatDoNotRead) {
  Impl::SharedSnapshot<Data> snapshot(std::make_shared<Data>(1));
  Testing::by_threads(8, [&](std::size_t) { (void)snapshot.get(); });
  snapshot.set(std::make_shared<Data>(2));
  EXPECT_EQ(Data::alive, 1);
}

TEST(SharedSnapshot, IsReplacedOnlyIfItHasTheExpectedValue) {
  Impl::SharedSnapshot<Data> snapshot(std::make_shared<Data>(1));
  const auto first = snapshot.get();
  EXPECT_TRUE(snapshot.replace(first.get(), std::make_shared<Data>(2)));
  EXPECT_FALSE(snapshot.replace(first.get(), std::make_shared<Data>(3)));
  EXPECT_EQ(snapshot.get()->first, 2);
}

TEST(SharedSnapshot, ValuesOfConcurrentReadersNeverGoBack) {
  Impl::SharedSnapshot<Data> snapshot(std::make_shared<Data>(0));
  std::atomic<bool> is_done{false};
  Testing::by_threads(5, [&](std::size_t caller) {
    if (caller == 0) {
      for (int value = 1; value <= 2000; ++value) snapshot.set(std::make_shared<Data>(value));
      is_done = true;
      return;
    }
    int last = 0;
    while (!is_done) {
      const auto now = snapshot.get();
      EXPECT_EQ(now->first, now->second);
      EXPECT_GE(now->first, last);
      last = now->first;
    }
  });
  EXPECT_EQ(snapshot.get()->first, 2000);
}

}  // namespace SharedSnapshotTest
