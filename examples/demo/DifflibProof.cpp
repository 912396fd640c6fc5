// SPDX-License-Identifier: Apache-2.0
#include "DifflibProof.hpp"

#include <kindred/matcher/SequenceMatcher.hpp>

#include <nlohmann/json.hpp>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

extern char** environ;

namespace Kindred::Tools {
namespace {

// The query is the sequence that difflib indexes, once for all texts, which is its fastest use.
constexpr const char* script = R"python(
import difflib, json, sys, time
with open(sys.argv[1], encoding="ascii") as file:
    work = json.load(file)
answers, start = [], time.perf_counter()
for query in work["queries"]:
    matcher = difflib.SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(query)
    for text in work["texts"]:
        matcher.set_seq1(text)
        blocks = matcher.get_matching_blocks()
        answers.append([matcher.ratio(), [list(block) for block in blocks[:-1]]])
seconds = time.perf_counter() - start
with open(sys.argv[2], "w", encoding="ascii") as file:
    json.dump({"seconds": seconds, "answers": answers}, file)
)python";

/// A temporary folder, removed on destruction.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code failed;
    std::string name = (std::filesystem::temp_directory_path(failed) / "kindred-XXXXXX").string();
    if (failed || ::mkdtemp(name.data()) == nullptr)
      throw Error("cannot create a temporary folder " + name + "; set TMPDIR");
    m_path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const char* name) const { return (m_path / name).string(); }

 private:
  std::filesystem::path m_path;
};

/// Runs the script; returns nothing on success, otherwise the reason of the failure.
std::optional<std::string> run_python(std::string script_file, std::string in, std::string out) {
  std::string program = "python3";
  std::string isolated = "-I";
  std::array<char*, 6> arguments{program.data(), isolated.data(), script_file.data(),
                                 in.data(),      out.data(),      nullptr};
  pid_t process = 0;
  if (::posix_spawnp(&process, "python3", nullptr, nullptr, arguments.data(), environ) != 0)
    return "there is no python3 on this machine";
  int status = 0;
  if (::waitpid(process, &status, 0) != process || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return "python3 failed (status " + std::to_string(status) + ")";
  return {};
}

Ragged<Symbol> characters(const std::vector<std::string>& texts) {
  Ragged<Symbol> rows;
  for (const std::string& text : texts) {
    for (const char c : text) rows.values.push_back(static_cast<unsigned char>(c));
    rows.close_row();
  }
  return rows;
}

bool same(const Match& match, std::span<const Block> blocks, const nlohmann::json& answer) {
  const nlohmann::json& expected = answer.at(1);
  std::uint32_t matched = 0;
  if (expected.size() != blocks.size()) return false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block block{expected[i].at(0).get<std::uint32_t>(),
                      expected[i].at(1).get<std::uint32_t>(),
                      expected[i].at(2).get<std::uint32_t>()};
    if (!(block == blocks[i])) return false;
    matched += block.length;
  }
  return match.matched == matched && match.similarity == answer.at(0).get<double>();
}

}  // namespace

DifflibProof prove_with_difflib(Context& context, const std::vector<std::string>& texts,
                                const std::vector<std::string>& queries) {
  DifflibProof proof;
  const SequenceMatcher matcher(context, characters(texts));
  MatchOptions options;
  options.measure = Measure::difflib;
  options.threshold = 0;
  options.top = texts.size();
  options.blocks = true;
  const auto start = std::chrono::steady_clock::now();
  const MatchResults results = matcher.match(characters(queries), options);
  proof.kindred_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const TemporaryFolder folder;
  std::ofstream(folder.file("proof.py")) << script;
  const nlohmann::json work = {{"texts", std::vector<std::string>(texts.begin(), texts.end())},
                               {"queries", queries}};
  std::ofstream(folder.file("work.json")) << work.dump();
  if (const auto why_not =
          run_python(folder.file("proof.py"), folder.file("work.json"), folder.file("out.json"))) {
    proof.why_not = *why_not;
    return proof;
  }
  nlohmann::json answers;
  std::ifstream(folder.file("out.json")) >> answers;
  proof.run = true;
  proof.python_seconds = answers.at("seconds").get<double>();
  proof.pairs = texts.size() * queries.size();
  if (answers.at("answers").size() != proof.pairs || results.matches.values.size() != proof.pairs) {
    proof.differences = proof.pairs;
    return proof;
  }
  for (std::size_t query = 0; query < queries.size(); ++query) {
    for (std::size_t i = results.matches.offsets[query]; i < results.matches.offsets[query + 1];
         ++i) {
      const Match& match = results.matches.values[i];
      const nlohmann::json& answer = answers["answers"][query * texts.size() + match.index];
      if (!same(match, results.blocks[i], answer)) ++proof.differences;
    }
  }
  return proof;
}

}  // namespace Kindred::Tools
