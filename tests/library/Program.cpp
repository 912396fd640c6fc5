// SPDX-License-Identifier: Apache-2.0
// A program that shares classes with libkindred.so: exceptions, a template over a class of the
// library, callbacks. With BESIDE_KOKKOS it has a Kokkos of its own, which must be another one than
// that of the library.
#include <kindred/core/common/LibraryFile.hpp>
#include <kindred/matcher/GraphFileInfo.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#ifdef BESIDE_KOKKOS
#include <Kokkos_Core.hpp>
#endif

#include <exception>
#include <iostream>
#include <string>
#include <typeinfo>

namespace {

int failures = 0;

void expect(bool condition, const char* what) {
  if (!condition) {
    std::cerr << "failed: " << what << '\n';
    ++failures;
  }
}

/// Whether \p call throws exactly a \p Thrown, caught as one and as the base of all errors.
template <class Thrown, class Call>
bool throws(const Call& call) {
  bool as_itself = false;
  try {
    call();
  } catch (const Thrown&) {
    as_itself = true;
  } catch (...) {
  }
  try {
    call();
  } catch (const Kindred::Error& error) {
    return as_itself && typeid(error) == typeid(Thrown) && std::string(error.what()).size() > 0;
  }
  return false;
}

}  // namespace

int main() {
  {
    Kindred::Context context;
    const Kindred::Ragged<Kindred::Symbol> patterns{{0, 2, 5}, {1, 2, 3, 4, 5}};
    const Kindred::SequenceMatcher matcher(context, patterns);
    const auto answer =
        matcher.match(Kindred::Ragged<Kindred::Symbol>{{0, 3}, {4, 5, 6}}, {.top = 1});
    expect(answer.matches.values.size() == 1 && answer.matches.values[0].index == 1,
           "a match of the sequence engine");

    expect(throws<Kindred::InvalidArgument>([] { Kindred::Context({.threads = -1}); }),
           "InvalidArgument of the library");
    expect(throws<Kindred::NotFound>([] { Kindred::SpreadingEngine::inspect("no/such/file"); }),
           "NotFound of the library");
#ifdef BESIDE_KOKKOS
    expect(!Kokkos::is_initialized(), "Kokkos of the program is another one");
#endif
  }
#ifdef BESIDE_KOKKOS
  {
    const Kokkos::ScopeGuard guard;
    Kindred::Context context;
    int sum = 0;
    Kokkos::parallel_reduce(
        "Test::own_kernel", 100, KOKKOS_LAMBDA(int i, int& update) { update += i; }, sum);
    expect(sum == 4950, "a kernel of the program's own Kokkos");
  }
#endif
  const std::string file = Kindred::library_file();
  expect(file.find("/libkindred.so.") != std::string::npos, "the file of the library");
  std::cout << file << '\n';
  return failures;
}
