// SPDX-License-Identifier: Apache-2.0
#include "peers/PythonPeers.hpp"

#include "BuildInfo.hpp"

#include <kindred/core/common/Error.hpp>

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>

extern char** environ;

namespace Kindred::Perf {

namespace {

template <class T>
std::vector<T> read_array(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<T> out(std::filesystem::file_size(path) / sizeof(T));
  file.read(reinterpret_cast<char*>(out.data()),
            static_cast<std::streamsize>(out.size() * sizeof(T)));
  return out;
}

/// This process's environment with the thread variables of the numerical libraries set.
std::vector<std::string> environment_with(int threads) {
  constexpr std::array<std::string_view, 3> names{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                                  "MKL_NUM_THREADS"};
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool replaced = text.substr(0, 4) == "OMP_";
    for (const std::string_view name : names)
      replaced = replaced || text.substr(0, text.find('=')) == name;
    if (!replaced) out.emplace_back(text);
  }
  for (const std::string_view name : names)
    out.push_back(std::string(name) + "=" + std::to_string(threads));
  return out;
}

}  // namespace

std::string peers_folder() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path() / KINDRED_PERF_PEERS).lexically_normal().string();
}

PythonPeers::PythonPeers(const std::string& python, const std::string& script,
                         const JobFolder& folder, int threads)
    : m_folder(folder),
      m_process({python, script, folder.path().string()}, environment_with(threads),
                "; --python names the Python to use") {
  const Json hello = m_process.read();
  if (hello.contains("missing")) {
    std::string modules;
    for (const Json& name : hello["missing"])
      modules += (modules.empty() ? "" : ", ") + name.get<std::string>();
    const auto pinned = std::filesystem::path(script).parent_path() / "requirements.txt";
    throw Error(python + " lacks " + modules +
                "; `./run perf peers` installs what is needed, or: " + python +
                " -m pip install -r " + pinned.string());
  }
  m_names = hello["peers"].get<std::vector<std::string>>();
  m_versions = hello["versions"];
}

double PythonPeers::run(const std::string& peer) {
  return m_process.request({{"peer", peer}})["seconds"].get<double>();
}

PeerAnswer PythonPeers::answer(const std::string& peer) {
  m_process.request({{"peer", peer}, {"answer", true}});
  return {read_array<std::int64_t>(m_folder.path() / "ids"),
          read_array<double>(m_folder.path() / "scores")};
}

}  // namespace Kindred::Perf
