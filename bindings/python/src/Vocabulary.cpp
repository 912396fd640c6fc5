// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Vocabulary.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "Results.hpp"
#include "Sequences.hpp"
#include "Texts.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nb = nanobind;

namespace Kindred::Python {

namespace Vocabularies {

namespace {

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

/// `(lims, symbols)` of sequences of texts. New texts are added, or have the unknown symbol.
nb::object encode(Vocabulary& vocabulary, nb::handle sequences, nb::handle add) {
  const bool adds = flag_of(add, "add");
  if (!is_collection(sequences))
    refuse_type("sequences is of type " + type_text(sequences) +
                "; it must be a collection of sequences of texts");
  std::vector<std::string> texts;
  std::vector<std::int64_t> lims{0};
  ItemLoop loop;
  for (const nb::handle sequence : sequences) {
    loop.next();
    if (!is_collection(sequence))
      refuse_type("sequences has an item of type " + type_text(sequence) +
                  "; each must be a sequence of texts");
    for (const nb::handle text : sequence) texts.push_back(bytes_of_text(text, "sequences"));
    lims.push_back(static_cast<std::int64_t>(texts.size()));
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
  return nb::make_tuple(array_of(std::span<const std::int64_t>(lims)),
                        array_of(std::span<const Symbol>(symbols)));
}

Symbol symbol_of(nb::handle given) {
  const std::int64_t symbol = integer_of(given, "symbol", 0);
  if (symbol >= static_cast<std::int64_t>(unknown_symbol))
    refuse("symbol is " + std::to_string(symbol) + "; it must be below 2³² − 1");
  return static_cast<Symbol>(symbol);
}

}  // namespace

}  // namespace Vocabularies

void register_vocabulary(Module& module) {
  using namespace Vocabularies;
  Class<Vocabulary>(module, "Vocabulary")
      .def(nb::init<>())
      .def(
          "add",
          [](Vocabulary& self, nb::handle text) {
            const std::string given = bytes_of_text(text, "text");
            // Another thread may hold the lock of those who add for long.
            const Symbol known = self.find(given);
            return known != unknown_symbol ? known : unlocked([&] { return self.add(given); });
          },
          nb::arg("text").none())
      .def(
          "add_all",
          [](Vocabulary& self, nb::handle texts, nb::handle sorted) {
            const Texts given(texts);
            const bool is_sorted = flag_of(sorted, "sorted");
            unlocked([&] {
              if (is_sorted) {
                self.add_sorted(given.views);
              } else {
                self.add_all(given.views);
              }
            });
          },
          nb::arg("texts").none(), nb::arg("sorted").none())
      .def(
          "find",
          [](const Vocabulary& self, nb::handle text) -> nb::object {
            const Symbol symbol = self.find(bytes_of_text(text, "text"));
            if (symbol == unknown_symbol) return nb::none();
            return nb::int_(symbol);
          },
          nb::arg("text").none())
      .def(
          "text",
          [](const Vocabulary& self, nb::handle symbol) {
            return text_of_bytes(self.text(symbol_of(symbol)));
          },
          nb::arg("symbol").none())
      .def(
          "decode",
          [](const Vocabulary& self, nb::handle symbols) {
            const Input given(symbols, "symbols", nullptr, Copying::if_needed, Layout::dense);
            given.require_rank(1, 1);
            nb::list texts;
            for (const std::string_view text : self.decode(given.host_values<Symbol>()))
              texts.append(text_of_bytes(text));
            return texts;
          },
          nb::arg("symbols").none())
      .def("encode", encode, nb::arg("sequences").none(), nb::arg("add").none())
      .def("size", [](const Vocabulary& self) { return self.size(); })
      .def("statistics",
           [](const Vocabulary& self) {
             const VocabularyStatistics found = self.statistics();
             nb::dict out;
             out["symbols"] = found.symbols;
             out["text_bytes"] = found.text_bytes;
             out["held_bytes"] = found.held_bytes;
             return out;
           })
      .def(
          "save",
          [](const Vocabulary& self, nb::handle path) {
            const std::string file = path_of(path, "path");
            unlocked([&] { self.save(file); });
          },
          nb::arg("path").none())
      .def_static(
          "load",
          [](nb::handle path) {
            const std::string file = path_of(path, "path");
            return unlocked([&] { return Vocabulary::load(file); });
          },
          nb::arg("path").none())
      .def("to_bytes",
           [](const Vocabulary& self) {
             return bytes_of(unlocked([&] { return self.to_bytes(); }));
           })
      .def_static(
          "from_bytes",
          [](nb::handle bytes) {
            const Input given(bytes, "bytes", nullptr, Copying::if_needed, Layout::dense);
            const std::span<const std::byte> data = given.host_bytes();
            return unlocked([&] { return Vocabulary::load(data); });
          },
          nb::arg("bytes").none());
}

}  // namespace Kindred::Python
