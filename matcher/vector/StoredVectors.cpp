// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/StoredVectors.hpp>

#include "VectorSections.hpp"
#include "kit/LiveParts.hpp"
#include "storage/SectionChecks.hpp"
#include "storage/SectionFile.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace Kindred {

namespace {

using Impl::id_limit;
using Impl::SectionChecks;
using Impl::SectionFile;
using Impl::SectionWriter;
using Impl::VectorsHead;

/// A part of a store. \see for_each_run
struct Part {
  std::size_t size() const { return of.norms.size(); }
  std::uint32_t id(std::size_t row) const {
    return of.ids.empty() ? of.first_id + static_cast<std::uint32_t>(row) : of.ids[row];
  }
  bool is_live(std::size_t row) const {
    return of.live.empty() || (of.live[row / 64] >> (row % 64) & 1U) != 0;
  }
  std::size_t removed() const { return of.live.size(); }  // or 0

  const StoredVectors& of;
};
using Parts = std::vector<Part>;

/// Writes a section with the live rows of all parts. \param of returns the column of a part \param
/// unit number of elements per row
template <class T, class Column>
void write_column(SectionWriter& writer, const char* name, const Parts& parts, std::size_t unit,
                  const Column& of) {
  writer.begin<T>(name);
  Impl::for_each_run(parts, [&](std::size_t p, std::size_t begin, std::size_t end) {
    writer.put<T>(std::span<const T>(of(parts[p].of) + begin * unit, (end - begin) * unit));
  });
}

void write_ids(SectionWriter& writer, const Parts& parts) {
  writer.begin<std::uint32_t>("id");
  Impl::for_each_run(parts, [&](std::size_t p, std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> ids(end - begin);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = parts[p].id(begin + i);
    writer.put<std::uint32_t>(ids);
  });
}

Parts parts_of(std::span<const StoredVectors> stored) {
  Parts parts;
  for (const StoredVectors& one : stored) parts.push_back({one});
  return parts;
}

/// What a scale of int8 rows, a norm, and a number of the quantized copy must be.
bool is_scale(float scale) { return scale >= 0 && std::isfinite(scale); }
bool is_norm(double norm) { return !(norm < 0); }
bool is_bound(float number) { return number >= 0; }  // a NaN would invalidate the bound of a row

/// \throws InvalidArgument for the first number that is not \p good
template <class T, class Good>
void check_all(const char* what, std::span<const T> numbers, const char* limit, const Good& good) {
  const auto bad = std::find_if_not(numbers.begin(), numbers.end(), good);
  if (bad == numbers.end()) return;
  throw InvalidArgument(std::string("the ") + what + " of row " +
                        std::to_string(bad - numbers.begin()) + " is " + std::to_string(*bad) +
                        "; it must be " + limit);
}

/// \throws InvalidArgument for columns of a part that contradict each other
void check_columns(const StoredVectors& part) {
  const std::size_t count = part.rows.count();
  const std::size_t dimension = part.rows.dimension;
  const StoredQuantizedRows& quantized = part.quantized;
  const bool scaled = part.rows.element == DataType::int8;
  const bool fits = part.rows.values.size() == count * part.rows.row_bytes() &&
                    part.rows.scales.size() == (scaled ? count : 0) && part.norms.size() == count &&
                    (part.ids.empty() || part.ids.size() == count) &&
                    (part.live.empty() || part.live.size() == (count + 63) / 64) &&
                    (quantized.stride == 0 ||
                     (quantized.stride >= dimension &&
                      checked_product({count, quantized.stride}) == quantized.values.size() &&
                      quantized.scales.size() == count && quantized.errors.size() == count &&
                      quantized.norms.size() == count));
  KINDRED_THROW_IF(!fits, "the columns of " + std::to_string(count) + " rows of dimension " +
                              std::to_string(dimension) + " do not match");
  KINDRED_THROW_IF(
      reinterpret_cast<std::uintptr_t>(part.rows.values.data()) % size_of(part.rows.element) != 0,
      "the rows do not begin at a multiple of " + std::to_string(size_of(part.rows.element)) +
          " bytes, the size of their elements");
  KINDRED_THROW_IF(!part.live.empty() && count % 64 != 0 && (part.live.back() >> count % 64) != 0,
                   "a bit of `live` is set for a row that does not exist; there are " +
                       std::to_string(count) + " rows");
  check_all("scale", part.rows.scales, "finite and ≥ 0", is_scale);
  check_all("norm", part.norms, "≥ 0", is_norm);
  if (quantized.stride == 0) return;
  check_all("quantized scale", quantized.scales, "≥ 0", is_bound);
  check_all("quantized error", quantized.errors, "≥ 0", is_bound);
  check_all("quantized norm", quantized.norms, "≥ 0", is_bound);
}

/// \throws InvalidArgument unless \p id is at least \p next_id and below \p end_id
void check_id(std::uint64_t id, std::uint64_t next_id, std::uint64_t end_id) {
  KINDRED_THROW_IF(id < next_id || id >= end_id,
                   "a row has the id " + std::to_string(id) + "; ids must ascend from " +
                       std::to_string(next_id) + " and stay below " + std::to_string(end_id));
}

/// \throws InvalidArgument unless the ids of a part ascend and are below \p end_id
void check_ids(const StoredVectors& part, std::uint64_t end_id) {
  std::uint64_t next_id = 0;
  for (const std::uint32_t id : part.ids) {
    check_id(id, next_id, end_id);
    next_id = std::uint64_t{id} + 1;
  }
  const std::size_t count = part.rows.count();
  if (!part.ids.empty() || count == 0) return;
  check_id(part.first_id, 0, end_id);
  if (count > 1)
    check_id(std::uint64_t{part.first_id} + count - 1, std::uint64_t{part.first_id} + 1, end_id);
}

/// Writes all sections of the live rows of \p parts.
void write_columns(SectionWriter& writer, const VectorsHead& head, const Parts& parts) {
  const DataType element = parts.front().of.rows.element;
  Impl::write_head(writer, head);
  Impl::with_element_type(element, [&](auto zero) {
    using T = decltype(zero);
    write_column<T>(writer, "value", parts, head.dimension, [](const StoredVectors& part) {
      return reinterpret_cast<const T*>(part.rows.values.data());
    });
  });
  const auto scales = [](const StoredVectors& part) { return part.rows.scales.data(); };
  const auto norms = [](const StoredVectors& part) { return part.norms.data(); };
  if (element == DataType::int8) write_column<float>(writer, "scale", parts, 1, scales);
  write_column<double>(writer, "norm", parts, 1, norms);
  if (head.rows != head.end_id) write_ids(writer, parts);
  if (head.quantized_stride > 0) {
    const auto column = [&](const char* name, auto member) {
      write_column<float>(writer, name, parts, 1, [&](const StoredVectors& part) {
        return (part.quantized.*member).data();
      });
    };
    write_column<std::int8_t>(
        writer, "shadow.value", parts, head.quantized_stride,
        [](const StoredVectors& part) { return part.quantized.values.data(); });
    column("shadow.scale", &StoredQuantizedRows::scales);
    column("shadow.error", &StoredQuantizedRows::errors);
    column("shadow.norm", &StoredQuantizedRows::norms);
  }
}

/// \throws CorruptFile for inconsistent numbers
VectorsHead read_head(const SectionChecks& checks) {
  const Impl::SectionNumbers numbers(checks, "head", 5);
  const VectorsHead head{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
  numbers.require(head.element <= static_cast<std::uint64_t>(DataType::int8), 0,
                  "is not an element type; it must be 0 to 3");
  numbers.require(head.dimension > 0 && head.dimension < id_limit, 1,
                  "is not a valid dimension; it must be from 1 to 4294967294");
  numbers.require(head.end_id <= id_limit, 3,
                  "is not a valid end of ids; it must be at most 4294967295");
  numbers.require(head.rows == head.end_id || (head.rows < head.end_id && checks.has("id")), 2,
                  "rows do not match ids below " + std::to_string(head.end_id));
  numbers.require(head.quantized_stride == 0 || head.quantized_stride >= head.dimension, 4,
                  "bytes per quantized row are less than the dimension");
  if (!checked_product({head.rows, head.quantized_stride}))
    checks.refuse<std::uint64_t>("head", 4, "a larger quantized copy than a file can have");
  return head;
}

/// The columns of \p file, which they keep. \throws CorruptFile
StoredVectors vectors_of(std::shared_ptr<const SectionFile> file, int threads) {
  const SectionChecks checks(*file, threads);
  const VectorsHead head = read_head(checks);
  const auto element = static_cast<DataType>(head.element);

  StoredVectors stored;
  stored.end_id = head.end_id;
  std::span<const std::byte> values;
  Impl::with_element_type(element, [&](auto zero) {
    using T = decltype(zero);
    if (!checked_product({head.rows, head.dimension, sizeof(T)}))
      checks.refuse<std::uint64_t>("head", 2, "more numbers than a file can have");
    values = std::as_bytes(checks.section<T>("value", head.rows * head.dimension));
  });
  std::span<const float> scales;
  if (element == DataType::int8)
    scales =
        checks.section<float>("scale", head.rows, "the scale must be finite and ≥ 0", is_scale);
  stored.rows = VectorSpan(element, values, head.dimension, scales);
  stored.norms = checks.section<double>("norm", head.rows, "the norm is negative", is_norm);
  if (checks.has("id")) {
    stored.ids = checks.section<std::uint32_t>("id", head.rows);
    checks.all<std::uint32_t>(
        "id", stored.ids.size(), "ids must ascend and stay below the end of the ids in the head",
        [&](std::size_t i) {
          return (i == 0 || stored.ids[i] > stored.ids[i - 1]) && stored.ids[i] < head.end_id;
        });
  }
  if (head.quantized_stride > 0) {
    StoredQuantizedRows& quantized = stored.quantized;
    quantized.stride = head.quantized_stride;
    quantized.values = checks.section<std::int8_t>("shadow.value", head.rows * quantized.stride);
    const auto column = [&](const char* name) {
      return checks.section<float>(name, head.rows, "the number must not be negative or NaN",
                                   is_bound);
    };
    quantized.scales = column("shadow.scale");
    quantized.errors = column("shadow.error");
    quantized.norms = column("shadow.norm");
  }
  stored.owner = std::move(file);
  return stored;
}

}  // namespace

void StoredVectors::save(const std::string& path) const try {
  Impl::save_vectors(path, {this, 1}, end_id);
} catch (...) {
  Impl::rethrow_translated("Kindred::StoredVectors::save");
}

StoredVectors StoredVectors::load(const FileSource& source, int threads) try {
  threads = Impl::threads_or_all(threads);
  return vectors_of(std::make_shared<const SectionFile>(source, Impl::vectors_kind, threads),
                    threads);
} catch (...) {
  Impl::rethrow_translated("Kindred::StoredVectors::load");
}

StoredVectorsFileInfo StoredVectors::inspect(const FileSource& source, int threads) try {
  const StoredVectors stored = load(source, threads);
  const auto& file = *static_cast<const SectionFile*>(stored.owner.get());
  StoredVectorsFileInfo info;
  info.element = stored.rows.element;
  info.rows = stored.rows.count();
  info.dimension = stored.rows.dimension;
  info.end_id = stored.end_id;
  // A norm is a double-precision sum, which is finite if all float32 elements are.
  info.not_finite = static_cast<std::uint64_t>(std::count_if(
      stored.norms.begin(), stored.norms.end(), [](double norm) { return !std::isfinite(norm); }));
  info.row_bytes = stored.rows.values.size() + stored.rows.scales.size_bytes();
  const StoredQuantizedRows& quantized = stored.quantized;
  info.quantized_bytes = quantized.values.size() + quantized.scales.size_bytes() +
                         quantized.errors.size_bytes() + quantized.norms.size_bytes();
  info.bytes = file.revision().bytes;
  return info;
} catch (...) {
  Impl::rethrow_translated("Kindred::StoredVectors::inspect");
}

namespace Impl {

void save_vectors(FileTarget target, std::span<const StoredVectors> parts, std::uint64_t end_id,
                  const std::function<void(SectionWriter&)>& more) {
  const VectorsHead head = checked_head(parts, end_id);
  SectionWriter writer(std::move(target), vectors_kind);
  write_columns(writer, head, parts_of(parts));
  if (more) more(writer);
  writer.commit();
}

void check_element(DataType element) {
  KINDRED_THROW_IF(!is_vector_element(element), std::string(to_string(element)) +
                                                    " is not an element type of vectors: they are "
                                                    "float32, float16, bfloat16 or int8");
}

VectorsHead checked_head(std::span<const StoredVectors> parts, std::uint64_t end_id) {
  KINDRED_THROW_IF(parts.empty(),
                   "no parts are given; there must be at least one, which may be empty");
  const VectorSpan& first = parts.front().rows;
  check_element(first.element);
  KINDRED_THROW_IF(first.dimension == 0 || first.dimension >= id_limit,
                   "the dimension is " + std::to_string(first.dimension) + "; it must be 1 … " +
                       std::to_string(id_limit - 1));
  KINDRED_THROW_IF(end_id > id_limit, "the end of the ids is " + std::to_string(end_id) +
                                          "; it must be at most " + std::to_string(id_limit));
  VectorsHead head{static_cast<std::uint64_t>(first.element), first.dimension, 0, end_id,
                   parts.front().quantized.stride};
  for (const StoredVectors& part : parts) {
    KINDRED_THROW_IF(part.rows.element != first.element || part.rows.dimension != first.dimension,
                     "the element types or dimensions of the parts do not match");
    check_columns(part);
    check_ids(part, end_id);
    if (part.quantized.stride != head.quantized_stride) head.quantized_stride = 0;
  }
  std::uint64_t next_id = 0;
  const Parts all = parts_of(parts);
  for_each_run(all, [&](std::size_t p, std::size_t begin, std::size_t end) {
    check_id(all[p].id(begin), next_id, end_id);
    next_id = std::uint64_t{all[p].id(end - 1)} + 1;
    head.rows += end - begin;
  });
  return head;
}

void write_head(SectionWriter& writer, const VectorsHead& head) {
  writer.write<std::uint64_t>("head", std::array{head.element, head.dimension, head.rows,
                                                 head.end_id, head.quantized_stride});
}

}  // namespace Impl
}  // namespace Kindred
