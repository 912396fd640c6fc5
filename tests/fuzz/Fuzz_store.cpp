// SPDX-License-Identifier: Apache-2.0
// Any bytes as a store file: refused, or read within their bounds.
#include "SectionBytes.hpp"
#include "files/SectionFile.hpp"
#include "files/SectionWriter.hpp"

#include <kindred/core/common/Error.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

using namespace Kindred;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace {

constexpr const char* kind = "numbers";

/// A file as it should be.
std::string good_file() {
  const std::string path = "/tmp/kindred-fuzz-" + std::to_string(::getpid());
  Impl::FileRevision revision;
  {
    Impl::SectionWriter writer(path, kind);
    writer.write<std::uint64_t>("words", std::array<std::uint64_t, 3>{1, 2, 3});
    writer.write<std::uint8_t>("bytes", std::array<std::uint8_t, 70>{});
    revision = writer.commit();
  }
  Impl::SectionWriter(path, kind, revision).commit();
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::remove(path.c_str());
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Testing::MemoryFile memory;
  memory.set({reinterpret_cast<const char*>(data), size});
  try {
    const Impl::SectionFile file(memory.path(), kind, 1);
    for (std::size_t commit = 0; commit < file.commits(); ++commit) {
      for (const auto& section : file.sections(commit)) {
        if (section.type == Impl::ElementType::unsigned_integer && section.element_bytes == 8) {
          for (std::uint64_t& word : file.section<std::uint64_t>(commit, section.name)) ++word;
        }
      }
    }
  } catch (const CorruptFile&) {
  }
  return 0;
}

/// Changes as libFuzzer does, from a good file on, mostly with checksums that fit.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  std::minstd_rand generator(seed);
  static const std::string good = good_file();
  if (size < sizeof(Impl::SectionHeader) && size_max >= good.size()) {
    std::copy(good.begin(), good.end(), data);
    return good.size();
  }
  size = LLVMFuzzerMutate(data, size, size_max);
  if (generator() % 16 != 0) Testing::reseal({reinterpret_cast<char*>(data), size});
  return size;
}
