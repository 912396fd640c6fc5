// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "Json.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace JsonTest {

using Kindred::Impl::Json;
using nlohmann::ordered_json;

std::string again(std::string_view text, int indent = -1) {
  const auto value = Json::parse(text);
  return value ? value->dump(indent) : "not JSON";
}

/// The text that nlohmann::json writes for a string of these bytes.
std::string expected_string(const std::string& bytes) {
  return ordered_json(bytes).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

TEST(Json, IsWrittenInTheGivenOrder) {
  const Json value = Json::Object{{"z", Json()},
                                  {"yes", true},
                                  {"a", -3},
                                  {"b", 4U},
                                  {"c", 0.5F},
                                  {"text", std::string_view("x")},
                                  {"list", Json::Array{1, "two", Json::Array()}},
                                  {"", Json::Object()}};
  EXPECT_EQ(value.dump(),
            R"({"z":null,"yes":true,"a":-3,"b":4,"c":0.5,"text":"x","list":[1,"two",[]],"":{}})");
  EXPECT_EQ(value.dump(1), ordered_json::parse(value.dump()).dump(1));
  EXPECT_EQ(value.dump(0), ordered_json::parse(value.dump()).dump(0));
}

TEST(Json, KeepsTypesAndValuesOfNumbers) {
  EXPECT_EQ(again("[0,18446744073709551615,-9223372036854775808,7.0,-0.0,1e300]"),
            "[0,18446744073709551615,-9223372036854775808,7.0,-0.0,1e+300]");
  const auto list = Json::parse("[1,-1,1.0]");
  ASSERT_TRUE(list);
  const auto& elements = *list->as<Json::Array>();
  EXPECT_NE(elements[0].as<std::uint64_t>(), nullptr);
  EXPECT_NE(elements[1].as<std::int64_t>(), nullptr);
  EXPECT_NE(elements[2].as<double>(), nullptr);
  for (const Json& element : elements) EXPECT_EQ(std::abs(element.number().value()), 1.0);
  EXPECT_EQ(list->number(), std::nullopt);

  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const auto number = std::bit_cast<double>(random());
    const std::string text = Json(number).dump();
    if (!std::isfinite(number)) {
      EXPECT_EQ(text, "null");
      continue;
    }
    const auto judged = ordered_json::parse(text);
    EXPECT_TRUE(judged.is_number_float()) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(judged.get<double>()),
              std::bit_cast<std::uint64_t>(number));
  }
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
}

TEST(Json, EscapesWhatStringsCannotHold) {
  EXPECT_EQ(Json("a\"b\\c/\x7F").dump(), "\"a\\\"b\\\\c/\x7F\"");
  EXPECT_EQ(Json(std::string_view("\0\n\x1F", 3)).dump(), R"("\u0000\u000a\u001f")");
  EXPECT_EQ(again(R"("\u0041\n\ud83d\ude00\/")"), "\"A\\u000a\U0001F600/\"");
  EXPECT_EQ(again(R"("\ud83d")"), "not JSON");
  EXPECT_EQ(again("\"\xFF\""), "not JSON");
}

TEST(Json, ReplacesInvalidUtf8AsNlohmannDoes) {
  EXPECT_EQ(Json("a\xFF\xE2\x82z").dump(), "\"a\uFFFD\uFFFDz\"");
  // Every pair of bytes that is no control character, before nothing and before continuations.
  for (int first = 0x20; first < 0x100; ++first) {
    for (int second = 0x20; second < 0x100; ++second) {
      std::string bytes{static_cast<char>(first), static_cast<char>(second)};
      for (int length = 2; length <= 4; ++length) {
        ASSERT_EQ(Json(bytes).dump(), expected_string(bytes)) << first << ' ' << second;
        bytes += '\x80';
      }
    }
  }
}

TEST(Json, OfDuplicateKeysTheLastCounts) {
  const auto value = Json::parse(R"({"a":1,"b":2,"a":[3]})");
  ASSERT_TRUE(value);
  ASSERT_NE(value->find("a"), nullptr);
  EXPECT_EQ(value->find("a")->dump(), "[3]");
  EXPECT_EQ(value->find("b")->dump(), "2");
  EXPECT_EQ(value->find("c"), nullptr);
  EXPECT_EQ(Json(1).find("a"), nullptr);
  EXPECT_EQ(ordered_json::parse(value->dump()), ordered_json::parse(R"({"a":[3],"b":2})"));
}

TEST(Json, IsNotNestedDeeperThanTheLimit) {
  const auto lists = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  const auto objects = [](std::size_t depth) {
    std::string text = "1";
    for (std::size_t i = 0; i < depth; ++i) text = "{\"k\":" + text + "}";
    return text;
  };
  EXPECT_EQ(again(lists(Json::depth_max)), lists(Json::depth_max));
  EXPECT_EQ(again(objects(Json::depth_max)), objects(Json::depth_max));
  EXPECT_FALSE(Json::parse(lists(Json::depth_max + 1)));
  EXPECT_FALSE(Json::parse(objects(Json::depth_max + 1)));
  EXPECT_FALSE(Json::parse(std::string(1'000'000, '[')));
  std::string siblings = "[";
  for (int i = 0; i < 1000; ++i) siblings += "[],";
  EXPECT_TRUE(Json::parse(siblings + "0]")) << "only what is open counts";
}

/// A random document, of which about one in four has a character changed.
class Documents {
 public:
  std::string next() {
    std::string text = value(5).dump(below(3) == 0 ? 2 : -1);
    if (below(4) == 0) text[below(text.size())] = "{}[],:\"\\0e-x"[below(12)];
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return m_random() % end; }
  std::string text() {
    std::string out;
    for (std::size_t i = below(6); i > 0; --i)
      out += std::array{"a", "\"", "\\", "\n", "\x01", "é", "€", "\U0001F600", "/"}[below(9)];
    return out;
  }
  ordered_json value(int depth) {
    ordered_json out;
    switch (below(depth > 0 ? 9 : 6)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return static_cast<std::int64_t>(m_random()) >> below(64);
      case 3:
        return m_random() >> below(64);
      case 4:
        return static_cast<double>(below(2000)) / 8 - 100;
      case 5:
        return text();
      case 6:
        out = ordered_json::object();
        for (std::size_t i = below(5); i > 0; --i) out[text()] = value(depth - 1);
        return out;
      default:
        out = ordered_json::array();
        for (std::size_t i = below(5); i > 0; --i) out.push_back(value(depth - 1));
        return out;
    }
  }

  std::mt19937_64 m_random{2};
};

TEST(Json, ReadsAndWritesRandomDocumentsAsNlohmannDoes) {
  Documents documents;
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = documents.next();
    const auto judged = ordered_json::parse(text, nullptr, false);
    const auto value = Json::parse(text);
    ASSERT_EQ(!value.has_value(), judged.is_discarded()) << text;
    if (!value) {
      ++refused;
      continue;
    }
    const int indent = i % 4 - 1;
    const std::string written = value->dump(indent);
    ASSERT_EQ(ordered_json::parse(written), judged) << text;
    // The layout is the same too, except for numbers and escapes that are spelled differently.
    ASSERT_EQ(std::ranges::count(written, '\n'), std::ranges::count(judged.dump(indent), '\n'));
    ASSERT_EQ(again(written, indent), written);
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 10000);
}

}  // namespace JsonTest
