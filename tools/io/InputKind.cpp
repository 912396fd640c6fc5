// SPDX-License-Identifier: Apache-2.0
#include "io/InputKind.hpp"

#include "io/ShellText.hpp"
#include "program/Errors.hpp"

#include <kindred/matcher/SectionFileKind.hpp>
#include <kindred/matcher/VectorFile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace Kindred::Tools {

namespace {

/// \brief A format that commands for text do not read, and what to do with such a file. `FILE`
/// stands for its path.
struct ForeignFormat {
  std::string_view name;     ///< with its article
  std::string_view to_text;  ///< where text is expected
  std::string_view to_rows;  ///< where rows of numbers are expected; empty: can be read
};

using namespace std::string_view_literals;

struct Signature {
  ForeignFormat format;
  std::string_view bytes;
  std::size_t offset = 0;      ///< of the bytes
  std::string_view part = {};  ///< follows somewhere in the beginning
};

/// With the same advice for text and rows.
constexpr ForeignFormat both(std::string_view name, std::string_view advice) {
  return {name, advice, advice};
}

constexpr std::string_view save_sheet = "save the sheet as CSV (UTF-8)";
constexpr std::string_view save_pickle =
    "save its text as CSV, or its array by numpy.save('FILE.npy', …)";
constexpr ForeignFormat sheet = both("an Office document (.xlsx)", save_sheet);
constexpr ForeignFormat pickle = both("a pickle of Python", save_pickle);
constexpr ForeignFormat utf16 = both("UTF-16 text", "convert it: iconv -f UTF-16 -t UTF-8 FILE");
constexpr ForeignFormat utf32 = both("UTF-32 text", "convert it: iconv -f UTF-32 -t UTF-8 FILE");

// The first that agrees. Bytes that are all printable could begin a text: \see foreign_format
constexpr std::array<Signature, 29> signatures{{
    {{"a Parquet file", "convert it: duckdb -c \"COPY 'FILE' TO 'FILE.csv'\"",
      "convert it: python3 -c \"import numpy, pandas; numpy.save('FILE.npy', "
      "pandas.read_parquet('FILE').to_numpy('float32'))\""},
     "PAR1"},
    {{"an Arrow IPC file",
      "convert it: python3 -c \"import pandas; pandas.read_feather('FILE').to_csv('FILE.csv', "
      "index=False)\"",
      "convert it: python3 -c \"import numpy, pandas; numpy.save('FILE.npy', "
      "pandas.read_feather('FILE').to_numpy('float32'))\""},
     "ARROW1"},
    {{"an Arrow IPC stream",
      "convert it: python3 -c \"import pyarrow.ipc; "
      "pyarrow.ipc.open_stream('FILE').read_pandas().to_csv('FILE.csv', index=False)\"",
      "convert it: python3 -c \"import numpy, pyarrow.ipc; numpy.save('FILE.npy', "
      "pyarrow.ipc.open_stream('FILE').read_pandas().to_numpy('float32'))\""},
     "\xFF\xFF\xFF\xFF"},
    {sheet, "PK\x03\x04", 0, "[Content_Types].xml"},
    {sheet, "PK\x03\x04", 0, "xl/"},
    {sheet, "PK\x03\x04", 0, "docProps/"},
    {both("an OpenDocument file", save_sheet), "PK\x03\x04", 0, "vnd.oasis.opendocument"},
    {{"a file of PyTorch", save_pickle,
      "convert it: python3 -c \"import numpy, torch; numpy.save('FILE.npy', "
      "torch.load('FILE', 'cpu').numpy())\""},
     "PK\x03\x04",
     0,
     "data.pkl"},
    {{"an archive of arrays (.npz)", "it holds arrays of NumPy, not text",
      "convert one of its arrays: python3 -c \"import numpy; a = numpy.load('FILE'); "
      "numpy.save('FILE.npy', a[a.files[0]])\""},
     "PK\x03\x04",
     0,
     ".npy"},
    {both("a ZIP archive", "unpack it: unzip FILE"), "PK\x03\x04"},
    {both("an Excel file (.xls)", save_sheet), "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"},
    {{"an array of NumPy", "it is for kindred search --vectors FILE", ""}, "\x93NUMPY"},
    {{"an HDF5 file", "it is for kindred search --vectors FILE --format hdf5", ""},
     "\x89HDF\r\n\x1A\n"},
    {pickle, "\x80\x05\x95"},
    {pickle, "\x80\x04\x95"},
    {pickle,
     "\x80\x03"
     "c"},
    {pickle,
     "\x80\x02"
     "c"},
    {{"a file of safetensors", "it holds arrays, not text",
      "convert one of its arrays: python3 -c \"import numpy, safetensors.numpy; a = "
      "safetensors.numpy.load_file('FILE'); numpy.save('FILE.npy', next(iter(a.values())))\""},
     "\0\0\0\0{\""sv,
     4},
    {both("an SQLite database", "export a table: sqlite3 -csv -header FILE 'SELECT * FROM …'"),
     "SQLite format 3\0"sv},
    {both("a PDF document", "extract its text: pdftotext -layout FILE"), "%PDF-"},
    {utf32, "\xFF\xFE\0\0"sv},  // begins like UTF-16
    {utf32, "\0\0\xFE\xFF"sv},
    {utf16, "\xFF\xFE"},
    {utf16, "\xFE\xFF"},
    {both("compressed by xz", "compress it by gzip or zstd: xz -dc FILE | gzip > FILE.gz"),
     "\xFD"
     "7zXZ\0"sv},
    {both("compressed by bzip2", "compress it by gzip or zstd: bzip2 -dc FILE | gzip > FILE.gz"),
     "1AY&SY", 4},
    {both("compressed by lz4", "compress it by gzip or zstd: lz4 -dc FILE | gzip > FILE.gz"),
     "\x04\x22\x4D\x18"},
    {both("an archive (7z)", "unpack it: 7z x FILE"), "7z\xBC\xAF\x27\x1C"},
    {both("an archive (tar)", "unpack it: tar -xf FILE"), "ustar", 257},
}};

bool is_control(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f';
}

bool agrees(const Signature& signature, std::string_view begin) noexcept {
  if (begin.size() < signature.offset + signature.bytes.size()) return false;
  if (begin.substr(signature.offset, signature.bytes.size()) != signature.bytes) return false;
  return begin.find(signature.part, signature.offset + signature.bytes.size()) != begin.npos;
}

/// The format of data that begins with \p begin, if it is a known one; otherwise null. \param begin
/// the first 512 bytes, or all of them
const ForeignFormat* foreign_format(std::string_view begin) noexcept {
  begin = begin.substr(0, 512);
  const bool is_text = std::none_of(begin.begin(), begin.end(), is_control);
  for (const Signature& signature : signatures) {
    if (!agrees(signature, begin)) continue;
    const bool is_printable = std::all_of(signature.bytes.begin(), signature.bytes.end(),
                                          [](char c) { return c >= 0x20 && c < 0x7F; });
    if (is_text && is_printable && signature.bytes != "%PDF-") continue;  // such as a name
    return &signature.format;
  }
  return nullptr;
}

/// \p advice for the file \p path. In quoted code, `FILE` is left if the path has characters that
/// may have a meaning there.
std::string advice_for(std::string_view advice, const std::string& path) {
  constexpr std::string_view place = "FILE";
  const bool is_plain = std::all_of(path.begin(), path.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '/' || c == '-';
  });
  const std::string in_code = is_plain ? path : std::string(place);
  const std::string argument = shell_text({path});
  std::string out;
  char quote = '\0';  // begins the code that is being copied
  while (!advice.empty()) {
    if (advice.starts_with(place)) {
      out += quote == '\0' ? argument : in_code;
      advice.remove_prefix(place.size());
      continue;
    }
    const char c = advice.front();
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    }
    out += c;
    advice.remove_prefix(1);
  }
  return out;
}

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
