// SPDX-License-Identifier: Apache-2.0
#include "wordnet/WordNet.hpp"

#include "program/Errors.hpp"

#include <fmt/format.h>

#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <tuple>

namespace Kindred::Tools {
namespace {

constexpr std::array<PointerKind, 26> kinds{{
    {"@", "is a kind of", 0.6F},
    {"@i", "is an instance of", 0.6F},
    {"~", "has the kind", 0.5F},
    {"~i", "has the instance", 0.5F},
    {"&", "is similar to", 0.6F},
    {"=", "is valued by", 0.4F},
    {"+", "shares its root with", 0.4F},
    {"\\", "derives from", 0.4F},
    {"#m", "is a member of", 0.4F},
    {"#s", "is the substance of", 0.4F},
    {"#p", "is a part of", 0.4F},
    {"%m", "has the member", 0.4F},
    {"%s", "has the substance", 0.4F},
    {"%p", "has the part", 0.4F},
    {"*", "entails", 0.5F},
    {">", "causes", 0.5F},
    {"$", "is grouped with", 0.5F},
    {"^", "see also", 0.3F},
    {"<", "is a participle of", 0.3F},
    {"!", "is the opposite of", 0.2F},
    {";c", "belongs to the topic", 0.2F},
    {"-c", "is the topic of", 0.1F},
    {";r", "belongs to the region", 0.1F},
    {"-r", "is the region of", 0.1F},
    {";u", "is used as", 0.1F},
    {"-u", "is the usage of", 0.1F},
}};

constexpr std::array<const char*, 4> file_names{"data.noun", "data.verb", "data.adj", "data.adv"};

/// Index of the file that contains synsets of \p type; empty for an unknown type.
std::optional<std::size_t> file_of(char type) {
  constexpr std::string_view types = "nvasr";
  constexpr std::array<std::size_t, 5> files{0, 1, 2, 2, 3};
  const auto at = types.find(type);
  return at == types.npos ? std::nullopt : std::optional(files[at]);
}

std::optional<std::uint32_t> number(std::string_view text, std::uint32_t base) {
  std::uint32_t value = 0;
  for (const char c : text) {
    std::uint32_t digit = 99;
    if (c >= '0' && c <= '9') digit = static_cast<std::uint32_t>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<std::uint32_t>(c - 'a') + 10;
    if (digit >= base) return {};
    value = value * base + digit;
  }
  return value;
}

/// A pointer whose target has not been resolved to an index yet.
struct RawPointer {
  Pointer pointer;
  std::size_t file = 0;  ///< file of the target
  std::uint32_t offset = 0;
  std::size_t source_file = 0;
  std::uint64_t line = 0;
};

/// Parses one line of a data file field by field.
class Record {
 public:
  Record(const std::string& path, std::uint64_t line, std::string_view text)
      : m_path(path), m_line(line), m_rest(text) {}

  [[noreturn]] void fail(const std::string& why) const { throw CorruptText(m_path, m_line, why); }

  std::string_view field(const char* what) {
    const std::size_t end = m_rest.find(' ');
    if (end == std::string_view::npos || end == 0) {
      fail(std::string(what) + " is missing: fields are parted by one space");
    }
    const std::string_view value = m_rest.substr(0, end);
    m_rest.remove_prefix(end + 1);
    return value;
  }
  /// Parses a number of exactly \p digits digits (at most 8, so that it fits).
  std::uint32_t number_field(const char* what, std::size_t digits, std::uint32_t base) {
    const std::string_view text = field(what);
    const auto value = number(text, base);
    if (!value || text.size() != digits) {
      fail(fmt::format("{} is \"{}\", not {} {} digits", what, text.substr(0, 40), digits,
                       base == 16 ? "hexadecimal" : "decimal"));
    }
    return *value;
  }
  std::string_view rest() const noexcept { return m_rest; }

 private:
  const std::string& m_path;
  std::uint64_t m_line;
  std::string_view m_rest;
};

std::string shown_word(std::string_view word) {
  if (word.ends_with(')')) {  // syntactic marker of an adjective: galore(ip)
    const std::size_t open = word.rfind('(');
    if (open != std::string_view::npos && open > 0) word = word.substr(0, open);
  }
  std::string shown(word);
  std::replace(shown.begin(), shown.end(), '_', ' ');
  return shown;
}

void read_pointers(Record& record, std::size_t file, std::uint64_t line, std::uint32_t from,
                   std::size_t words, std::vector<RawPointer>& pointers) {
  const std::uint32_t count = record.number_field("the number of pointers", 3, 10);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view symbol = record.field("a pointer's symbol");
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const PointerKind& k) { return k.symbol == symbol; });
    if (kind == kinds.end()) {
      record.fail(fmt::format("a pointer's symbol is \"{}\", which WordNet does not have",
                              symbol.substr(0, 40)));
    }
    RawPointer pointer;
    pointer.offset = record.number_field("a pointer's target", 8, 10);
    const std::string_view type = record.field("a pointer's part of speech");
    const auto target = type.size() == 1 ? file_of(type[0]) : std::nullopt;
    if (!target) {
      record.fail(fmt::format("a pointer's part of speech is \"{}\", not n, v, a, s or r",
                              type.substr(0, 40)));
    }
    const std::uint32_t ends = record.number_field("a pointer's words", 4, 16);
    if ((ends >> 8U) > words)
      record.fail(fmt::format("a pointer starts at word {} of {}", ends >> 8U, words));
    pointer.pointer = {from, 0, static_cast<std::uint8_t>(kind - kinds.begin())};
    pointer.file = *target;
    pointer.source_file = file;
    pointer.line = line;
    pointers.push_back(pointer);
  }
}

void read_frames(Record& record, std::size_t words) {
  const std::uint32_t frames = record.number_field("the number of frames", 2, 10);
  for (std::uint32_t i = 0; i < frames; ++i) {
    if (record.field("a frame's mark") != "+") record.fail("a frame does not begin with +");
    record.number_field("a frame", 2, 10);
    if (record.number_field("a frame's word", 2, 16) > words)
      record.fail("a frame names a word that does not exist");
  }
}

Synset read_synset(Record& record, std::size_t file, std::uint64_t line, std::uint64_t byte,
                   std::uint32_t index, std::vector<RawPointer>& pointers) {
  Synset synset;
  synset.offset = record.number_field("the offset", 8, 10);
  if (synset.offset != byte) {
    record.fail(
        fmt::format("the record names offset {} and stands at byte {}: the file was changed or cut",
                    synset.offset, byte));
  }
  record.number_field("the lexicographer file", 2, 10);
  const std::string_view type = record.field("the type");
  const auto own = type.size() == 1 ? file_of(type[0]) : std::nullopt;
  if (own != file) {
    record.fail(
        fmt::format("the type is \"{}\", wrong for {}", type.substr(0, 40), file_names[file]));
  }
  synset.type = type[0];
  const std::uint32_t words = record.number_field("the number of words", 2, 16);
  if (words == 0) record.fail("the number of words is 0");
  for (std::uint32_t i = 0; i < words; ++i) {
    synset.words.push_back(shown_word(record.field("a word")));
    const std::string_view id = record.field("a word's number");
    if (id.size() > 2 || !number(id, 16)) {
      record.fail(fmt::format("a word's number is \"{}\", not 1 or 2 hexadecimal digits",
                              id.substr(0, 40)));
    }
  }
  read_pointers(record, file, line, index, words, pointers);
  if (synset.type == 'v') read_frames(record, words);
  std::string_view gloss = record.rest();
  if (!gloss.starts_with("| ")) record.fail("the gloss does not begin with \"| \"");
  gloss.remove_prefix(2);
  while (gloss.ends_with(' ')) gloss.remove_suffix(1);
  if (gloss.empty()) record.fail("the gloss is empty");
  synset.gloss = gloss;
  return synset;
}

void check_text(const Record& record, std::string_view line) {
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7E)
      record.fail(fmt::format("byte {} is not printable ASCII, which WordNet is", byte));
  }
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw NotFound("WordNet's " + path +
                   " cannot be opened; install Debian's wordnet-base or name the folder with "
                   "--wordnet");
  }
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace

std::span<const PointerKind> pointer_kinds() noexcept { return kinds; }

std::string_view part_of_speech(char type) noexcept {
  constexpr std::array<std::string_view, 4> names{"noun", "verb", "adjective", "adverb"};
  return names[file_of(type).value_or(2)];
}

WordNet read_wordnet(const std::string& folder, std::size_t limit) {
  WordNet net;
  std::vector<RawPointer> raw;
  std::array<std::size_t, file_names.size() + 1> first{};
  std::array<bool, file_names.size()> cut{};
  std::array<std::string, file_names.size()> paths;
  for (std::size_t file = 0; file < file_names.size(); ++file) {
    const std::string& path = paths[file] = folder + "/" + file_names[file];
    const std::string text = content(path);
    std::uint64_t line_number = 0;
    for (std::size_t byte = 0; byte < text.size();) {
      ++line_number;
      const std::size_t end = text.find('\n', byte);
      const std::string_view line = std::string_view(text).substr(
          byte, end == std::string::npos ? std::string::npos : end - byte);
      Record record(path, line_number, line);
      if (end == std::string::npos) record.fail("the last line has no end: the file was cut");
      if (!line.starts_with("  ")) {  // lines of the licence begin with two spaces
        if (limit != 0 && net.synsets.size() - first[file] == limit) {
          cut[file] = true;
          break;
        }
        check_text(record, line);
        const auto index = static_cast<std::uint32_t>(net.synsets.size());
        net.synsets.push_back(read_synset(record, file, line_number, byte, index, raw));
      }
      byte = end + 1;
    }
    if (net.synsets.size() == first[file])
      throw CorruptText(path, line_number, "the file holds no synset");
    first[file + 1] = net.synsets.size();
  }

  net.pointers.reserve(raw.size());
  for (RawPointer& pointer : raw) {
    const auto begin = net.synsets.begin() + static_cast<std::ptrdiff_t>(first[pointer.file]);
    const auto end = net.synsets.begin() + static_cast<std::ptrdiff_t>(first[pointer.file + 1]);
    const auto target = std::lower_bound(
        begin, end, pointer.offset,
        [](const Synset& synset, std::uint32_t offset) { return synset.offset < offset; });
    if (target != end && target->offset == pointer.offset) {
      pointer.pointer.to = static_cast<std::uint32_t>(target - net.synsets.begin());
      net.pointers.push_back(pointer.pointer);
    } else if (cut[pointer.file] && target == end) {
      ++net.pointers_left_out;
    } else {
      throw CorruptText(paths[pointer.source_file], pointer.line,
                        fmt::format("a pointer names offset {} of {}, where no synset stands",
                                    pointer.offset, file_names[pointer.file]));
    }
  }
  return net;
}

std::vector<Edge> heaviest_edges(const WordNet& net) {
  std::vector<Edge> edges;
  edges.reserve(net.pointers.size());
  for (const Pointer& pointer : net.pointers)
    edges.push_back({pointer.from, pointer.to, pointer_kinds()[pointer.kind].weight});
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.from, a.to, b.weight) < std::tie(b.from, b.to, a.weight);
  });
  const auto same_ends = [](const Edge& a, const Edge& b) {
    return a.from == b.from && a.to == b.to;
  };
  edges.erase(std::unique(edges.begin(), edges.end(), same_ends), edges.end());
  return edges;
}

}  // namespace Kindred::Tools
