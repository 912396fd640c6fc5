// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_VOCABULARY_BODIES_HPP
#define KINDRED_PYTHON_VOCABULARY_BODIES_HPP

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

// What is special of Vocabulary.
namespace Kindred::Python::Vocabularies {

namespace {

/// A vocabulary, which needs no context.
struct Shared {
  SharedContext context;
  Vocabulary vocabulary;
};
using Handle = EngineHandle<Shared>;

/// Texts of an argument, with their bytes.
struct Texts {
  std::vector<std::string> bytes;
  std::vector<std::string_view> views;

  explicit Texts(nb::handle given) {
    if (is_text(given)) refuse_type("texts is one text; it must be a collection of texts");
    if (!is_collection(given))
      refuse_type("texts is of type " + type_text(given) + "; it must be a collection of texts");
    ItemLoop loop;
    for (const nb::handle text : given) {
      loop.next();
      bytes.push_back(bytes_of_text(text, "texts"));
    }
    views.assign(bytes.begin(), bytes.end());
  }
};

Handle create(nb::handle texts) {
  const Texts given(texts);
  return {"vocabulary", shared_of<Shared>(SharedContext(), [&] {
            Vocabulary made;
            made.add_all(given.views);
            return made;
          })};
}

Symbol add(const Handle& self, nb::handle text) {
  const std::string given = bytes_of_text(text, "text");
  const std::shared_ptr<Shared> shared = self.open();
  // Another thread may hold the lock of those who add for long.
  const Symbol known = shared->vocabulary.find(given);
  return known != unknown_symbol ? known : unlocked([&] { return shared->vocabulary.add(given); });
}

void add_all(const Handle& self, nb::handle texts, nb::handle sorted) {
  const std::shared_ptr<Shared> shared = self.open();
  const Texts given(texts);
  const bool is_sorted = flag_of(sorted, "sorted");
  unlocked([&] {
    is_sorted ? shared->vocabulary.add_sorted(given.views)
              : shared->vocabulary.add_all(given.views);
  });
}

nb::object find(const Handle& self, nb::handle text) {
  const Symbol symbol = self.open()->vocabulary.find(bytes_of_text(text, "text"));
  return symbol == unknown_symbol ? nb::object(nb::none()) : nb::object(nb::int_(symbol));
}

Symbol symbol_of(nb::handle given) {
  const std::int64_t symbol = integer_of(given, "symbol", 0);
  if (symbol >= static_cast<std::int64_t>(unknown_symbol))
    refuse("symbol is " + std::to_string(symbol) + "; it must be below 2³² − 1");
  return static_cast<Symbol>(symbol);
}

nb::list texts_of(const std::vector<std::string_view>& found) {
  nb::list texts;
  for (const std::string_view text : found) texts.append(text_of_bytes(text));
  return texts;
}

/// `(offsets, symbols)` of sequences of texts. New texts are added, or have the unknown symbol.
nb::object encode(const Handle& self, nb::handle sequences, nb::handle add) {
  Vocabulary& vocabulary = self.open()->vocabulary;
  const bool adds = flag_of(add, "add");
  if (!is_collection(sequences))
    refuse_type("sequences is of type " + type_text(sequences) +
                "; it must be a collection of sequences of texts");
  std::vector<std::string> texts;
  std::vector<std::int64_t> offsets{0};
  ItemLoop loop;
  for (const nb::handle sequence : sequences) {
    loop.next();
    if (!is_collection(sequence))
      refuse_type("sequences has an item of type " + type_text(sequence) +
                  "; each must be a sequence of texts");
    for (const nb::handle text : sequence) texts.push_back(bytes_of_text(text, "sequences"));
    offsets.push_back(static_cast<std::int64_t>(texts.size()));
  }
  std::vector<Symbol> symbols(texts.size());
  unlocked([&] {
    if (adds) {
      const std::vector<std::string_view> views(texts.begin(), texts.end());
      vocabulary.add_all(views);
    }
    std::transform(texts.begin(), texts.end(), symbols.begin(),
                   [&](const std::string& text) { return vocabulary.find(text); });
  });
  return nb::make_tuple(array_of(std::span<const std::int64_t>(offsets)),
                        array_of(std::span<const Symbol>(symbols)));
}

}  // namespace

}  // namespace Kindred::Python::Vocabularies

#endif  // KINDRED_PYTHON_VOCABULARY_BODIES_HPP
