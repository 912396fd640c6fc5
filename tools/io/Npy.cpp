// SPDX-License-Identifier: Apache-2.0
#include "io/Npy.hpp"

#include "io/InputError.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace Kindred::Tools {

static_assert(std::endian::native == std::endian::little, "the readers copy little-endian files");

namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// Product of \p shape, or nothing if it has more than 64 bits.
std::optional<std::uint64_t> count_of(const std::vector<std::uint64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t length : shape) {
    if (__builtin_mul_overflow(count, length, &count)) return {};
  }
  return count;
}

std::string shown(const std::vector<std::uint64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

/// A .npy file that is open, its header read and checked.
class NpyFile {
 public:
  explicit NpyFile(const std::string& path) : m_path(path) {
    m_file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (m_file < 0) throw InputError(fmt::format("{}: {}", path, std::strerror(errno)));
    struct stat status {};
    if (::fstat(m_file, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(m_file);
      throw InputError(path + ": a .npy file must be a regular file");
    }
    m_size = static_cast<std::uint64_t>(status.st_size);
    try {
      read_header();
    } catch (...) {
      ::close(m_file);
      throw;
    }
  }
  ~NpyFile() { ::close(m_file); }
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;

  const NpyHeader& header() const noexcept { return m_header; }

  [[noreturn]] void fail(std::uint64_t offset, const std::string& why) const {
    throw InputError(fmt::format("{}: at byte {}: {}", m_path, offset, why));
  }

  /// Checks that the data are whole and the file ends there.
  void check_size(std::uint64_t item_bytes) const {
    const auto count = count_of(m_header.shape);
    std::uint64_t wanted = 0;
    if (!count || __builtin_mul_overflow(*count, item_bytes, &wanted))
      fail(10, fmt::format("shape {} has more bytes than a file can", shown(m_header.shape)));
    const std::uint64_t found = m_size - m_header.offset;
    if (found != wanted) {
      fail(std::min(m_size, m_header.offset + wanted),
           fmt::format(
               "{} bytes of data follow the header, shape {} of '{}' needs {}: the file is {}",
               found, shown(m_header.shape), m_header.descr, wanted,
               found < wanted ? "cut" : "too long"));
    }
  }

  void read(void* out, std::uint64_t bytes, const ReadProgress& progress = {}) {
    constexpr std::uint64_t piece = 1U << 26U;
    auto* next = static_cast<char*>(out);
    std::uint64_t done = 0;
    while (done < bytes) {
      const ssize_t count = ::read(m_file, next + done, std::min(piece, bytes - done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(m_offset, fmt::format("cannot be read: {}", std::strerror(errno)));
      if (count == 0) fail(m_offset, "the file ends here");
      done += static_cast<std::uint64_t>(count);
      m_offset += static_cast<std::uint64_t>(count);
      if (progress) progress(m_offset, m_size);
    }
  }

 private:
  void read_header() {
    std::array<unsigned char, 12> start{};
    if (m_size < 10) {
      fail(m_size,
           fmt::format("the file has {} bytes, the header of a .npy file has at least 10", m_size));
    }
    read(start.data(), 10);
    if (std::memcmp(start.data(), magic.data(), magic.size()) != 0)
      fail(0, "no .npy file: it does not begin with \\x93NUMPY");
    const unsigned major = start[6];
    if (major < 1 || major > 3)
      fail(6, fmt::format("format version {}.{}; versions 1 to 3 can be read", major, start[7]));
    std::uint64_t length = start[8] | start[9] << 8U;
    if (major > 1) {
      if (m_size < 12) fail(m_size, "the file ends in the header");
      read(start.data() + 10, 2);
      length |= std::uint64_t{start[10]} << 16U | std::uint64_t{start[11]} << 24U;
    }
    // A header of NumPy's is 118 bytes; the limit is NumPy's own against hostile ones.
    constexpr std::uint64_t length_max = 10000;
    if (length > m_size - m_offset) {
      fail(8, fmt::format("the header says it has {} bytes, the file has {} more", length,
                          m_size - m_offset));
    }
    if (length > length_max)
      fail(8, fmt::format("a header of {} bytes; at most {} are read", length, length_max));
    const std::uint64_t begin = m_offset;
    std::string text(length, '\0');
    read(text.data(), length);
    try {
      m_header = parse_npy_header(text, m_offset);
    } catch (const RecordError& error) {
      fail(begin, error.what());
    }
  }

  std::string m_path;
  int m_file = -1;
  std::uint64_t m_size = 0;
  std::uint64_t m_offset = 0;
  NpyHeader m_header;
};

/// The grammar of a header: a Python dictionary of three entries.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : m_text(text) {}

  NpyHeader parse() {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::uint64_t>> shape;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !descr) {
        if (peek() == '[') fail("the dtype has fields; '<f4' is wanted");
        descr = string();
      } else if (key == "fortran_order" && !fortran_order) {
        fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = tuple();
      } else {
        fail(fmt::format("the key {} stands twice or is none of a .npy file's", in_quotes(key)));
      }
      if (!accept(',') && peek() != '}') fail("a comma or } is missing");
    }
    if (!descr || !fortran_order || !shape) fail("needs the keys descr, fortran_order and shape");
    skip_space();
    if (!m_text.empty()) fail("text follows the dictionary");
    return {*descr, *fortran_order, *shape, 0};
  }

 private:
  [[noreturn]] static void fail(const std::string& why) {
    throw RecordError("the header is no .npy header: " + why);
  }
  void skip_space() {
    const auto begin = m_text.find_first_not_of(" \t\n\r");
    m_text.remove_prefix(std::min(begin, m_text.size()));
  }
  char peek() {
    skip_space();
    return m_text.empty() ? '\0' : m_text.front();
  }
  bool accept(char c) {
    if (peek() != c) return false;
    m_text.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("{} is missing at {}", c, in_quotes(m_text)));
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      fail(fmt::format("a string is missing at {}", in_quotes(m_text)));
    const auto end = m_text.find(quote, 1);
    if (end == m_text.npos) fail("a string has no end");
    std::string out(m_text.substr(1, end - 1));
    m_text.remove_prefix(end + 1);
    return out;
  }
  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view name = value ? "True" : "False";
      if (!m_text.starts_with(name)) continue;
      m_text.remove_prefix(name.size());
      return value;
    }
    fail(fmt::format("True or False is missing at {}", in_quotes(m_text)));
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> out;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::uint64_t length = 0;
      const auto result = std::from_chars(m_text.data(), m_text.data() + m_text.size(), length);
      if (result.ec != std::errc())
        fail(fmt::format("a length is missing or too large at {}", in_quotes(m_text)));
      m_text.remove_prefix(static_cast<std::size_t>(result.ptr - m_text.data()));
      out.push_back(length);
      if (!accept(',') && peek() != ')') fail("a comma or ) is missing in the shape");
    }
    return out;
  }

  std::string_view m_text;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, std::uint64_t offset) {
  NpyHeader header = HeaderParser(text).parse();
  header.offset = offset;
  return header;
}

Matrix read_npy_matrix(const std::string& path, bool one_row_as_matrix,
                       const ReadProgress& progress) {
  NpyFile file(path);
  const NpyHeader& header = file.header();
  if (header.descr != "<f4") {
    const char* const hint =
        header.descr == "|O" ? "rows of different lengths make no matrix; " : "";
    file.fail(10, fmt::format("dtype {}; {}'<f4' is wanted: numpy.save(file, x.astype('<f4'))",
                              in_quotes(header.descr), hint));
  }
  const std::size_t dimensions = header.shape.size();
  if (dimensions != 2 && !(dimensions == 1 && one_row_as_matrix)) {
    file.fail(10, fmt::format("shape {} has {} dimensions; {} wanted", shown(header.shape),
                              dimensions, one_row_as_matrix ? "1 or 2 are" : "2 are"));
  }
  if (header.fortran_order)
    file.fail(10, "Fortran order; C order is wanted: numpy.save(file, numpy.ascontiguousarray(x))");
  file.check_size(sizeof(float));
  Matrix matrix;
  matrix.rows = dimensions == 2 ? header.shape[0] : 1;
  matrix.columns = header.shape.back();
  if (matrix.columns == 0)
    file.fail(10, fmt::format("shape {} has rows of length 0", shown(header.shape)));
  const std::size_t count = matrix.rows * matrix.columns;
  matrix.values = std::make_unique_for_overwrite<float[]>(count);
  file.read(matrix.values.get(), count * sizeof(float), progress);
  return matrix;
}

std::vector<std::uint8_t> read_npy_mask(const std::string& path) {
  NpyFile file(path);
  const NpyHeader& header = file.header();
  if (header.descr != "|b1" && header.descr != "|u1")
    file.fail(10, fmt::format("dtype {}; bool or uint8 is wanted", in_quotes(header.descr)));
  if (header.shape.size() != 1) {
    file.fail(10, fmt::format("shape {} has {} dimensions; 1 is wanted", shown(header.shape),
                              header.shape.size()));
  }
  file.check_size(1);
  std::vector<std::uint8_t> mask(header.shape[0]);
  file.read(mask.data(), mask.size());
  return mask;
}

std::string npy_header(const std::string& descr, std::size_t rows, std::size_t columns) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                                 descr, rows, columns);
  constexpr std::size_t prefix = 10;
  constexpr std::size_t alignment = 64;
  text.append(alignment - 1 - (prefix + text.size()) % alignment, ' ').append(1, '\n');
  std::string out(magic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(text.size() & 0xFFU);
  out += static_cast<char>(text.size() >> 8U);
  return out + text;
}

}  // namespace Kindred::Tools
