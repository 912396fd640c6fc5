#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What counts as a public function, and what a page must say about them."""
import unittest

from public_functions import breaches, functions_of

HEADER = """
#define KINDRED_CALL(name) name()
namespace KINDRED_PUBLIC Kindred {
/// not_this(int);
enum class Kind : std::uint8_t { one = 1, two };
struct Options {
  int top = size_of(3);  ///< nor_this()
  std::function<void(int first)> answer = {};
  friend bool operator==(const Options&, const Options&) = default;
};
void check(const Options& options = {});
template <class T>
T* of(std::span<const T> values) { return values.data(); }
class Engine {
 public:
  explicit Engine(int size) : m_size(size), m_more{1, 2} {}
  Engine(const Engine&) = delete;
  static Engine load(const std::string& path,
                     const Options& options = {});
  int size() const noexcept { return m_size; }
  template <class Body>
  void run(const Body& body);
  const std::vector<std::pair<int, int>>& pairs() const;

 private:
  struct State {
    void hidden();
  };
  void neither();
  int m_size = 0;
};
template <class Body>
void Engine::run(const Body& body) { body(); }
namespace Impl {
void inside();
}
}  // namespace Kindred
"""

PAGE = "## Verbs\n\n| action | verb | result |\n|---|---|---|\n| read | `load(path)` | – |\n\n## Options\n"


class PublicFunctions(unittest.TestCase):
    def test_every_declaration_counts_once_and_nothing_else(self):
        self.assertEqual(list(functions_of(HEADER)), [
            ("Options", "operator=="), ("", "check"), ("", "of"), ("Engine", "Engine"), ("Engine", "Engine"), ("Engine", "load"), ("Engine", "size"),
            ("Engine", "run"), ("Engine", "pairs")])

    def test_the_verbs_of_a_page_exist(self):
        found = [("a/Engine.hpp", owner, name) for owner, name in functions_of(HEADER)]
        self.assertEqual(list(breaches(PAGE, found)), [])
        self.assertEqual(list(breaches(PAGE.replace("`load(path)`", "`read(path)`"), found)), ["no public header declares read, a verb"])

    def test_no_function_has_an_unused_word(self):
        page = PAGE.replace("## Options", "No public function is named `erase` or `si`.\n\n## Options")
        found = [("a/Engine.hpp", "Engine", name) for name in ("load", "size", "erase_all", "eraser")]
        self.assertEqual(list(breaches(page, found)), ["a/Engine.hpp declares Engine::erase_all, a word that is not used"])


if __name__ == "__main__":
    unittest.main()
