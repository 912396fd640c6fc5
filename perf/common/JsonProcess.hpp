// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_JSON_PROCESS_HPP
#define KINDRED_PERF_COMMON_JSON_PROCESS_HPP

#include "common/JsonOutput.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace Kindred::Perf {

/// \brief A process that answers requests: a line of JSON each, on its standard input and output.
/// It ends when the object is destroyed. Interrupts of the terminal do not reach it.
class JsonProcess {
 public:
  /// \param command the program, looked up in PATH, and its arguments
  /// \param variables its environment, `NAME=value`; empty: that of this process
  /// \param remedy ends the message of the error, if it cannot be started
  /// \throws Error if it cannot be started
  explicit JsonProcess(std::vector<std::string> command, std::vector<std::string> variables = {},
                       const std::string& remedy = {});
  ~JsonProcess();
  JsonProcess(const JsonProcess&) = delete;
  JsonProcess& operator=(const JsonProcess&) = delete;

  /// The next line of its output. \throws Error if the process has ended, or writes something else
  Json read();
  /// Its answer. \throws as `read`
  Json request(const Json& message);

 private:
  std::string m_program;
  pid_t m_process = -1;
  int m_requests = -1;
  int m_answers = -1;
  std::string m_buffer;
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_JSON_PROCESS_HPP
