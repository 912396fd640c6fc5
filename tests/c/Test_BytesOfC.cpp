// SPDX-License-Identifier: Apache-2.0
// Files and bytes of objects: those of C++, which an object that is read from them has, too.
#include "CSupport.hpp"
#include "ValidHandles.hpp"

#include <Graph.hpp>
#include <Hnsw.hpp>
#include <Keys.hpp>
#include <Vector.hpp>

#include <kindred/matcher/HnswIndex.hpp>

#include <ChangedBytes.hpp>
#include <TempFolder.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace BytesOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// A kind of object with bytes.
struct Kind {
  const char* name;  ///< of its file
  const void* handle;
  std::vector<std::byte> expected;  ///< by C++
  /// Makes an object of bytes, or of the file of a path.
  std::function<kindred_status(const std::uint8_t* bytes, std::size_t size, void** made)> of_bytes;
  std::function<kindred_status(const char* path, void** made)> of_file;
};

/// \brief A kind whose functions are \p from_bytes and \p load, which get what is \p between
/// the bytes and the handle
template <class Handle, class FromBytes, class Load, class... Between>
Kind kind_of(const char* name, const Handle* handle, std::vector<std::byte> expected,
             const FromBytes& from_bytes, const Load& load, Between... between) {
  const auto as = [](void** made) { return reinterpret_cast<Handle**>(made); };
  return {
      name, handle, std::move(expected),
      [=](const std::uint8_t* bytes, std::size_t size, void** made) {
        return from_bytes(c_context(), bytes, size, between..., as(made));
      },
      [=](const char* path, void** made) { return load(c_context(), path, between..., as(made)); }};
}

std::vector<Kind> kinds() {
  return {kind_of("vectors", valid<kindred_index>(), C::index_of(valid<kindred_index>()).to_bytes(),
                  kindred_index_from_bytes, kindred_index_load, nullptr, 1),
          kind_of("hnsw", valid<kindred_hnsw>(), C::hnsw_of(valid<kindred_hnsw>()).to_bytes(),
                  kindred_hnsw_from_bytes, kindred_hnsw_load),
          kind_of("graph", valid<kindred_graph>(), C::graph_of(valid<kindred_graph>()).to_bytes(),
                  kindred_graph_from_bytes, kindred_graph_load, nullptr, 1),
          kind_of("vectors", valid<kindred_keyed_index>(),
                  C::keyed_index_of(valid<kindred_keyed_index>()).to_bytes(),
                  kindred_keyed_index_from_bytes, kindred_keyed_index_load, nullptr, 1)};
}

const std::uint8_t* data_of(const std::string& bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

TEST(CBytes, AreThoseOfCppAndOfFiles) {
  const TempFolder folder;
  const std::string path = folder / "object.knd";
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const std::string bytes = bytes_of(kind.handle);
    EXPECT_EQ(bytes, text_of(kind.expected));
    ok(kindred_save(kind.handle, path.c_str()));
    EXPECT_EQ(bytes, read_all(path));
    EXPECT_EQ(view_of(result_of(kindred_file_kind, path.c_str())), kind.name);
    void* of_bytes = nullptr;
    std::string borrowed = bytes;  // the object copies them
    ok(kind.of_bytes(data_of(borrowed), borrowed.size(), &of_bytes));
    borrowed.assign(borrowed.size(), '\0');
    void* of_file = nullptr;
    ok(kind.of_file(path.c_str(), &of_file));
    for (void* const copy : {of_bytes, of_file}) {
      EXPECT_EQ(bytes_of(copy), bytes);
      ok(kindred_destroy(copy));
    }
  }
  for (const std::string& other : {folder.write("text", "no file of this project"),
                                   folder.write("empty", ""), folder / "absent"})
    EXPECT_EQ(view_of(result_of(kindred_file_kind, other.c_str())), "");
}

TEST(CBytes, ThatAreDamagedAreRefused) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    void* none = nullptr;
    const auto refused = [&](const std::vector<std::byte>& damaged) {
      const std::string text = text_of(damaged);
      expect_refused(kind.of_bytes(data_of(text), text.size(), &none), "the buffer",
                     KINDRED_CORRUPT);
    };
    for_each_beginning(kind.expected, refused);
    for_each_flipped_bit(kind.expected, 13, refused);
    expect_refused(kind.of_bytes(nullptr, 0, &none), "", KINDRED_CORRUPT);
    expect_refused(kind.of_bytes(nullptr, 1, &none));
    EXPECT_EQ(none, nullptr);
  }
}

TEST(CBytes, OfAnotherKindAreRefused) {
  const std::vector<Kind> all = kinds();
  for (const Kind& kind : all)
    for (const Kind& other : all) {
      if (kind.name == std::string(other.name)) continue;
      void* none = nullptr;
      expect_refused(kind.of_bytes(data_of(text_of(other.expected)), other.expected.size(), &none),
                     "", KINDRED_CORRUPT);
      EXPECT_EQ(none, nullptr);
    }
  // Rows with keys are also those of an index without keys, but not the other way round.
  const std::string keyed = bytes_of(valid<kindred_keyed_index>());
  const std::string plain = bytes_of(
      result_of(kindred_index_from_bytes, c_context(), data_of(keyed), keyed.size(), nullptr, 1));
  kindred_keyed_index* none = nullptr;
  expect_refused(
      kindred_keyed_index_from_bytes(c_context(), data_of(plain), plain.size(), nullptr, 1, &none));
  EXPECT_EQ(none, nullptr);
}

}  // namespace BytesOfCTest
