// SPDX-License-Identifier: Apache-2.0
#include "io/InputKind.hpp"

#include "io/ForeignFormat.hpp"
#include "io/ShellText.hpp"
#include "program/Errors.hpp"

#include <kindred/matcher/SectionFileKind.hpp>
#include <kindred/matcher/VectorFile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace Kindred::Tools {

namespace {

constexpr std::string_view array_kind = "array";
constexpr std::string_view text_kind = "text";

/// The first 512 bytes of a file.
std::string beginning_of(const std::string& path) {
  std::string bytes(512, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

/// `array`, `text` or an empty text, for a file of other programs that begins with \p begin.
std::string_view foreign_kind(const std::string& path, std::string_view begin) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (begin.starts_with("\x93NUMPY")) return array_kind;
  if (extension == ".h5" ||
      (extension.size() > 1 && from_string<VectorFormat>(extension.substr(1))))
    return array_kind;
  const bool is_text = !begin.empty() && std::all_of(begin.begin(), begin.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r';
  });
  return is_text && begin.front() != '\x89' ? text_kind : std::string_view();
}

struct Expected {
  std::string_view name;
  std::string_view stated;  ///< the kind that files of Kindred state; empty for other files
};
constexpr std::array<Expected, 9> expectations{{{"an array of rows", ""},
                                                {"an array of rows", ""},
                                                {"UTF-8 text", ""},
                                                {"an edge list", ""},
                                                {"a store of vectors", "vectors"},
                                                {"a store of vectors", "vectors"},
                                                {"an index", "hnsw"},
                                                {"a graph", "graph"},
                                                {"a store of patterns", "patterns"}}};
constexpr const Expected& expected(InputKind wanted) {
  return expectations[static_cast<std::size_t>(wanted)];
}

struct Kind {
  std::string_view stated;
  std::string_view name;
  std::string_view use;  ///< command that takes such a file, whose path follows
};
constexpr std::array<Kind, 6> kinds{{{"vectors", "a store of vectors", "kindred search --store "},
                                     {"hnsw", "an index (HNSW)", "kindred index search --index "},
                                     {"graph", "a graph", "kindred spread --graph "},
                                     {"patterns", "a store of patterns", "kindred match --store "},
                                     {array_kind, "an array of rows", "kindred search --vectors "},
                                     {text_kind, "text", ""}}};

/// What to do with a file of the kind \p actual where \p wanted is expected.
std::string fix_of(const Kind& actual, InputKind wanted, const std::string& path) {
  const bool is_array = actual.stated == array_kind;
  if (wanted == InputKind::rows && actual.stated == "vectors")
    return fmt::format("use --store {}", path);
  if (wanted == InputKind::vectors && is_array) return fmt::format("use --vectors {}", path);
  if (wanted == InputKind::store && is_array)
    return fmt::format("build one: kindred vectors build --vectors {} --out STORE", path);
  if (wanted == InputKind::index && (is_array || actual.stated == "vectors")) {
    return fmt::format("build one: kindred index build --{} {} --out INDEX",
                       is_array ? "vectors" : "store", path);
  }
  if (wanted == InputKind::graph && actual.stated == text_kind)
    return fmt::format("build one: kindred graph build --edges {} --out GRAPH", path);
  if (wanted == InputKind::patterns && actual.stated == text_kind)
    return fmt::format("build one: kindred patterns build --patterns {} --out STORE", path);
  if (wanted == InputKind::queries) return "write the queries to a .npy file";
  if (actual.use.empty()) return fmt::format("name a file that contains {}", expected(wanted).name);
  return fmt::format("it is for {}{}", actual.use, path);
}

/// \throws InputError if data that begins with \p begin is in a format of other programs that is
/// not read where \p wanted is expected
void check_foreign(const std::string& name, std::string_view begin, InputKind wanted) {
  const ForeignFormat* const format = foreign_format(begin);
  if (format == nullptr) return;
  const bool to_text = wanted == InputKind::edges || wanted == InputKind::text ||
                       wanted == InputKind::graph || wanted == InputKind::patterns;
  const std::string_view advice = to_text ? format->to_text : format->to_rows;
  if (advice.empty()) return;
  throw InputError(fmt::format("{} is {}, not {}; {}", name, format->name, expected(wanted).name,
                               advice_for(advice, name.starts_with('<') ? "FILE" : name)));
}

}  // namespace

void check_kind(const std::string& path, InputKind wanted, bool has_format) {
  std::error_code unknown;  // a file that is not there is reported by its reader
  if (!std::filesystem::is_regular_file(path, unknown)) return;
  const std::string stated = section_file_kind(path).value_or("");
  const std::string begin = stated.empty() ? beginning_of(path) : std::string();
  const std::string_view is = stated.empty() ? foreign_kind(path, begin) : std::string_view(stated);
  const bool wants_rows = wanted == InputKind::rows || wanted == InputKind::queries;
  const bool wants_text = wanted == InputKind::edges || wanted == InputKind::text;
  if (is != array_kind && !has_format) check_foreign(path, begin, wanted);
  if (is == expected(wanted).stated || (wants_rows && stated.empty()) ||
      (wants_text && is == text_kind))
    return;
  for (const Kind& kind : kinds) {
    if (kind.stated != is) continue;
    throw InputError(fmt::format("{} is {}, not {}; {}", path, kind.name, expected(wanted).name,
                                 fix_of(kind, wanted, shell_text({path}))));
  }
}

void check_text(const std::string& name, std::string_view begin) {
  check_foreign(name, begin, InputKind::text);
  if (begin.starts_with("\x89KND")) check_kind(name, InputKind::text);
}

}  // namespace Kindred::Tools
