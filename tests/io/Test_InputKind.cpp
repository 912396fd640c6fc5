// SPDX-License-Identifier: Apache-2.0
#include "ReaderSupport.hpp"
#include "io/InputKind.hpp"

namespace InputKindTest {

using namespace Kindred;
using namespace Testing::ReaderSupport;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::Not;
using ::testing::StartsWith;

/// The beginning of a file of Kindred with the kind \p kind.
std::string section_file(std::string kind) {
  kind.resize(16, '\0');
  return "\x89KND\r\n\x1a\n" + std::string(8, '\1') + kind + std::string(96, '\0');
}

std::string message(const std::string& path, InputKind wanted) {
  return message_of<InputError>([&] { check_kind(path, wanted); });
}

TEST(InputKind, SaysHowToConvertFilesOfOtherPrograms) {
  using namespace std::string_literals;
  const TempFolder folder;
  const auto parquet = folder.write("x.parquet", "PAR1\x15\x04\x15"s);
  for (const InputKind wanted : {InputKind::text, InputKind::edges, InputKind::graph}) {
    EXPECT_THAT(message(parquet, wanted),
                AllOf(StartsWith(parquet + " is a Parquet file, not "),
                      EndsWith("duckdb -c \"COPY '" + parquet + "' TO '" + parquet + ".csv'\"")));
  }
  for (const InputKind wanted : {InputKind::rows, InputKind::queries, InputKind::vectors})
    EXPECT_THAT(message(parquet, wanted), HasSubstr("numpy.save('" + parquet + ".npy', "));
  EXPECT_THAT(message(folder.write("a'b.parquet", "PAR1\x15\x04\x15"s), InputKind::text),
              EndsWith("duckdb -c \"COPY 'FILE' TO 'FILE.csv'\""));
  EXPECT_THAT(message(folder.write("a b", "\xFF\xFEn\0a\0"s), InputKind::text),
              EndsWith("iconv -f UTF-16 -t UTF-8 '" + (folder / "a b") + "'"));
  EXPECT_THAT(message(folder.write("a", "\xFF\xFE\0\0n\0\0\0"s), InputKind::text),
              EndsWith("is UTF-32 text, not UTF-8 text; convert it: iconv -f UTF-32 -t UTF-8 " +
                       (folder / "a")));
  const auto zip = [](const std::string& first) {
    return "PK\x03\x04\x14"s + std::string(25, '\0') + first;
  };
  const std::vector<std::pair<std::string, std::string>> formats{
      {"ARROW1\0\0"s, "an Arrow IPC file"},
      {"\xFF\xFF\xFF\xFF\x10\0"s, "an Arrow IPC stream"},
      {zip("[Content_Types].xml"), "an Office document (.xlsx)"},
      {zip("docProps/app.xml"), "an Office document (.xlsx)"},
      {zip("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), "an OpenDocument file"},
      {zip("a/data.pkl"), "a file of PyTorch"},
      {zip("arr_0.npy"), "an archive of arrays (.npz)"},
      {zip("names.csv"), "a ZIP archive"},
      {"\x80\x04\x95\x10"s, "a pickle of Python"},
      {"\x40\0\0\0\0\0\0\0{\"x\":"s, "a file of safetensors"},
      {"SQLite format 3\0"s, "an SQLite database"},
      {"%PDF-1.7\n", "a PDF document"},
      {"\xFF\xFEn\0a\0"s, "UTF-16 text"},
      {"\xFE\xFF\0n\0a"s, "UTF-16 text"},
      {"\xFF\xFE\0\0n\0\0\0"s, "UTF-32 text"},
      {"\0\0\xFE\xFF\0\0\0n"s, "UTF-32 text"},
      {"\xFD"s + "7zXZ\0"s, "compressed by xz"},
      {"BZh91AY&SY\x01"s, "compressed by bzip2"},
      {std::string(257, '\0') + "ustar", "an archive (tar)"}};
  for (const auto& [bytes, name] : formats) {
    const auto path = folder.write("x", bytes);
    const auto check = [&bytes = bytes](const std::string& named) {
      return message_of<InputError>([&] { check_text(named, bytes); });
    };
    for (const InputKind wanted : {InputKind::text, InputKind::rows})
      EXPECT_THAT(message(path, wanted), StartsWith(path + " is " + name + ", not ")) << name;
    EXPECT_EQ(check(path), message(path, InputKind::text));
    EXPECT_THAT(check("<stdin>"),
                AllOf(StartsWith("<stdin> is " + name), Not(HasSubstr("<stdin>'"))));
  }
  const auto vectors = folder.write("v.knd", section_file("vectors"));
  EXPECT_EQ(message_of<InputError>([&] { check_text(vectors, section_file("vectors")); }),
            vectors + " is a store of vectors, not UTF-8 text; it is for kindred search --store " +
                vectors);
}

TEST(InputKind, TakesTextThatBeginsLikeAnotherFormat) {
  const TempFolder folder;
  for (const char* text : {"", "P", "PAR1", "PAR1 Ltd\n", "ARROW1\n", "PK\n", "BZh91AY&SY\n",
                           "%PDF\n", "\xEF\xBB\xBFname\n", "{\"tokens\": []}\n"}) {
    EXPECT_NO_THROW(check_text("x", text)) << text;
    EXPECT_NO_THROW(check_kind(folder.write("x", text), InputKind::edges)) << text;
  }
}

TEST(InputKind, LeavesOtherFilesToTheirReaders) {
  const TempFolder folder;
  const auto array = folder.write("v.fvecs", "");
  const auto vectors = folder.write("v.knd", section_file("vectors"));
  for (const InputKind wanted : {InputKind::rows, InputKind::queries}) {
    EXPECT_NO_THROW(check_kind(array, wanted));
    // By their names, rows; the numbers may be any bytes.
    EXPECT_NO_THROW(check_kind(folder.write("v.fbin", "\x80\x04\x95"), wanted));
    EXPECT_NO_THROW(check_kind(folder.write("x.bin", "\xFF\xFE"), wanted, true));
    EXPECT_NO_THROW(check_kind(folder.write("rows", "\x89HDF\r\n\x1A\n"), wanted));
  }
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
