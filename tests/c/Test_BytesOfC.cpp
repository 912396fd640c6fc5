// SPDX-License-Identifier: Apache-2.0
// Files and bytes of objects: those of C++, which an object that is read from them has, too.
#include "MemorySupport.hpp"
#include "ValidHandles.hpp"

#include <Graph.hpp>
#include <Hnsw.hpp>
#include <Keys.hpp>
#include <Patterns.hpp>
#include <Vector.hpp>
#include <Vocabulary.hpp>

#include <kindred/matcher/HnswIndex.hpp>

#include <MutatedBytes.hpp>
#include <Properties.hpp>
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
  std::function<void(const void* made)> use;  ///< makes calls that read all of it
};

/// \brief A kind whose functions are \p from_bytes and \p load, which get what is \p between
/// the bytes and the handle. \param use reads all of an object
template <class Handle, class FromBytes, class Load, class Use, class... Between>
Kind kind_of(const char* name, const Handle* handle, std::vector<std::byte> expected,
             const FromBytes& from_bytes, const Load& load, const Use& use, Between... between) {
  const auto as = [](void** made) { return reinterpret_cast<Handle**>(made); };
  return {
      name,
      handle,
      std::move(expected),
      [=](const std::uint8_t* bytes, std::size_t size, void** made) {
        return from_bytes(c_context(), bytes, size, between..., as(made));
      },
      [=](const char* path, void** made) { return load(c_context(), path, between..., as(made)); },
      [=](const void* made) { use(static_cast<const Handle*>(made)); }};
}

/// A call of the C interface without a context, as one with a context.
template <class Call>
auto without_context(Call call) {
  return [=](kindred_context*, auto... arguments) { return call(arguments...); };
}

std::vector<Kind> kinds() {
  static const Memory patterns("CBytes memory");
  static const GraphRows edges("CBytes graph", 20, 5);
  static const auto vocabulary = result_of(kindred_memory_vocabulary, patterns.memory);
  static const auto graph = result_of(kindred_graph_create, c_context(), 20, edges.edges.data(),
                                      edges.edges.size(), nullptr, nullptr, nullptr, nullptr);
  const auto query = [](std::uint64_t dimension) { return Floats(1, dimension, 0.5F); };
  return {kind_of(
              "vectors", valid<kindred_index>(), C::index_of(valid<kindred_index>()).to_bytes(),
              kindred_index_from_bytes, kindred_index_load,
              [=](const kindred_index* made) {
                Floats one = query(statistics_of<kindred_index_statistics>(made).dimension);
                Ranked best(1, 10);
                ok(kindred_index_search(made, &one, nullptr, &best.scores, &best.ids, nullptr,
                                        nullptr));
              },
              nullptr, 1),
          kind_of("hnsw", valid<kindred_hnsw>(), C::hnsw_of(valid<kindred_hnsw>()).to_bytes(),
                  kindred_hnsw_from_bytes, kindred_hnsw_load,
                  [=](const kindred_hnsw* made) {
                    Floats one = query(statistics_of<kindred_hnsw_statistics>(made).dimension);
                    Ranked best(1, 10);
                    ok(kindred_hnsw_search(made, &one, nullptr, &best.scores, &best.ids, nullptr,
                                           nullptr, nullptr));
                  }),
          kind_of(
              "graph", +graph, C::graph_of(graph).to_bytes(), kindred_graph_from_bytes,
              kindred_graph_load,
              [](const kindred_graph* made) {
                const auto nodes = statistics_of<kindred_graph_statistics>(made).nodes;
                Floats x(nodes, 1, 1), y(nodes, 1);
                ok(kindred_graph_hop(made, &x, &y, nullptr, nullptr));
              },
              nullptr, 1),
          kind_of(
              "vectors", valid<kindred_keyed_index>(),
              C::keyed_index_of(valid<kindred_keyed_index>()).to_bytes(),
              kindred_keyed_index_from_bytes, kindred_keyed_index_load,
              [=](const kindred_keyed_index* made) {
                Floats one = query(statistics_of<kindred_keyed_index_statistics>(made).dimension);
                result_of(kindred_keyed_index_search, made, &one, nullptr);
              },
              nullptr, 1),
          kind_of("vocabulary", +vocabulary, C::vocabulary_of(+vocabulary).to_bytes(),
                  without_context(kindred_vocabulary_from_bytes),
                  without_context(kindred_vocabulary_load),
                  [](const kindred_vocabulary* made) {
                    const auto symbols = statistics_of<kindred_vocabulary_statistics>(made).symbols;
                    for (std::uint32_t symbol = 0; symbol < symbols; ++symbol) {
                      const kindred_text text =
                          result_of(kindred_vocabulary_decode, made, &symbol, 1);
                      EXPECT_EQ(result_of(kindred_vocabulary_find, made, &text, 1), symbol);
                    }
                  }),
          kind_of(
              "patterns", +patterns.memory, patterns.inside().to_bytes(), kindred_memory_from_bytes,
              kindred_memory_load,
              [](const kindred_memory* made) {
                result_of(kindred_memory_predict, made, patterns.texts.data(),
                          patterns.events.data(), 2, -1, nullptr, nullptr);
              },
              nullptr)};
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

TEST(CBytes, ThatAreMutatedAreRefusedOrGiveAnObjectThatWorks) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const auto files = use_mutated(
        std::string("CBytes.") + kind.name, bytes_of(kind.handle),
        [&](const std::string& path) {
          void* of_file = nullptr;
          void* of_bytes = nullptr;
          const kindred_status status = kind.of_file(path.c_str(), &of_file);
          const std::string message = kindred_last_error();
          const std::string bytes = read_all(path);
          EXPECT_EQ(kind.of_bytes(data_of(bytes), bytes.size(), &of_bytes), status);
          if (status == KINDRED_CORRUPT || status == KINDRED_INVALID)
            throw InvalidArgument(message);
          ok(status);
          EXPECT_EQ(bytes_of(of_file), bytes_of(of_bytes));
          for (void* const made : {of_file, of_bytes}) {
            kind.use(made);
            ok(kindred_destroy(made));
          }
        },
        5 * std::stoi(property_cases()));
    EXPECT_GT(files.used, files.refused / 100);
    EXPECT_GT(files.refused, files.used);
  }
}

TEST(CBytes, OfAnotherKindAreRefused) {
  const std::vector<Kind> all = kinds();
  for (const Kind& kind : all) {
    void* none = nullptr;
    for (const Kind& other : all) {
      if (kind.name == std::string(other.name)) continue;
      expect_refused(kind.of_bytes(data_of(text_of(other.expected)), other.expected.size(), &none),
                     "", KINDRED_CORRUPT);
    }
    expect_refused(kind.of_bytes(nullptr, 0, &none), "", KINDRED_CORRUPT);
    expect_refused(kind.of_bytes(nullptr, 1, &none));
    EXPECT_EQ(none, nullptr);
  }
  // Rows with keys are also those of an index without keys, but not the other way round.
  const std::string keyed = bytes_of(valid<kindred_keyed_index>());
  const std::string plain = bytes_of(
      result_of(kindred_index_from_bytes, c_context(), data_of(keyed), keyed.size(), nullptr, 1));
  expect_no_result("", kindred_keyed_index_from_bytes, c_context(), data_of(plain), plain.size(),
                   nullptr, 1);
}

}  // namespace BytesOfCTest
