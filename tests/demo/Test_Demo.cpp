// SPDX-License-Identifier: Apache-2.0
#include "EnvironmentVariable.hpp"
#include "RunProgram.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"
#include "demo/Answer.hpp"
#include "demo/AnswerHash.hpp"
#include "demo/AnswerText.hpp"
#include "demo/Demo.hpp"
#include "demo/DifflibProof.hpp"

#include <kindred/core/common/Error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <regex>

namespace Kindred::Tools {
namespace DemoTest {

struct SmallWordNet {
  Corpus corpus{read_wordnet(KINDRED_TEST_WORDNET)};
  Engines engines{Testing::context(), corpus, corpus.size()};
};
const SmallWordNet& small() {
  static const SmallWordNet shared;
  return shared;
}

std::vector<std::string> names(const std::vector<AnswerHit>& hits) {
  std::vector<std::string> found;
  for (const AnswerHit& hit : hits) found.push_back(small().corpus.name(hit.synset));
  return found;
}

TEST(Demo, RecallsByMatchingSearchingAndSpreading) {
  const auto hits = answer(small().corpus, small().engines, "large feline of forests", 6);
  ASSERT_EQ(hits.size(), 6U);
  EXPECT_THAT(names(hits), testing::Contains("big cat")) << "only its links can retrieve it";
  EXPECT_TRUE(names(hits)[0] == "leopard" || names(hits)[0] == "tiger");
  EXPECT_TRUE(std::ranges::is_sorted(hits, std::greater<>(), &AnswerHit::score));
  for (const AnswerHit& hit : hits) {
    double sum = 0;
    for (const ReportReason& reason : hit.reasons) {
      EXPECT_FALSE(reason.detail.empty());
      sum += reason.contribution;
    }
    EXPECT_EQ(sum, hit.score);
  }
}

TEST(Demo, TheReasonsNameTheMatchAndThePathOfActivation) {
  const auto hits = answer(small().corpus, small().engines, "large feline of forests", 10);
  const auto detail = [&](const std::string& name, const std::string& ranking) -> std::string {
    for (const AnswerHit& hit : hits) {
      if (small().corpus.name(hit.synset) != name) continue;
      for (const ReportReason& reason : hit.reasons) {
        if (reason.ranking == ranking) return reason.detail;
      }
    }
    return "absent";
  };
  EXPECT_EQ(detail("tiger", "match"), "3 of 3 words in order: large, feline, forests");
  EXPECT_THAT(detail("tiger", "search"), testing::HasSubstr("forests"));
  EXPECT_THAT(detail("tiger", "spread"), testing::HasSubstr("a source"));
  EXPECT_THAT(detail("big cat", "spread"), testing::HasSubstr(" → is a kind of big cat"));
  EXPECT_EQ(detail("big cat", "match"), "absent");
}

TEST(Demo, AQueryWithoutAnyKnownWordIsRejected) {
  EXPECT_THROW(answer(small().corpus, small().engines, "zzz of the", 10), InvalidArgument);
  EXPECT_THROW(answer(small().corpus, small().engines, "", 10), InvalidArgument);
}

TEST(Demo, EverySpaceGivesTheSameAnswers) {
  const auto hashes = hash_answers(Testing::context(), small().corpus, small().engines);
  ASSERT_EQ(hashes.size(), Testing::spaces().size());
  for (const AnswerHash& hash : hashes) EXPECT_EQ(hash.hash, hashes.front().hash);
  EXPECT_NE(hash_answers(Testing::context(), small().corpus, small().engines, 5).front().hash,
            hashes.front().hash);
}

TEST(Demo, DifflibAgreesWithEveryGloss) {
  std::vector<std::string> texts;
  for (const Synset& synset : small().corpus.net.synsets) texts.push_back(synset.gloss);
  const std::vector<std::string> queries{"large feline of forests", "aabab", texts[3]};
  const DifflibProof proof = prove_with_difflib(Testing::context(), texts, queries);
  ASSERT_TRUE(proof.run) << proof.why_not;
  EXPECT_EQ(proof.pairs, texts.size() * queries.size());
  EXPECT_EQ(proof.differences, 0U);
}

/// Runs the whole demo on the small WordNet with its own profile.
class WholeDemo : public testing::Test {
 protected:
  WholeDemo() {
    m_options.wordnet = KINDRED_TEST_WORDNET;
    m_options.out = m_folder / "out";
    m_options.calibrate = false;
    m_options.quiet = true;
  }

  std::string standard_output() {
    testing::internal::CaptureStdout();
    const int status = run_demo(m_options);
    std::string text = testing::internal::GetCapturedStdout();
    EXPECT_EQ(status, 0);
    return text;
  }
  std::string file(const char* name) const { return Testing::read_all(m_options.out + "/" + name); }
  Testing::TempFolder m_folder;
  Testing::EnvironmentVariable m_profile{"KINDRED_PROFILE", m_folder / "profile.json"};
  DemoOptions m_options;
};

TEST_F(WholeDemo, AnswersVerifiesAndWritesTheReport) {
  const std::string text = standard_output();
  EXPECT_THAT(text, testing::HasSubstr("tiger, Panthera tigris (noun)"));
  EXPECT_THAT(text, testing::HasSubstr("0 differences"));
  EXPECT_FALSE(std::regex_search(text, std::regex("serial|openmp|cuda|[0-9] (ms|µs|s)\\b")))
      << "standard output contains neither times nor spaces";

  const std::string html = file("report.html");
  EXPECT_FALSE(std::regex_search(html, std::regex("https?://")));
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = html.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("<li class=\"panel\">"), m_options.top);
  EXPECT_EQ(count("<b class=\"holds\">"), 2U) << "both claims hold";
  EXPECT_EQ(count("<div class=\"plot\""), 5U) << "LCS, difflib, search, score, spread";
  EXPECT_THAT(html, testing::HasSubstr("<h3>Calls by operation</h3>"));
  EXPECT_THAT(html, testing::HasSubstr("<h3>Kernels</h3>"));
  EXPECT_FALSE(nlohmann::json::parse(file("trace.json"))["traceEvents"].empty());
}

TEST_F(WholeDemo, JsonIsTheSameOnEveryMachineSpaceAndThreadCount) {
  m_options.sweep = false;
  m_options.json = true;
  const std::string expected = Testing::read_all(KINDRED_TEST_WORDNET "/../answer.json");
  EXPECT_EQ(nlohmann::json::parse(expected)["query"], m_options.query);
  for (const Space space : Testing::spaces()) {
    for (const int threads : {0, 1}) {
      m_options.space = space;
      m_options.threads = threads;
      EXPECT_EQ(standard_output(), expected) << to_string(space) << ", threads: " << threads;
    }
  }
  m_options.space.reset();
  EXPECT_EQ(standard_output(), expected);
}

TEST_F(WholeDemo, AMissingWordNetIsATypedErrorWithoutReport) {
  m_options.wordnet = m_folder / "";
  EXPECT_THROW(run_demo(m_options), NotFound);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(m_options.out) / "report.html"));
}

Testing::Ran program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "kindred-demo");
  return Testing::run_program(arguments);
}

TEST_F(WholeDemo, TheProgramTakesItsFlagsAndThoseOfEveryCommand) {
  const std::string trace = m_options.out + "/another.json";
  const Testing::Ran ran =
      program({"--wordnet=" KINDRED_TEST_WORDNET, "--out=" + m_options.out, "--trace=" + trace,
               "--query=small boat", "--space=serial", "--threads=1", "--proof=5", "--limit=0",
               "-k", "3", "--explain", "--no-sweep", "--no-calibrate", "--json", "--quiet"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out)["query"], "small boat");
  EXPECT_THAT(ran.err, testing::HasSubstr("\"chosen\":\"serial\""));
  EXPECT_TRUE(std::filesystem::exists(trace));
}

TEST(DemoProgram, DescribesItself) {
  EXPECT_THAT(program({"--version"}).out, testing::StartsWith("kindred 0."));
  EXPECT_THAT(program({"--help"}).out, testing::HasSubstr("Usage: kindred-demo [OPTIONS]"));
  EXPECT_THAT(program({"--man"}).out, testing::HasSubstr("kindred\\-demo \\- Recall from WordNet"));
}

TEST(DemoProgram, ReportsMistakesByStatus) {
  const Testing::Ran unknown = program({"--wordnt", "x"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, testing::HasSubstr("there is no flag '--wordnt'; did you mean "
                                              "--wordnet? (see kindred-demo --help)"));
  EXPECT_EQ(program({"--top", "51"}).status, 2);
  EXPECT_EQ(program({"--space", "tpu"}).status, 2);
  const Testing::TempFolder folder;
  const Testing::Ran missing = program(
      {"--wordnet", "/nonexistent", "--no-calibrate", "--quiet", "--out", folder / "missing"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, testing::HasSubstr("/nonexistent/data.noun cannot be opened"));
}

}  // namespace DemoTest
}  // namespace Kindred::Tools
