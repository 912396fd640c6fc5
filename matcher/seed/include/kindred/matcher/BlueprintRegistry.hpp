// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BLUEPRINT_REGISTRY_HPP
#define KINDRED_MATCHER_BLUEPRINT_REGISTRY_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace Kindred {

/// \brief Named sets of weights, on the host. A set's id is the number of sets that were added
/// before it; removed ones keep theirs.
///
/// Weight i is for feature i of the hidden dimension. A set may be shorter than that: seeds whose
/// chunk it does not reach cannot use it. Not thread-safe while it changes.
class BlueprintRegistry {
 public:
  /// Ids that were given: 0 … size() − 1.
  std::size_t size() const noexcept { return m_sets.size(); }
  bool contains(std::int32_t id) const noexcept;
  std::optional<std::int32_t> find(std::string_view name) const;

  /// \throws NotFound for an id that is none or was removed
  const std::string& name(std::int32_t id) const { return at(id).name; }
  std::span<const float> weights(std::int32_t id) const { return at(id).weights; }
  /// 1 for a new set; one more with every `replace`.
  std::uint64_t version(std::int32_t id) const { return at(id).version; }

  /// \brief A new set. Returns its id. \throws InvalidArgument for no weights, an empty
  /// name and one that is there
  std::int32_t add(std::string name, std::span<const float> weights);
  /// \brief Other weights, as many, for a set. \throws NotFound, InvalidArgument
  void replace(std::int32_t id, std::span<const float> weights);
  /// \throws NotFound
  void remove(std::int32_t id);

  /// \brief Writes all sets to \p path, in place of what is there; whole or not at all.
  /// \throws InvalidArgument where no file can be written; Busy while another writes it; Error
  void save(const std::string& path) const;
  /// \brief The sets of a file, every byte of which is checked.
  /// \throws NotFound; InvalidArgument for what is no file; CorruptFile; OutOfMemory
  static BlueprintRegistry load(const std::string& path);

  friend bool operator==(const BlueprintRegistry& a, const BlueprintRegistry& b) {
    return a.m_sets == b.m_sets;
  }

 private:
  struct Set {
    std::string name;
    std::vector<float> weights;  ///< none: it was removed
    std::uint64_t version = 1;

    friend bool operator==(const Set&, const Set&) = default;
  };
  const Set& at(std::int32_t id) const;

  std::vector<Set> m_sets;
  std::unordered_map<std::string, std::int32_t> m_ids;  ///< of those that were not removed
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_BLUEPRINT_REGISTRY_HPP
