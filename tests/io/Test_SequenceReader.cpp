// SPDX-License-Identifier: Apache-2.0
#include "ReaderSupport.hpp"
#include "io/SequenceEvents.hpp"
#include "io/SequenceReader.hpp"

namespace SequenceReaderTest {

using namespace Kindred;
using namespace Testing::ReaderSupport;
using ::testing::EndsWith;

struct Read {
  std::vector<std::vector<Symbol>> rows;
  std::vector<std::string> names;
};

Read read_sequences(const std::string& text, SymbolEncoder& encoder, Learning learning,
                    SequenceForm form = SequenceForm::json, const Column& column = {}) {
  const Sequences sequences = read_text(text, [&](const std::string& path) {
    Sequences read;
    SequenceReader reader(path, form, encoder, learning, {}, column);
    while (reader.next(read)) continue;
    return read;
  });
  Read out;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const auto row = sequences.symbols[i];
    out.rows.emplace_back(row.begin(), row.end());
    out.names.emplace_back(sequences.names[i].value_or("(none)"));
  }
  return out;
}

TEST(SequenceReader, NumbersTokensAsTheyAppear) {
  const std::string text = R"({"name": "x", "events": [["a", "b"], [], ["c", "a"]]}
{"tokens": ["c", "d"], "name": ""}
{"tokens": [], "other": {"deep": [1, {"er": null}]}, "name": null}
{"events": [[]]}
)";
  SymbolEncoder encoder(Level::token);
  const Read read = read_sequences(text, encoder, Learning::on);
  EXPECT_THAT(read.names, ElementsAre("x", "", "(none)", "(none)"));
  EXPECT_THAT(read.rows,
              ElementsAre(ElementsAre(0, 1, 2, 0), ElementsAre(2, 3), IsEmpty(), IsEmpty()));
  const Read query =
      read_sequences(R"({"tokens": ["d", "new", "a", "new"]})", encoder, Learning::off);
  EXPECT_THAT(query.rows, ElementsAre(ElementsAre(3, unknown_symbol, 0, unknown_symbol)));
}

TEST(SequenceReader, JoinsStringsByOneSpaceAtCharacterLevel) {
  SymbolEncoder encoder(Level::character);
  const Read json =
      read_sequences(R"({"events": [["ab", "é"], ["\ud83d\ude00"]]})", encoder, Learning::on);
  EXPECT_THAT(json.rows, ElementsAre(ElementsAre('a', 'b', ' ', 0xE9, ' ', 0x1F600)));
  const Read plain = read_sequences("ab é 😀\n\nba?", encoder, Learning::off, SequenceForm::lines);
  EXPECT_THAT(plain.rows, ElementsAre(json.rows[0], IsEmpty(), ElementsAre('b', 'a', '?')));
}

TEST(SequenceReader, NamesTextsByThemselves) {
  SymbolEncoder encoder(Level::character, {.ignore_case = true});
  const Read lines = read_sequences("Ab\n\n", encoder, Learning::on, SequenceForm::lines);
  EXPECT_THAT(lines.rows, ElementsAre(ElementsAre('a', 'b'), IsEmpty()));
  EXPECT_THAT(lines.names, ElementsAre("Ab", ""));
  const Read column = read_sequences("id,text\n1,Ab\n2,\"C\nd\"\n", encoder, Learning::on,
                                     SequenceForm::column, {"text", ','});
  EXPECT_THAT(column.names, ElementsAre("Ab", "C\nd"));
  EXPECT_THAT(column.rows, ElementsAre(ElementsAre('a', 'b'), ElementsAre('c', '\n', 'd')));
}

TEST(SequenceReader, KeepsTheRowsOfSkippedLines) {
  const TempFolder folder;
  const auto path = folder.write("p", R"({"name": "a", "tokens": ["x", "y"]}
{"name": "b", "tokens": ["x", 1]}

{"events": [["x"], ["y", {
{"name": "c", "tokens": ["y"]}
)");
  SymbolEncoder encoder(Level::token);
  QueryEvents events;
  Sequences out;
  SequenceReader reader(path, SequenceForm::json, encoder, Learning::on);
  reader.keep_events(events);
  reader.skip_bad_lines();
  while (reader.next(out)) continue;
  ASSERT_EQ(out.size(), 5U);
  ASSERT_EQ(events.size(), 5U);
  ASSERT_EQ(out.skipped.size(), 3U);
  EXPECT_EQ(out.skipped_at(0), nullptr);
  EXPECT_EQ(out.skipped_at(1)->line, 2U);
  EXPECT_THAT(out.skipped_at(1)->why, HasSubstr("has 1, which is not a string"));
  EXPECT_THAT(out.skipped_at(2)->why, HasSubstr("an empty line"));
  EXPECT_THAT(out.skipped_at(3)->why, HasSubstr("where an array or a value is expected"));
  EXPECT_EQ(out.skipped_at(4), nullptr);
  EXPECT_THAT(out.symbols[1], IsEmpty());
  EXPECT_THAT(out.symbols[4], ElementsAre(1));
  EXPECT_EQ(out.names[4], "c");
  EXPECT_THAT(events[4].values, ElementsAre("y"));
  EXPECT_EQ(reader.strings_max(), 2U);
}

TEST(SequenceReader, ReportsTheLineOfABadText) {
  const auto refused = [](const std::string& text, SequenceForm form) {
    SymbolEncoder encoder(Level::character);
    return message_of<BadLine>([&] {
      read_sequences(text, encoder, Learning::on, form, {"text", ','});
    });
  };
  EXPECT_THAT(refused("text\n\"a\nb\"\n\"c\n\xFF\"\n", SequenceForm::column),
              EndsWith(":4: not UTF-8: byte 0xff at 2 of the text"));
  EXPECT_THAT(refused("ab\nc\xFFz\n", SequenceForm::lines),
              EndsWith(":2: not UTF-8: byte 0xff at 1 of the text"));
}

TEST(SequenceReader, ReportsFileLineAndValueOfABadRecord) {
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"x\": ";
  expect_refused_input(
      [](const std::string& path) {
        SymbolEncoder encoder(Level::token);
        Sequences out;
        SequenceReader reader(path, SequenceForm::json, encoder, Learning::on);
        while (reader.next(out)) continue;
      },
      {
          {"\n", "2: an empty line"},
          {" \t", "an empty line"},
          {"{\"tokens\": [\"a\"", "not JSON: column 16"},
          {"{\"tokens\": [\"a\"]} x", "not JSON"},
          {"{\"tokens\": [\"\xFF\"]}", "ill-formed UTF-8"},
          {R"({"tokens": ["\ud800"]})", "surrogate"},
          {R"({"tokens": [1e999]})", "number overflow"},
          {"[]", "must be a JSON object"},
          {"3", "must be a JSON object"},
          {"{}", "neither \"events\" nor \"tokens\""},
          {R"({"tokens": ["a", 7]})", "has 7, which is not a string"},
          {R"({"tokens": ["a", null]})", "has null, which is not a string"},
          {R"({"tokens": "a"})", "has 'a' where an array is expected"},
          {R"({"tokens": [["a"]]})", "has an array in it"},
          {R"({"tokens": [{"a": 1}]})", "an object where"},
          {R"({"events": ["a"]})", "has 'a' where an array is expected"},
          {R"({"events": [[["a"]]]})", "has an array in it"},
          {R"({"events": [[1.5]]})", "has 1.5, which is not a string"},
          {R"({"tokens": [], "events": []})", "is given twice"},
          {R"({"tokens": [], "tokens": []})", "is given twice"},
          {R"({"name": "a", "name": "b", "tokens": []})", "is given twice"},
          {R"({"name": -3, "tokens": []})", ", but is -3"},
          {R"({"name": ["a"], "tokens": []})", ", but is an array"},
          {R"({"name": true, "tokens": []})", ", but is a boolean"},
          {"{\"x\": " + std::string(100000, '['), "deeper than 64"},
          {objects, "deeper than 64"},
      },
      "{\"tokens\": [\"a\"]}\n");
}

}  // namespace SequenceReaderTest
