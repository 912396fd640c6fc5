// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>

#include "kokkos_kernels/KokkosKernelsPeers.hpp"
#include "machine/SpaceBuffer.hpp"
#include "problems/Checking.hpp"
#include "problems/ProblemFactories.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <map>

namespace Kindred::Perf {

namespace {

/// \brief Lists of equal arrays, or products of square matrices: on the host by `Bulk`, or on
/// resident data by prepared calls, with `calls` of them enqueued before one fence.
class BulkProblem final : public Problem {
 public:
  BulkProblem(Context& context, const BulkShape& shape, std::uint64_t seed)
      : m_context(context), m_shape(shape), m_seed(seed) {
    name = "BM_Bulk_" + std::string(to_string(shape.operation));
    arguments = {{"elements", static_cast<std::int64_t>(shape.elements)},
                 {"arrays", static_cast<std::int64_t>(shape.arrays)}};
    const auto calls = static_cast<double>(shape.calls);
    const auto elements = static_cast<double>(all());
    items = calls * elements;
    const bool is_bytes = shape.operation == Operations::transform;
    const double arrays = shape.operation == Operations::reduction           ? 1
                          : shape.operation == Operations::random_generation ? 1
                          : shape.operation == Operations::element_wise      ? 2
                                                                             : 3;
    bytes = items * arrays * (is_bytes ? 1 : sizeof(float));
    unit = is_bytes ? "bytes" : is_product() ? "multiply-adds" : "elements";
    job = shape.job;
    if (is_product()) {
      multiply_adds = items * static_cast<double>(side());
      items = multiply_adds;
      same_bits = false;  // computed by a library of the space
    }
    const std::size_t a_bytes = all() * (is_bytes ? 1 : sizeof(float));
    m_a.resize(a_bytes);
    m_b.resize(a_bytes);
    fill(m_a, seed);
    fill(m_b, seed + 1);
  }

  bool reaches(Space space) const override { return m_context.is_usable(space); }

  DispatchRecord run(std::optional<Space> space) override {
    if (!m_shape.resident) return run_here(space);
    m_space = space.value_or(Space::openmp);
    auto found = m_sets.find(m_space);
    if (found == m_sets.end()) found = m_sets.emplace(m_space, make(m_space)).first;
    for (std::size_t i = 0; i < m_shape.calls; ++i) found->second.prepared.front().run();
    found->second.prepared.front().wait();
    DispatchRecord record;
    record.chosen = m_space;
    return record;
  }
  std::uint64_t digest() const override { return digest_of_all(result()); }
  std::string check() const override {
    const Values<float> c = result();
    const auto* left = reinterpret_cast<const float*>(m_a.data());
    const auto* right = reinterpret_cast<const float*>(m_b.data());
    for (const std::uint64_t at : sample(c.size())) {
      double expected = 0;
      double allowed = 0;
      if (is_product()) {
        const std::size_t n = side();
        const std::size_t matrix = at / (n * n) * n * n;
        const std::size_t row = at % (n * n) / n;
        for (std::size_t k = 0; k < n; ++k)
          expected += static_cast<double>(left[matrix + row * n + k]) *
                      static_cast<double>(right[matrix + k * n + at % n]);
        allowed = 1e-4 * std::sqrt(static_cast<double>(n));
      } else if (m_shape.operation == Operations::transform) {
        std::uint32_t x = 0;
        std::uint32_t y = 0;
        std::uint32_t z = 0;
        std::memcpy(&x, m_a.data() + 4 * at, 4);
        std::memcpy(&y, m_b.data() + 4 * at, 4);
        std::memcpy(&z, c.data() + at, 4);
        if (z != (x ^ y)) return "word " + std::to_string(at) + " is not its input ^ key";
        continue;
      } else if (m_shape.operation == Operations::reduction) {
        const float* own = left + at * m_shape.elements;
        for (std::size_t i = 0; i < m_shape.elements; ++i) expected += static_cast<double>(own[i]);
        allowed = 1e-6 * static_cast<double>(m_shape.elements);
      } else if (m_shape.operation == Operations::random_generation) {
        if (!(c[at] >= 0 && c[at] < 1)) return difference("number", at, c[at], 0.5);
        continue;
      } else {
        expected = m_shape.operation == Operations::matrix_add
                       ? static_cast<double>(left[at] + right[at])
                       : static_cast<double>(left[at] * 0.5F);
      }
      if (!(std::abs(c[at] - expected) <= allowed))
        return difference("element", at, c[at], expected);
    }
    return {};
  }
  void write(JobFolder& folder) const override {
    if (!is_product()) {
      folder.add<std::byte>("a", "uint8", m_a, {m_a.size()});
      folder.add<std::byte>("key", "uint8", m_b, {m_b.size()});
      return;
    }
    folder.add<float>("a", "float32", floats(m_a), {m_shape.arrays, side(), side()});
    folder.add<float>("b", "float32", floats(m_b), {m_shape.arrays, side(), side()});
  }
  std::vector<std::unique_ptr<NativePeer>> native_peers(Space space) const override {
    if (!is_product()) return {};
    return kokkos_kernels_products(m_context, space, floats(m_a), floats(m_b), side());
  }
  std::string compare(const std::string& peer, const PeerAnswer& answer) override {
    if (answer.scores.empty()) return "=" + peer + " moves as many bytes";
    run(Space::serial);
    constexpr std::size_t wanted = 1000;
    const std::span<const float> products = floats(m_c);
    return compare_values(
        is_product() ? sampled(products.size(), wanted, [&](std::size_t i) { return products[i]; })
                     : sampled(m_c.size(), wanted,
                               [&](std::size_t i) { return std::to_integer<int>(m_c[i]); }),
        answer.scores, is_product() ? 1e-3 : 0);
  }

 private:
  struct Set {
    std::vector<SpaceBuffer> memory;
    std::vector<Prepared> prepared;
  };

  static std::span<const float> floats(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
  }
  std::size_t all() const { return m_shape.elements * m_shape.arrays; }
  bool is_product() const { return m_shape.operation == Operations::matrix_multiply; }
  std::size_t side() const {
    return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(m_shape.elements))));
  }
  /// Fills with numbers in [−1, 1), or with arbitrary bytes.
  void fill(std::vector<std::byte>& to, std::uint64_t seed) const {
    if (m_shape.operation == Operations::transform) {
      for (std::size_t i = 0; i + 8 <= to.size(); i += 8) {
        const std::uint64_t word = random_word(seed, i);
        std::memcpy(to.data() + i, &word, 8);
      }
      return;
    }
    const Values<float> values = uniform_values(all(), seed, m_context.threads());
    std::memcpy(to.data(), values.data(), to.size());
  }

  /// Views \p bytes as arrays.
  template <class T, class Byte>
  std::vector<std::span<T>> cut(std::span<Byte> whole) const {
    std::vector<std::span<T>> arrays;
    auto* data = reinterpret_cast<T*>(whole.data());
    for (std::size_t i = 0; i < m_shape.arrays; ++i)
      arrays.emplace_back(data + i * m_shape.elements, m_shape.elements);
    return arrays;
  }
  /// Views \p bytes as square matrices.
  template <class Byte>
  auto matrices(std::span<Byte> whole) const {
    using T = std::conditional_t<std::is_const_v<Byte>, const float, float>;
    std::vector<decltype(matrix_array(std::span<T>(), 0, 0))> out;
    for (const std::span<T> one : cut<T>(whole)) out.push_back(matrix_array(one, side(), side()));
    return out;
  }
  std::size_t result_bytes() const {
    if (m_shape.operation == Operations::reduction) return m_shape.arrays * sizeof(double);
    return m_a.size();
  }
  Values<float> result() const {
    std::vector<std::byte> bytes = m_c;
    if (m_shape.resident) {
      bytes.resize(result_bytes());
      m_sets.at(m_space).memory.back().download(bytes);
    }
    Values<float> out;
    if (m_shape.operation == Operations::reduction && m_shape.resident) {
      for (std::size_t i = 0; i < m_shape.arrays; ++i) {
        double value = 0;
        std::memcpy(&value, bytes.data() + 8 * i, 8);
        out.push_back(static_cast<float>(value));
      }
      return out;
    }
    out.resize(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
    return out;
  }

  Set make(Space space) {
    Set set;
    set.memory.emplace_back(m_context, space, m_a);
    set.memory.emplace_back(m_context, space, m_b);
    set.memory.emplace_back(m_context, space, result_bytes());
    const std::span<const std::byte> a = set.memory[0].bytes();
    const std::span<const std::byte> b = set.memory[1].bytes();
    const std::span<std::byte> c = set.memory[2].bytes();
    set.prepared.push_back(prepared(space, a, b, c));
    return set;
  }

  Prepared prepared(Space space, std::span<const std::byte> a, std::span<const std::byte> b,
                    std::span<std::byte> c) {
    const Operation operation = m_shape.operation;
    const BulkOptions options{space};
    if (operation == Operations::transform)
      return Bulk::prepare_xor(m_context, cut<const std::uint8_t>(a), cut<const std::uint8_t>(b),
                               cut<std::uint8_t>(c), options);
    if (operation == Operations::reduction) {
      const std::span sums(reinterpret_cast<double*>(c.data()), m_shape.arrays);
      return Bulk::prepare_reduce(m_context, Reduction::sum, cut<const float>(a), sums, options);
    }
    if (operation == Operations::random_generation)
      return Bulk::prepare_random_fill(m_context, cut<float>(c), m_seed, 0, options);
    if (operation == Operations::matrix_multiply)
      return Bulk::prepare_multiply(m_context, matrices(a), matrices(b), matrices(c), options);
    if (operation == Operations::matrix_add)
      return Bulk::prepare_element_wise(m_context, ElementWise::add, cut<const float>(a),
                                        cut<const float>(b), cut<float>(c), options);
    return Bulk::prepare_element_wise(m_context, ElementWise::multiply, cut<const float>(a), 0.5F,
                                      cut<float>(c), options);
  }

  DispatchRecord run_here(std::optional<Space> space) {
    const BulkOptions options{space};
    m_c.resize(m_shape.operation == Operations::reduction ? m_shape.arrays * sizeof(float)
                                                          : m_a.size());
    const std::span<const std::byte> a = m_a;
    const std::span<const std::byte> b = m_b;
    const std::span<std::byte> c = m_c;
    const Operation operation = m_shape.operation;
    if (operation == Operations::transform)
      return m_bulk
          .xor_elements(cut<const std::uint8_t>(a), cut<const std::uint8_t>(b),
                        cut<std::uint8_t>(c), options)
          .record;
    if (operation == Operations::reduction) {
      const std::span sums(reinterpret_cast<float*>(m_c.data()), m_shape.arrays);
      return m_bulk.reduce(Reduction::sum, cut<const float>(a), sums, options).record;
    }
    if (operation == Operations::random_generation)
      return m_bulk.random_fill(cut<float>(c), m_seed, 0, options).record;
    if (operation == Operations::matrix_multiply) {
      const auto n = static_cast<std::int64_t>(side());
      const std::array shape{static_cast<std::int64_t>(m_shape.arrays), n, n};
      return m_bulk
          .multiply(ConstArray(m_a.data(), DataType::float32, shape),
                    ConstArray(m_b.data(), DataType::float32, shape),
                    Array(m_c.data(), DataType::float32, shape), options)
          .record;
    }
    if (operation == Operations::matrix_add)
      return m_bulk.add_matrices(cut<const float>(a), cut<const float>(b), cut<float>(c), options)
          .record;
    return m_bulk
        .element_wise(ElementWise::multiply, cut<const float>(a), 0.5F, cut<float>(c), options)
        .record;
  }

  Context& m_context;
  Bulk m_bulk{m_context};
  BulkShape m_shape;
  std::uint64_t m_seed;
  std::vector<std::byte> m_a;
  std::vector<std::byte> m_b;
  std::vector<std::byte> m_c;
  Space m_space = Space::serial;
  std::map<Space, Set> m_sets;
};

/// The sum of 32-bit integers on the host.
class IntegerSumProblem final : public Problem {
 public:
  IntegerSumProblem(Context& context, std::size_t count, std::uint64_t seed)
      : m_bulk(context), m_values(count) {
    for (std::size_t i = 0; i < count; ++i)
      m_values[i] = static_cast<std::int32_t>(random_word(seed, i));
    name = "BM_Bulk_integer_sum";
    arguments = {{"elements", static_cast<std::int64_t>(count)}};
    job = "bulk_integer_sum";
    unit = "elements";
    items = static_cast<double>(count);
    bytes = sizeof(std::int32_t) * items;
  }
  bool reaches(Space) const override { return true; }
  DispatchRecord run(std::optional<Space> space) override {
    return m_bulk.reduce(Reduction::sum, m_values, std::span(&m_sum, 1), {space}).record;
  }
  std::uint64_t digest() const override { return static_cast<std::uint64_t>(m_sum); }
  std::string check() const override {
    std::int64_t expected = 0;
    for (const std::int32_t value : m_values) expected += value;
    return m_sum == expected
               ? ""
               : difference("sum", 0, static_cast<double>(m_sum), static_cast<double>(expected));
  }
  void write(JobFolder& folder) const override {
    folder.add<std::int32_t>("values", "int32", m_values, {m_values.size()});
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    run(Space::serial);
    return compare_values(std::array{m_sum}, answer.scores, 0);
  }

 private:
  Bulk m_bulk;
  Values<std::int32_t> m_values;
  std::int64_t m_sum = 0;
};

}  // namespace

std::unique_ptr<Problem> integer_sum_problem(Context& context, std::size_t count,
                                             std::uint64_t seed) {
  return std::make_unique<IntegerSumProblem>(context, count, seed);
}
std::unique_ptr<Problem> bulk_problem(Context& context, const BulkShape& shape,
                                      std::uint64_t seed) {
  return std::make_unique<BulkProblem>(context, shape, seed);
}

}  // namespace Kindred::Perf
