// SPDX-License-Identifier: Apache-2.0
// The calls of an index on arrays of the caller.
#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "QueryArrays.hpp"
#include "SearchPaths.hpp"
#include "VectorIndexParts.hpp"
#include "kit/ValueMessage.hpp"

namespace Kindred {

using Impl::any_extent;
using Impl::NamedArray;
using Impl::stride_of;
using Impl::value_message;

namespace {

/// The queries of a call and where its arrays lie.
struct ArrayCall {
  GivenQueries queries;
  bool one_query = false;  ///< no array has a dimension for the queries
  bool on_device = false;
  std::size_t dimension = 0;

  std::int64_t count() const { return static_cast<std::int64_t>(queries.count); }
};

/// One row of \p extent elements per query. \throws InvalidArgument
void require_per_query(const ArrayCall& call, const NamedArray& given, DataType type,
                       std::int64_t extent) {
  Impl::require_per_query(given, type, call.one_query, call.count(), extent);
}

/// Checks the queries, the memory of all arrays, and the options. \throws InvalidArgument,
/// SpaceUnavailable
ArrayCall checked_call(const Context& context, std::size_t dimension, const ConstArray& queries,
                       std::initializer_list<NamedArray> arrays, std::optional<Space> space,
                       const std::optional<Stream>& stream) {
  const NamedArray given{"queries", queries};
  ArrayCall call;
  call.dimension = dimension;
  call.one_query = queries.rank() == 1;
  Impl::require_per_query(given, DataType::float32, call.one_query, any_extent,
                          static_cast<std::int64_t>(dimension));
  call.queries.values = static_cast<const float*>(queries.data());
  call.queries.count = call.one_query ? 1 : static_cast<std::size_t>(queries.extent(0));
  call.queries.stride = stride_of(given);
  call.on_device = Impl::space_of(context, arrays).has_value();
  if (!call.on_device) Impl::require_no_stream(stream);
  KINDRED_THROW_IF(call.on_device && space.value_or(Space::cuda) != Space::cuda,
                   "the arrays lie on a device, and the requested space is " +
                       std::string(to_string(*space)) + "; request cuda or no space");
  return call;
}

/// The queries of a call on the host without gaps; \p packed keeps a copy if one is needed.
std::span<const float> dense_queries(const ArrayCall& call, std::vector<float>& packed) {
  const std::size_t size = call.queries.count * call.dimension;
  if (call.queries.count <= 1 || call.queries.stride == call.dimension)
    return {call.queries.values, size};
  packed.reserve(size);
  for (std::size_t query = 0; query < call.queries.count; ++query) {
    const float* from = call.queries.values + query * call.queries.stride;
    packed.insert(packed.end(), from, from + call.dimension);
  }
  return packed;
}

/// Where the results of a ranking go. \throws InvalidArgument
RankedOutput checked_output(const ArrayCall& call, const Array& scores, const Array& ids) {
  const NamedArray score_target{"scores", scores};
  const NamedArray id_target{"ids", ids};
  require_per_query(call, score_target, DataType::float32, any_extent);
  const std::int64_t top = scores.extent(call.one_query ? 0 : 1);
  KINDRED_THROW_IF(top == 0, "top, the extent of scores, is 0; it must be at least 1");
  require_per_query(call, id_target, DataType::int64, top);
  return {static_cast<float*>(scores.data()), stride_of(score_target),
          static_cast<std::int64_t*>(ids.data()), stride_of(id_target),
          static_cast<std::uint64_t>(top)};
}

void require_no_filter(const SearchOptions& options) {
  KINDRED_THROW_IF(
      !options.filter.empty() || !options.filter_bits.empty(),
      "a filter on the host was given for arrays on a device or for lists of ids in an "
      "array; search without a filter, or give the arrays as spans");
}

/// \brief Calls `body(exec_space, search)` on \p space. \throws as `Context::run`
template <class Parts, class Body>
DispatchRecord run_on_arrays(const Parts& parts, const Workload& workload,
                             std::optional<Space> space, const std::optional<Stream>& stream,
                             const Body& body) {
  return parts.context.run(workload, space, [&](Space chosen) {
    Impl::with_instance_on(parts.context, chosen, stream, [&](const auto& exec_space) {
      parts.array_searches.lend(parts.context, exec_space, chosen, [&](auto& search) {
        body(exec_space, search);
        if (!stream) Arch::fence(exec_space, "Kindred::VectorIndex::arrays");
      });
    });
  });
}

template <class Parts>
Workload workload_of(const Parts& parts, const ArrayCall& call, Operation operation,
                     std::size_t items, double work, const std::optional<Stream>& stream) {
  KINDRED_THROW_IF(parts.store.residency() == Residency::host && call.on_device,
                   "the arrays lie on a device, and the rows of the index are kept on the host; "
                   "build the index with another residency");
  if (call.on_device && !parts.store.on_device()) {
    throw SpaceUnavailable(
        "the arrays lie on a device, and the rows of the index do not fit there; give arrays on "
        "the host");
  }
  Workload workload;
  workload.operation = operation;
  workload.items = items;
  workload.work = work;
  workload.waits = !stream;
  workload.resident = call.on_device ? SpaceSet::all() : SpaceSet::host();
  return workload;
}

/// \brief The workload of a search of arrays by \p path.
template <class Parts>
Workload search_workload(const Parts& parts, const ArrayCall& call, SearchPath path,
                         const std::optional<Stream>& stream) {
  const std::size_t rows = parts.store.size();
  return workload_of(parts, call, Impl::operation_of(path), rows * call.queries.count,
                     Impl::search_work(path, rows, call.queries.count, parts.store.dimension()),
                     stream);
}

/// \brief The requested path of a search of arrays on a device, or the one that is predicted to be
/// fastest. \throws InvalidArgument for a path that waits or cannot rank \p kept results
template <class Parts>
SearchPath path_on_device(const Parts& parts, const ArrayCall& call, const SearchOptions& options,
                          std::size_t kept) {
  const auto why_not = [&](SearchPath path) {
    return Impl::with_instance(parts.context, Space::cuda, [&](const auto& exec_space) {
      using search = Impl::ArraySearch<std::decay_t<decltype(exec_space)>>;
      return search::why_not(path, call.dimension, kept);
    });
  };
  if (options.path) {
    const std::string why = why_not(*options.path);
    KINDRED_THROW_IF(!why.empty(), "the path " + std::string(to_string(*options.path)) +
                                       " is not available for arrays on a device: " + why);
    return *options.path;
  }
  SearchPath best = SearchPath::brute_force;
  double least = std::numeric_limits<double>::infinity();
  for (const SearchPath path : {SearchPath::brute_force, SearchPath::gemm}) {
    if (!why_not(path).empty()) continue;
    const auto predicted =
        parts.context.dispatcher().predict(search_workload(parts, call, path, options.stream));
    if (predicted[space_index(Space::cuda)] < least) {
      least = predicted[space_index(Space::cuda)];
      best = path;
    }
  }
  return best;
}

std::optional<Space> space_for(const ArrayCall& call, std::optional<Space> space) {
  return call.on_device ? Space::cuda : space;
}

}  // namespace

DispatchRecord VectorIndex::score_all(const ConstArray& queries, const Array& out,
                                      const ScoreOptions& options) const try {
  const NamedArray target{"out", out};
  const Parts parts = this->parts();
  const ArrayCall call =
      checked_call(parts.context, dimension(), queries, {{"queries", queries}, target},
                   options.space, options.stream);
  require_per_query(call, target, DataType::float32, any_extent);
  const std::size_t stride = stride_of(target);
  auto* const values = static_cast<float*>(out.data());
  const auto columns = static_cast<std::size_t>(out.extent(call.one_query ? 0 : 1));
  if (!call.on_device) {
    std::vector<float> packed;
    const std::span<const float> dense = dense_queries(call, packed);
    if (call.queries.count <= 1 || columns == 0 || stride == columns)
      return score_all(dense, {values, call.queries.count * columns}, options);
    std::vector<float> whole(call.queries.count * columns);
    const DispatchRecord record = score_all(dense, whole, options);
    for (std::size_t query = 0; query < call.queries.count; ++query)
      std::copy_n(whole.data() + query * columns, columns, values + query * stride);
    return record;
  }
  const auto lock = Impl::engine_shared_lock(parts.mutex);
  const Impl::VectorStore& store = parts.store;
  KINDRED_THROW_IF(columns != store.size(), "out is " + to_string(ConstArray(out)) +
                                                "; the index has " + std::to_string(store.size()) +
                                                " rows, and each needs a column");
  DispatchRecord record;
  record.operation = Operations::search;
  if (call.queries.count == 0 || columns == 0) return record;
  return run_on_arrays(
      parts,
      workload_of(parts, call, Operations::search, store.size() * call.queries.count,
                  Impl::search_work(SearchPath::brute_force, store.size(), call.queries.count,
                                    store.dimension()),
                  options.stream),
      Space::cuda, options.stream, [&](const auto& exec_space, auto& calls) {
        calls.score_all(exec_space, store, call.queries, options.metric, values, stride);
      });
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::score_all");
}

DispatchRecord VectorIndex::search(const ConstArray& queries, const Array& scores, const Array& ids,
                                   const SearchOptions& options, SearchReport* report) const try {
  const Parts parts = this->parts();
  const ArrayCall call = checked_call(parts.context, dimension(), queries,
                                      {{"queries", queries}, {"scores", scores}, {"ids", ids}},
                                      options.space, options.stream);
  const RankedOutput out = checked_output(call, scores, ids);
  if (!call.on_device) {
    std::vector<float> packed;
    SearchOptions given = options;
    given.top = out.top;
    const SearchResults results = search(dense_queries(call, packed), given);
    for (std::size_t query = 0; query < call.queries.count; ++query) {
      for (std::size_t place = 0; place < out.top; ++place) {
        const bool is_found = place < results.top;
        const std::size_t from = query * results.top + place;
        out.scores[query * out.score_stride + place] =
            is_found ? results.scores[from] : padding_score(options.metric);
        out.ids[query * out.id_stride + place] = is_found ? results.ids[from] : -1;
      }
    }
    if (report != nullptr) *report = results.report;
    return results.record;
  }
  require_no_filter(options);
  const auto lock = Impl::engine_shared_lock(parts.mutex);
  const Impl::VectorStore& store = parts.store;
  const std::size_t kept = std::min<std::size_t>(out.top, store.size());
  const SearchPath path = path_on_device(parts, call, options, kept);
  if (report != nullptr) *report = {.path = to_string(path)};
  DispatchRecord record;
  record.operation = Impl::operation_of(path);
  if (call.queries.count == 0) return record;
  return run_on_arrays(parts, search_workload(parts, call, path, options.stream), Space::cuda,
                       options.stream, [&](const auto& exec_space, auto& calls) {
                         calls.search(exec_space, store, call.queries, options.metric, path, kept,
                                      out);
                       });
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::search");
}

DispatchRecord VectorIndex::score(const ConstArray& queries, const ConstArray& candidates,
                                  const Array& scores, const Array& ids,
                                  const SearchOptions& options) const try {
  const NamedArray lists{"candidates", candidates};
  const Parts parts = this->parts();
  const ArrayCall call =
      checked_call(parts.context, dimension(), queries,
                   {{"queries", queries}, lists, {"scores", scores}, {"ids", ids}}, options.space,
                   options.stream);
  require_per_query(call, lists, DataType::int64, any_extent);
  const RankedOutput out = checked_output(call, scores, ids);
  require_no_filter(options);
  KINDRED_THROW_IF(!call.on_device && options.space == Space::cuda,
                   "the arrays lie on the host, and the requested space is cuda; give arrays on "
                   "the device, or the candidates as a RaggedSpan");
  IdLists given;
  given.ids = static_cast<const std::int64_t*>(candidates.data());
  given.queries = call.queries.count;
  given.length = static_cast<std::uint64_t>(candidates.extent(call.one_query ? 0 : 1));
  given.stride = stride_of(lists);
  constexpr std::uint64_t length_max = 0xFFFFFFFEU;
  KINDRED_THROW_IF(given.length > length_max,
                   value_message("the length of the lists", given.length) +
                       "; it must be at most " + std::to_string(length_max));
  const auto lock = Impl::engine_shared_lock(parts.mutex);
  const Impl::VectorStore& store = parts.store;
  DispatchRecord record;
  record.operation = Operations::score;
  if (call.queries.count == 0) return record;
  const std::size_t items = size_product("queries × candidates", {given.queries, given.length});
  const Workload workload = workload_of(
      parts, call, Operations::score, items,
      static_cast<double>(items) * static_cast<double>(store.dimension()), options.stream);
  return run_on_arrays(parts, workload, space_for(call, options.space), options.stream,
                       [&](const auto& exec_space, auto& calls) {
                         const std::string why_not =
                             calls.why_not(exec_space, store, given.queries, given.length, out.top);
                         KINDRED_THROW_IF(!why_not.empty(), why_not);
                         calls.score(exec_space, store, call.queries, given, options.metric, out);
                       });
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::score");
}

std::uint64_t VectorIndex::add(const ConstArray& rows) try {
  const NamedArray given{"rows", rows};
  const auto extent = static_cast<std::int64_t>(dimension());
  const DataType type = element() == DataType::float16    ? DataType::float16
                        : element() == DataType::bfloat16 ? DataType::bfloat16
                                                               : DataType::float32;
  KINDRED_THROW_IF(element() == DataType::int8,
                   "the index has rows of int8, which need scales; give them as a VectorSpan");
  Impl::require_array(given, type, {any_extent, extent});
  const std::size_t row_bytes = dimension() * size_of(element());
  const auto count = static_cast<std::size_t>(rows.extent(0));
  const std::size_t stride_bytes = stride_of(given) * size_of(element());
  const Parts parts = this->parts();
  const bool on_device = Impl::space_of(parts.context, {given}).has_value();
  const auto* const from = static_cast<const std::byte*>(rows.data());
  if (!on_device && (count <= 1 || stride_bytes == row_bytes))
    return add(VectorSpan(element(), {from, count * row_bytes}, dimension()));
  std::vector<std::byte> packed(size_product("rows × bytes", {count, row_bytes}));
  if (on_device) {
    Impl::with_instance(parts.context, Space::cuda, [&](const auto& exec_space) {
      for (std::size_t row = 0; row < count; ++row) {
        const bool whole = stride_bytes == row_bytes;
        Arch::start_copy(exec_space, "Kindred::VectorIndex::add", packed.data() + row * row_bytes,
                         from + row * stride_bytes, whole ? packed.size() : row_bytes);
        if (whole) break;
      }
      Arch::fence(exec_space, "Kindred::VectorIndex::add");
    });
  } else {
    for (std::size_t row = 0; row < count; ++row)
      std::memcpy(packed.data() + row * row_bytes, from + row * stride_bytes, row_bytes);
  }
  return add(VectorSpan(element(), packed, dimension()));
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::add");
}

}  // namespace Kindred
