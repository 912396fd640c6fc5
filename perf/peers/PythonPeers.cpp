// SPDX-License-Identifier: Apache-2.0
#include "peers/PythonPeers.hpp"

#include "BuildInfo.hpp"

#include <kindred/core/common/Error.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
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

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

std::string peers_folder() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path() / KINDRED_PERF_PEERS).lexically_normal().string();
}

JobFolder::JobFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "kindred-peers-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw Error("cannot make a temporary folder " + name);
  m_path = name;
}

JobFolder::~JobFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(m_path, ignored);
}

void JobFolder::write(const std::string& name, const void* data, std::size_t bytes) const {
  std::ofstream file(m_path / (name + ".raw"), std::ios::binary);
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  file.close();
  if (!file) throw Error("cannot write " + (m_path / name).string() + ": is the disk full?");
}

void JobFolder::write_job() const { write_json(parameters, (m_path / "job.json").string()); }

PythonPeers::PythonPeers(const std::string& python, const std::string& script,
                         const JobFolder& folder, int threads)
    : m_folder(folder) {
  std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> requests{};
  std::array<int, 2> replies{};
  if (::pipe2(requests.data(), O_CLOEXEC) != 0 || ::pipe2(replies.data(), O_CLOEXEC) != 0)
    throw Error("cannot make a pipe to the peers");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, replies[1], STDOUT_FILENO);
  std::vector<std::string> arguments{python, script, folder.path().string()};
  std::vector<std::string> variables = environment_with(threads);
  const int failed = ::posix_spawnp(&m_process, python.c_str(), &actions, nullptr,
                                    pointers(arguments).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(requests[0]);
  ::close(replies[1]);
  m_requests = requests[1];
  m_replies = replies[0];
  if (failed != 0) {
    ::close(m_requests);
    ::close(m_replies);
    throw Error("cannot run " + python + "; --python names the Python to use");
  }
  try {
    const Json hello = read_line();
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
  } catch (...) {
    ::close(m_requests);
    ::close(m_replies);
    ::waitpid(m_process, nullptr, 0);
    throw;
  }
}

PythonPeers::~PythonPeers() {
  ::close(m_requests);  // the process ends when its input is closed
  ::close(m_replies);
  ::waitpid(m_process, nullptr, 0);
}

double PythonPeers::run(const std::string& peer) {
  return request({{"peer", peer}})["seconds"].get<double>();
}

PeerAnswer PythonPeers::answer(const std::string& peer) {
  request({{"peer", peer}, {"answer", true}});
  return {read_array<std::int64_t>(m_folder.path() / "ids"),
          read_array<double>(m_folder.path() / "scores")};
}

Json PythonPeers::request(const Json& message) {
  const std::string line = message.dump() + "\n";
  if (::write(m_requests, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw Error("the peers' Python ended; its message is above");
  return read_line();
}

Json PythonPeers::read_line() {
  while (true) {
    const auto end = m_buffer.find('\n');
    if (end != std::string::npos) {
      Json out = Json::parse(m_buffer.substr(0, end));
      m_buffer.erase(0, end + 1);
      return out;
    }
    std::array<char, 4096> part{};
    const ssize_t count = ::read(m_replies, part.data(), part.size());
    if (count <= 0) throw Error("the peers' Python ended; its message is above");
    m_buffer.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace Kindred::Perf
