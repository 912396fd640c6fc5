// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_ENVIRONMENT_VARIABLE_HPP
#define KINDRED_TESTS_SUPPORT_ENVIRONMENT_VARIABLE_HPP

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace Kindred::Testing {

/// An environment variable that is set in a block, and in the programs that the block starts.
class EnvironmentVariable {
 public:
  EnvironmentVariable(std::string name, const std::string& value) : m_name(std::move(name)) {
    if (const char* const text = std::getenv(m_name.c_str())) m_before = text;
    ::setenv(m_name.c_str(), value.c_str(), 1);
  }
  ~EnvironmentVariable() {
    m_before ? ::setenv(m_name.c_str(), m_before->c_str(), 1) : ::unsetenv(m_name.c_str());
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  std::string m_name;
  std::optional<std::string> m_before;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_ENVIRONMENT_VARIABLE_HPP
