// SPDX-License-Identifier: Apache-2.0
#include "Commands.hpp"
#include "io/Matrix.hpp"

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/ElementType.hpp>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/NpyArray.hpp>

namespace Kindred::Tools {

namespace {

struct XorFlags {
  std::string input;
  std::string key;
  std::string key_out;
  std::string out;
};
struct ProductFlags {
  std::string a;
  std::string b;
  std::string out;
  bool reproducible = false;
};
struct ReduceFlags {
  Reduction op = Reduction::sum;
  std::string input;
};

std::string shown(const NpyArray& array) {
  return fmt::format("({}{})", fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
}

NpyArray load(Session& session, const std::string& path) {
  NpyArray array =
      session.timed(Phase::load, [&] { return reading_file([&] { return read_npy(path); }); });
  session.add_input("array", path, fmt::format("{} {}", shown(array), to_string(array.type)));
  return array;
}
NpyArray load_bytes(Session& session, const std::string& path) {
  NpyArray array = load(session, path);
  if (array.type != DataType::uint8)
    throw InputError(fmt::format("{}: is of {}; xor takes bytes: save array.astype(numpy.uint8)",
                                 path, to_string(array.type)));
  return array;
}
NpyArray load_numbers(Session& session, const std::string& path) {
  NpyArray array = load(session, path);
  if (array.type != DataType::float32 && array.type != DataType::float64)
    throw InputError(
        fmt::format("{}: is of {}; it must be of float32 or float64", path, to_string(array.type)));
  return array;
}

void write_npy(AtomicFile& file, const std::string& descr, std::span<const std::uint64_t> shape,
               std::span<const std::byte> values) {
  const std::string header = npy_header(descr, shape);
  file.write(header.data(), header.size());
  file.write(values.data(), values.size());
}

void add_to_report(Session& session, std::string_view operation, const BulkReport& report) {
  if (session.options().explain) {
    Log::line(
        fmt::format("{{\"op\": \"bulk {}\", \"batches\": {}, \"batch_bytes\": {}, \"splits\": {}}}",
                    operation, report.batches, report.batch_bytes, report.splits));
  }
  session.add_to_report("batches", std::uint64_t{report.batches});
  if (report.batch_bytes > 0)
    session.add_to_report("bytes of a batch", std::uint64_t{report.batch_bytes});
  session.finish();
}

/// Default path of a generated key: `O.key.npy` for `O.npy`.
std::string key_beside(const std::string& out) {
  const std::string_view end = ".npy";
  const bool is_npy = std::string_view(out).ends_with(end);
  return out.substr(0, out.size() - (is_npy ? end.size() : 0)) + ".key.npy";
}

void run_xor(const GlobalOptions& global, XorFlags flags) {
  if (flags.key.empty() && flags.key_out.empty()) flags.key_out = key_beside(flags.out);
  check_outputs("bulk xor", {flags.out, flags.key_out}, {flags.input, flags.key});
  AtomicFile out(flags.out);  // fails before the work
  std::optional<AtomicFile> key_file;
  if (!flags.key_out.empty()) key_file.emplace(flags.key_out);
  Session session(global, "bulk xor");
  const NpyArray input = load_bytes(session, flags.input);
  const auto array = input.as<std::uint8_t>();
  const Bulk bulk(session.context());
  std::vector<std::uint8_t> result(input.elements);
  const std::span<std::uint8_t> to(result);
  std::optional<NpyArray> given;
  std::vector<std::uint8_t> made;
  if (key_file) {
    made.resize(input.elements);
  } else if (given = load_bytes(session, flags.key); given->shape != input.shape) {
    throw InputError(fmt::format("{}: has shape {}; expected that of {}, {}", flags.key,
                                 shown(*given), flags.input, shown(input)));
  }
  const BulkReport report = session.timed(Phase::compute, [&] {
    return given ? bulk.xor_elements(array, given->as<std::uint8_t>(), to)
                 : bulk.xor_with_new_keys(array, std::span(made), to);
  });
  session.timed(Phase::write, [&] {
    write_npy(out, "|u1", input.shape, std::as_bytes(to));
    if (!key_file) return AtomicFile::publish({&out});
    write_npy(*key_file, "|u1", input.shape, std::as_bytes(std::span(made)));
    AtomicFile::publish({&out, &*key_file});
  });
  if (key_file) Log::info(fmt::format("the key is in {}", flags.key_out));
  add_to_report(session, "xor", report);
}

/// The shape of a matrix, or of a batch of matrices.
std::vector<std::int64_t> matrices_of(const std::string& path, const NpyArray& array) {
  const auto& shape = array.shape;
  if (shape.size() == 2 || shape.size() == 3) return {shape.begin(), shape.end()};
  throw InputError(
      fmt::format("{}: shape {} has {} dimensions; 2 (a matrix) or 3 (a batch) are "
                  "wanted",
                  path, shown(array), shape.size()));
}

template <class T>
void multiply(Session& session, const ProductFlags& flags, const NpyArray& a, const NpyArray& b,
              AtomicFile& out) {
  const std::vector<std::int64_t> left = matrices_of(flags.a, a);
  const std::vector<std::int64_t> right = matrices_of(flags.b, b);
  const std::size_t rank = left.size();
  if (rank != right.size() || left[rank - 1] != right[rank - 2] ||
      (rank == 3 && left[0] != right[0]))
    throw InputError(fmt::format("{} with {}: shapes {} and {} do not multiply", flags.a, flags.b,
                                 shown(a), shown(b)));
  std::vector<std::uint64_t> shape = a.shape;
  shape.back() = b.shape.back();
  std::vector<std::uint64_t> sizes = shape;
  sizes.push_back(sizeof(T));
  const auto bytes = checked_product(sizes);
  if (!bytes)
    throw InputError(fmt::format(
        "{} with {}: the product of shapes {} and {} has more bytes than can be addressed", flags.a,
        flags.b, shown(a), shown(b)));
  std::vector<T> result(*bytes / sizeof(T));
  const std::vector<std::int64_t> product(shape.begin(), shape.end());
  BulkOptions options;
  options.reproducible = flags.reproducible;
  const BulkReport report = session.timed(Phase::compute, [&] {
    return reading_file([&] {
      return Bulk(session.context())
          .multiply(ConstArray(a.as<T>().data(), data_type_of<T>, left),
                    ConstArray(b.as<T>().data(), data_type_of<T>, right),
                    Array(result.data(), data_type_of<T>, product), options);
    });
  });
  session.timed(Phase::write, [&] {
    write_npy(out, sizeof(T) == 4 ? "<f4" : "<f8", shape, std::as_bytes(std::span(result)));
    AtomicFile::publish({&out});
  });
  add_to_report(session, "matmul", report);
}

void run_multiply(const GlobalOptions& global, const ProductFlags& flags) {
  check_outputs("bulk matmul", {flags.out}, {flags.a, flags.b});
  AtomicFile out(flags.out);
  Session session(global, "bulk matmul");
  const NpyArray a = load_numbers(session, flags.a);
  const NpyArray b = load_numbers(session, flags.b);
  if (a.type != b.type)
    throw InputError(fmt::format("{} is of {}, {} of {}; both must have the same type", flags.a,
                                 to_string(a.type), flags.b, to_string(b.type)));
  if (a.type == DataType::float32) return multiply<float>(session, flags, a, b, out);
  multiply<double>(session, flags, a, b, out);
}

/// \tparam Value type of the results
template <class T, class Value>
void reduce_to(Session& session, const ReduceFlags& flags, const NpyArray& array, bool json) {
  const bool is_batch = array.shape.size() == 3;
  const std::uint64_t count = is_batch ? array.shape[0] : 1;
  const std::uint64_t each = count == 0 ? 0 : array.elements / count;
  std::vector<std::span<const T>> arrays;
  for (std::uint64_t i = 0; i < count; ++i) arrays.push_back(array.as<T>().subspan(i * each, each));
  if (each == 0 && count > 0 && flags.op != Reduction::sum)
    throw InputError(fmt::format("{}: shape {} has no elements, and no {}", flags.input,
                                 shown(array), to_string(flags.op)));
  std::vector<Value> values(count);
  const BulkReport report = session.timed(
      Phase::compute, [&] { return Bulk(session.context()).reduce(flags.op, arrays, values); });
  std::string out;
  if (json) {
    out += '{';
    append_key(out, "value");
    if (is_batch) {
      append_list(out, values, [&](Value value) { append_json(out, value); });
    } else {
      append_json(out, values[0]);
    }
    out += "}\n";
  } else {
    for (const Value value : values) {
      append_json(out, value);
      out += '\n';
    }
  }
  print(std::move(out));
  add_to_report(session, "reduce", report);
}

template <class T>
void reduce(Session& session, const ReduceFlags& flags, const NpyArray& array, bool json) {
  if constexpr (std::is_floating_point_v<T>) {
    reduce_to<T, T>(session, flags, array, json);
  } else if (flags.op == Reduction::deviation) {
    throw InputError(fmt::format("{}: is of {}; deviations are of float32 or float64", flags.input,
                                 to_string(array.type)));
  } else if (flags.op == Reduction::mean) {
    reduce_to<T, double>(session, flags, array, json);
  } else {
    using Value = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    reduce_to<T, Value>(session, flags, array, json);
  }
}

void run_reduce(const GlobalOptions& global, const ReduceFlags& flags) {
  Session session(global, "bulk reduce");
  const NpyArray array = load(session, flags.input);
  with_element_type(array.type, [&]<class T>(T) {
    using element_type = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    reduce<element_type>(session, flags, array, global.json);
  });
}

}  // namespace

void add_bulk_command(CLI::App& app, const GlobalOptions& global) {
  CLI::App* group = add_group(app, "bulk", "Operations on whole arrays (.npy)");

  const auto [bytes, xor_flags] = add_command<XorFlags>(
      *group, "xor", "Bytes ^ key; applying it twice restores the input", global, run_xor);
  add_input(*bytes, "--input", xor_flags->input, "Bytes (uint8) of any shape");
  CLI::Option* const key =
      add_file(*bytes, "--key", xor_flags->key,
               "Bytes of the same shape (default: a random key, which is saved)");
  add_file(*bytes, "--out-key", xor_flags->key_out,
           "Output file of a generated key (default: O.key.npy for --out O.npy)")
      ->excludes(key);
  add_input(*bytes, "--out", xor_flags->out, "Output file of the result");

  const auto [product, product_flags] = add_command<ProductFlags>(
      *group, "matmul", "A · B of matrices, or of batches of them", global, run_multiply);
  add_input(*product, "--a", product_flags->a,
            "First matrix, float32 or float64, (m, k) or (batch, m, k)");
  add_input(*product, "--b", product_flags->b,
            "Second matrix, of the same type, (k, n) or (batch, k, n)");
  add_input(*product, "--out", product_flags->out, "Output file of the product, of the same type");
  product->add_flag("--reproducible", product_flags->reproducible,
                    "Slower, but with the same bits on every space and machine");

  const auto [one, reduce_flags] = add_command<ReduceFlags>(
      *group, "reduce", "Reduce an array, or each array of a batch (3 dimensions), to one number",
      global, run_reduce);
  add_choice(*one, "--op", reduce_flags->op, "sum, min, max, mean or deviation",
             choices_of<Reduction>())
      ->required();
  add_input(*one, "--input", reduce_flags->input, "bool, integers, float32 or float64");
}

}  // namespace Kindred::Tools
