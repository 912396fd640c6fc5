// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "MessageOf.hpp"
#include "TempFolder.hpp"
#include "io/Errors.hpp"
#include "io/InputKind.hpp"
#include "io/WriteNpyHeader.hpp"

#include <string>

namespace InputKindTest {

using namespace Kindred;
using namespace Kindred::Tools;
using Testing::TempFolder;

/// The beginning of a file of Kindred with the kind \p kind.
std::string section_file(std::string kind) {
  kind.resize(16, '\0');
  return "\x89KND\r\n\x1a\n" + std::string(8, '\1') + kind + std::string(96, '\0');
}

std::string message(const std::string& path, InputKind wanted) {
  return Testing::message_of<InputError>([&] { check_kind(path, wanted); });
}

TEST(InputKind, SaysWhatAFileIsAndWhatToDo) {
  const TempFolder folder;
  const auto array = folder.write("v.npy", npy_header("<f4", 0, 1));
  const auto unnamed = folder.write("v", npy_header("<f4", 0, 1));
  const auto text = folder.write("e.tsv", "a\tb\t1\n");
  const auto vectors = folder.write("v.knd", section_file("vectors"));
  const auto index = folder.write("i.knd", section_file("hnsw"));
  const auto graph = folder.write("g.knd", section_file("graph"));
  const auto patterns = folder.write("p.knd", section_file("patterns"));
  EXPECT_EQ(message(array, InputKind::vectors),
            array + ": is an array of rows, not a store of vectors; use --vectors " + array);
  EXPECT_EQ(message(unnamed, InputKind::store),
            unnamed +
                ": is an array of rows, not a store of vectors; build one: kindred vectors "
                "build --vectors " +
                unnamed + " --out STORE");
  EXPECT_EQ(message(vectors, InputKind::rows),
            vectors + ": is a store of vectors, not an array of rows; use --store " + vectors);
  EXPECT_EQ(message(vectors, InputKind::index),
            vectors +
                ": is a store of vectors, not an index; build one: kindred index build "
                "--store " +
                vectors + " --out INDEX");
  EXPECT_EQ(message(array, InputKind::index),
            array +
                ": is an array of rows, not an index; build one: kindred index build "
                "--vectors " +
                array + " --out INDEX");
  EXPECT_EQ(message(index, InputKind::vectors),
            index +
                ": is an index (HNSW), not a store of vectors; it is for kindred index search "
                "--index " +
                index);
  EXPECT_EQ(message(text, InputKind::graph),
            text + ": is text, not a graph; build one: kindred graph build --edges " + text +
                " --out GRAPH");
  EXPECT_EQ(message(graph, InputKind::edges),
            graph + ": is a graph, not an edge list; it is for kindred spread --graph " + graph);
  EXPECT_EQ(message(text, InputKind::patterns),
            text +
                ": is text, not a store of patterns; build one: kindred patterns build "
                "--patterns " +
                text + " --out STORE");
  EXPECT_EQ(message(patterns, InputKind::queries),
            patterns +
                ": is a store of patterns, not an array of rows; write the queries to a "
                ".npy file");
}

TEST(InputKind, LeavesOtherFilesToTheirReaders) {
  const TempFolder folder;
  const auto array = folder.write("v.fvecs", "");
  const auto vectors = folder.write("v.knd", section_file("vectors"));
  for (const InputKind wanted : {InputKind::rows, InputKind::queries})
    EXPECT_NO_THROW(check_kind(array, wanted));
  for (const InputKind wanted : {InputKind::vectors, InputKind::store})
    EXPECT_NO_THROW(check_kind(vectors, wanted));
  EXPECT_NO_THROW(check_kind(folder.write("e", "a b\n"), InputKind::edges));
  for (const InputKind wanted : {InputKind::vectors, InputKind::index, InputKind::graph}) {
    EXPECT_NO_THROW(check_kind(folder.write("none", ""), wanted));
    EXPECT_NO_THROW(check_kind(folder.write("damaged", section_file("vectxrs")), wanted));
    EXPECT_NO_THROW(check_kind(folder.write("binary", "\x89\1\2\3"), wanted));
    EXPECT_NO_THROW(check_kind(folder / "missing", wanted));
    EXPECT_NO_THROW(check_kind(folder / ".", wanted));
  }
}

}  // namespace InputKindTest
