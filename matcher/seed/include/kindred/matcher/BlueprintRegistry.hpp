// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BLUEPRINT_REGISTRY_HPP
#define KINDRED_MATCHER_BLUEPRINT_REGISTRY_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/FileSource.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief Named sets of weights in host memory. The id of a set is the number of sets added before
/// it; ids of removed sets are not reused.
///
/// Weight i applies to feature i of the hidden dimension. A set may be shorter than the hidden
/// dimension; seeds whose chunk extends beyond its end cannot use it. Calls that change the
/// registry are not thread-safe.
class BlueprintRegistry {
 public:
  /// Number of assigned ids, 0 … size() − 1, including those of removed sets.
  std::size_t size() const noexcept { return m_sets.size(); }
  bool contains(std::int32_t id) const noexcept;
  std::optional<std::int32_t> find(std::string_view name) const;

  /// \throws NotFound for an id that was never assigned or was removed
  const std::string& name(std::int32_t id) const { return at(id).name; }
  std::span<const float> weights(std::int32_t id) const { return at(id).weights; }
  /// 1 for a new set, incremented by every `replace`.
  std::uint64_t version(std::int32_t id) const { return at(id).version; }

  /// \brief Adds a set and returns its id. \throws InvalidArgument for no weights, an empty name or
  /// an existing name
  std::int32_t add(std::string name, std::span<const float> weights);
  /// \brief Replaces the weights of a set by the same number of weights. \throws NotFound,
  /// InvalidArgument
  void replace(std::int32_t id, std::span<const float> weights);
  /// \throws NotFound
  void remove(std::int32_t id);

  /// \brief Writes all sets to \p path atomically, replacing an existing file. \throws
  /// InvalidArgument for a path that cannot be written; Busy while another process writes it; Error
  /// for failed writes
  void save(const std::string& path) const;
  /// \brief Loads the sets of a file and validates every byte. \throws NotFound; InvalidArgument if
  /// the path is not a regular file; CorruptFile; OutOfMemory
  static BlueprintRegistry load(const FileSource& source);

  friend bool operator==(const BlueprintRegistry& a, const BlueprintRegistry& b) {
    return a.m_sets == b.m_sets;
  }

 private:
  struct Set {
    std::string name;
    std::vector<float> weights;  ///< empty if the set was removed
    std::uint64_t version = 1;

    friend bool operator==(const Set&, const Set&) = default;
  };
  const Set& at(std::int32_t id) const;

  std::vector<Set> m_sets;
  std::unordered_map<std::string, std::int32_t> m_ids;  ///< ids by name, without removed sets
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_BLUEPRINT_REGISTRY_HPP
