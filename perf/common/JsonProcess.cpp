// SPDX-License-Identifier: Apache-2.0
#include "common/JsonProcess.hpp"

#include <kindred/core/common/Error.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

extern char** environ;

namespace Kindred::Perf {

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

JsonProcess::JsonProcess(std::vector<std::string> command, std::vector<std::string> variables,
                         const std::string& remedy)
    : m_program(command.at(0)) {
  std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> requests{};
  std::array<int, 2> answers{};
  if (::pipe2(requests.data(), O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  if (::pipe2(answers.data(), O_CLOEXEC) != 0) {
    for (const int end : requests) ::close(end);
    throw Error("cannot make a pipe");
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const bool has_own = !variables.empty();
  const int failure =
      ::posix_spawnp(&m_process, m_program.c_str(), &actions, &attributes, pointers(command).data(),
                     has_own ? pointers(variables).data() : environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(requests[0]);
  ::close(answers[1]);
  m_requests = requests[1];
  m_answers = answers[0];
  if (failure == 0) return;
  ::close(m_requests);
  ::close(m_answers);
  throw Error("cannot run " + m_program + ": " + std::generic_category().message(failure) + remedy);
}

JsonProcess::~JsonProcess() {
  ::close(m_requests);  // the process ends when its input is closed
  ::close(m_answers);
  while (::waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Json JsonProcess::request(const Json& message) {
  const std::string line = message.dump() + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(m_requests, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(m_program + " ended; its message is above");
    done += static_cast<std::size_t>(count);
  }
  return read();
}

Json JsonProcess::read() {
  while (true) {
    const auto end = m_buffer.find('\n');
    if (end != std::string::npos) {
      const std::string line = m_buffer.substr(0, end);
      m_buffer.erase(0, end + 1);
      Json out = Json::parse(line, nullptr, false);
      if (out.is_discarded()) throw Error(m_program + " wrote '" + line + "' instead of an answer");
      return out;
    }
    std::array<char, 4096> part{};
    const ssize_t count = ::read(m_answers, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(m_program + " ended; its message is above");
    m_buffer.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace Kindred::Perf
