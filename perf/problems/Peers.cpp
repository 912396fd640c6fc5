// SPDX-License-Identifier: Apache-2.0
#include "problems/Peers.hpp"

#include <kindred/core/common/Error.hpp>

#include <cstdlib>
#include <fstream>

namespace Kindred::Perf {

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

}  // namespace Kindred::Perf
