// SPDX-License-Identifier: Apache-2.0
#include "io/ForeignFormat.hpp"

#include "io/ShellText.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace Kindred::Tools {

namespace {

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

}  // namespace

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

}  // namespace Kindred::Tools
