// SPDX-License-Identifier: Apache-2.0
#include "StoredHnsw.hpp"

#include <kindred/core/common/CheckedSize.hpp>

#include "storage/SectionChecks.hpp"
#include "storage/SectionFile.hpp"
#include "storage/SectionWriter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace Kindred::Impl {

namespace {

constexpr std::string_view kind = "hnsw";

// The sizes of sections are computed in 64 bits, and that of the rows is the largest.
static_assert(FloatRows::stride_of(dimension_max) <= SIZE_MAX / node_limit);

/// The numbers in the section `settings`, in order.
enum Setting : std::size_t {
  set_dimension,
  set_metric,
  set_m,
  set_ef_construction,
  set_seed,
  set_target,
  set_traversal,
  set_next_id,
  set_entry,
  set_levels,
  set_count
};

class Reader {
 public:
  Reader(const SectionFile& file, int threads) : m_checks(file, threads) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::size_t dimension() const { return m_settings.in(set_dimension, 1, dimension_max); }
  HnswSettings settings() const {
    HnswSettings out;
    out.metric = static_cast<Metric>(m_settings.in(set_metric, 0, 2));
    out.m = m_settings.in(set_m, 2, m_max);
    out.ef_construction = m_settings.in(set_ef_construction, out.m, ef_construction_max);
    out.seed = m_settings[set_seed];
    out.traversal = static_cast<HnswTraversal>(m_settings.in(set_target, 0, 2));
    return out;
  }

  void fill(HnswStore& store) const {
    store.traversal = static_cast<HnswTraversal>(m_settings.in(set_traversal, 0, 2));
    store.next_id = m_settings.in(set_next_id, 0, hnsw_id_limit);
    const float unit = store.unit = m_checks.section<float>("unit", 1)[0];
    if (!(unit >= std::numeric_limits<float>::min()) || !std::isfinite(unit))
      m_checks.refuse<float>("unit", 0, "must be finite and above 0");
    const auto ids = m_checks.section<std::uint64_t>("ids");
    if (ids.size() >= node_limit)
      m_checks.refuse<std::uint64_t>("ids", 0, "too many ids: " + std::to_string(ids.size()));
    store.ids.borrow(ids);
    const std::uint64_t nodes = ids.size();
    const std::uint64_t m = store.settings.m;
    read_rows(store, nodes);
    borrow(store.deleted, "deleted", nodes);
    borrow(store.levels, "levels", nodes);
    borrow(store.base, "links.base", nodes * 2 * m);
    borrow(store.upper_first, "links.upper_first", nodes);
    m_checks.below<std::uint8_t>("deleted", store.deleted.span(), 2);
    store.dead = static_cast<std::size_t>(
        std::count(store.deleted.span().begin(), store.deleted.span().end(), std::uint8_t{1}));
    read_entry(store);
    read_upper(store);
    check_links(store);
    m_checks.below<std::uint64_t>("ids", store.ids.span(), store.next_id);
    if (const auto twice = store.repeated_id())
      m_checks.refuse<std::uint64_t>("ids", 0, std::to_string(*twice) + " occurs twice");
  }

 private:
  template <class T>
  void borrow(GrowingArray<T>& column, const char* name, std::uint64_t size) const {
    column.borrow(m_checks.section<T>(name, size));
  }

  void read_rows(HnswStore& store, std::uint64_t nodes) const {
    const auto finite = [&](const char* name, std::uint64_t size) {
      return m_checks.section<float>(name, size, "is not finite",
                                     [](float value) { return std::isfinite(value); });
    };
    const bool has_mean = nodes > 0 || !m_checks.section<float>("mean").empty();
    const auto mean = finite("mean", has_mean ? store.dimension : 0);
    store.mean.assign(mean.begin(), mean.end());
    store.rows.borrow(finite("rows", nodes * store.row_stride()));
    const bool bytes = store.traversal == HnswTraversal::bytes;
    m_settings.require(nodes == 0 || (store.traversal != HnswTraversal::automatic &&
                                      !(bytes && store.dimension > Arch::code_count_max)),
                       set_traversal, "is an invalid traversal for these rows");
    borrow(store.codes, "codes", bytes ? nodes * store.code_stride() : 0);
  }

  void read_entry(HnswStore& store) const {
    const bool any = store.size() > 0;
    store.top_level =
        static_cast<int>(m_settings.in(set_levels, any ? 1 : 0, any ? level_limit : 0)) - 1;
    if (!any) return;
    store.entry = static_cast<std::uint32_t>(m_settings.in(set_entry, 0, store.size() - 1));
    m_checks.below<std::uint8_t>("levels", store.levels.span(), m_settings[set_levels]);
    m_settings.require(store.levels[store.entry] == store.top_level, set_entry,
                       "is not a node of the top level");
  }

  void read_upper(HnswStore& store) const {
    std::uint64_t lists = 0;
    for (std::size_t node = 0; node < store.size(); ++node) {
      const std::uint64_t expected = store.levels[node] > 0 ? lists : 0;
      if (store.upper_first[node] != expected) {
        m_checks.refuse<std::uint32_t>("links.upper_first", node,
                                       "is not " + std::to_string(expected));
      }
      lists += store.levels[node];
    }
    borrow(store.upper, "links.upper", lists * store.settings.m);
  }

  void check_links(const HnswStore& store) const {
    m_checks.all<std::uint32_t>(
        "links.base", store.base.size(), "is not a node",
        [&](std::size_t i) { return store.base[i] < store.size() || store.base[i] == no_node; });
    const std::size_t m = store.settings.m;
    std::size_t i = 0;  // the lists follow each other, by node and level: see read_upper
    for (const std::uint8_t levels : store.levels.span()) {
      for (std::size_t level = 1; level <= levels; ++level) {
        for (const std::size_t end = i + m; i < end; ++i) {
          const std::uint32_t to = store.upper[i];
          if (to != no_node && (to >= store.size() || store.levels[to] < level)) {
            m_checks.refuse<std::uint32_t>(
                "links.upper", i,
                std::to_string(to) + " is not a node of level " + std::to_string(level));
          }
        }
      }
    }
  }

  SectionChecks m_checks;
  SectionNumbers m_settings{m_checks, "settings", set_count};
};

}  // namespace

void save_hnsw(FileTarget target, const HnswStore& store) {
  SectionWriter writer(std::move(target), kind);
  // In the order of `Setting`.
  const std::array<std::uint64_t, set_count> settings{
      store.dimension,
      static_cast<std::uint64_t>(store.settings.metric),
      store.settings.m,
      store.settings.ef_construction,
      store.settings.seed,
      static_cast<std::uint64_t>(store.settings.traversal),
      static_cast<std::uint64_t>(store.traversal),
      store.next_id,
      store.size() > 0 ? store.entry : 0,
      static_cast<std::uint64_t>(store.top_level) + 1};
  writer.write<std::uint64_t>("settings", settings);
  writer.write<float>("unit", std::span(&store.unit, 1));
  writer.write<float>("mean", store.mean);
  writer.write<std::uint64_t>("ids", store.ids.span());
  writer.write<float>("rows", store.rows.span());
  writer.write<std::uint8_t>("codes", store.codes.span());
  writer.write<std::uint8_t>("deleted", store.deleted.span());
  writer.write<std::uint8_t>("levels", store.levels.span());
  writer.write<std::uint32_t>("links.base", store.base.span());
  writer.write<std::uint32_t>("links.upper_first", store.upper_first.span());
  writer.write<std::uint32_t>("links.upper", store.upper.span());
  writer.commit();
}

HnswStore load_hnsw(MemoryResource& resource, const FileSource& source, int threads) {
  auto file = std::make_shared<SectionFile>(source, kind, threads);
  const Reader reader(*file, threads);
  HnswStore store(resource, reader.dimension(), reader.settings());
  reader.fill(store);
  store.file = std::move(file);
  return store;
}

}  // namespace Kindred::Impl
