// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Bulk.hpp>

#include "kokkos_kernels/KokkosKernelsPeers.hpp"
#include "peers/CompareValues.hpp"
#include "peers/WorkFactories.hpp"

#include <array>
#include <cstring>

namespace Kindred::Perf {

namespace {

/// xor of bytes with a key; the peer copies as many bytes as that reads and writes.
class XorWork final : public Work {
 public:
  XorWork(Context& context, std::size_t count, std::uint64_t seed)
      : m_bulk(context), m_a(count), m_key(count), m_out(count) {
    for (std::size_t i = 0; i < count; ++i) {
      m_a[i] = static_cast<std::uint8_t>(random_word(seed, i / 8) >> (i % 8 * 8));
      m_key[i] = static_cast<std::uint8_t>(random_word(seed + 1, i / 8) >> (i % 8 * 8));
    }
    kind = "bulk_xor";
    unit = "bytes";
    items = static_cast<double>(count);
    bytes = 3 * items;
  }
  void write(JobFolder& folder) const override {
    folder.add<std::uint8_t>("a", "uint8", m_a, {m_a.size()});
    folder.add<std::uint8_t>("key", "uint8", m_key, {m_key.size()});
  }
  void run(Space space) const override { m_bulk.xor_elements(m_a, m_key, m_out, {space}); }
  std::string compare(const std::string& peer, const PeerAnswer& answer) const override {
    if (answer.scores.empty()) return "=" + peer + " moves as many bytes";
    run(Space::serial);
    const std::size_t step = std::max<std::size_t>(1, m_out.size() / 1000);
    for (std::size_t i = 0; i < answer.scores.size(); ++i) {
      if (m_out[i * step] != answer.scores[i])
        return differs(i * step, m_out[i * step], answer.scores[i]);
    }
    return {};
  }

 private:
  Bulk m_bulk;
  Values<std::uint8_t> m_a;
  Values<std::uint8_t> m_key;
  mutable Values<std::uint8_t> m_out;
};

/// The sum of 32-bit integers.
class IntegerSumWork final : public Work {
 public:
  IntegerSumWork(Context& context, std::size_t count, std::uint64_t seed)
      : m_bulk(context), m_values(count) {
    for (std::size_t i = 0; i < count; ++i)
      m_values[i] = static_cast<std::int32_t>(random_word(seed, i));
    kind = "bulk_integer_sum";
    unit = "elements";
    items = static_cast<double>(count);
    bytes = sizeof(std::int32_t) * items;
  }
  void write(JobFolder& folder) const override {
    folder.add<std::int32_t>("values", "int32", m_values, {m_values.size()});
  }
  void run(Space space) const override {
    m_bulk.reduce(Reduction::sum, m_values, std::span(&m_sum, 1), {space});
  }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    run(Space::serial);
    if (answer.scores.at(0) == static_cast<double>(m_sum)) return {};
    return differs(0, static_cast<double>(m_sum), answer.scores[0]);
  }

 private:
  Bulk m_bulk;
  Values<std::int32_t> m_values;
  mutable std::int64_t m_sum = 0;
};

/// Products of square matrices.
class ProductWork final : public Work {
 public:
  ProductWork(Context& context, const char* peers, std::size_t count, std::size_t side,
              std::uint64_t seed)
      : m_context(context),
        m_bulk(context),
        m_side(side),
        m_a(uniform_values(count * side * side, seed, 1)),
        m_b(uniform_values(count * side * side, seed + 1, 1)),
        m_c(count * side * side) {
    kind = peers;
    unit = "multiply-adds";
    items = static_cast<double>(m_a.size()) * static_cast<double>(side);
    bytes = 3 * static_cast<double>(m_a.size() * sizeof(float));
  }
  void write(JobFolder& folder) const override {
    const std::vector<std::size_t> shape{m_a.size() / m_side / m_side, m_side, m_side};
    folder.add<float>("a", "float32", m_a, shape);
    folder.add<float>("b", "float32", m_b, shape);
  }
  void run(Space space) const override {
    const auto side = static_cast<std::int64_t>(m_side);
    const std::array shape{static_cast<std::int64_t>(m_a.size()) / side / side, side, side};
    m_bulk.multiply(ConstArray(m_a.data(), DataType::float32, shape),
                    ConstArray(m_b.data(), DataType::float32, shape),
                    Array(m_c.data(), DataType::float32, shape), {space});
  }
  std::vector<std::unique_ptr<NativePeer>> native_peers(Space space) const override {
    return kokkos_kernels_products(m_context, space, m_a, m_b, m_side);
  }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    const std::size_t step = std::max<std::size_t>(1, m_c.size() / 1000);
    run(Space::serial);
    std::vector<float> ours;
    for (std::size_t i = 0; i < answer.scores.size(); ++i) ours.push_back(m_c[i * step]);
    return compare_values(ours, answer.scores, 1e-3);
  }

 private:
  Context& m_context;
  Bulk m_bulk;
  std::size_t m_side;
  Values<float> m_a;
  Values<float> m_b;
  mutable Values<float> m_c;
};

}  // namespace

std::unique_ptr<Work> xor_work(Context& context, std::size_t count, std::uint64_t seed) {
  return std::make_unique<XorWork>(context, count, seed);
}
std::unique_ptr<Work> integer_sum_work(Context& context, std::size_t count, std::uint64_t seed) {
  return std::make_unique<IntegerSumWork>(context, count, seed);
}
std::unique_ptr<Work> product_work(Context& context, const char* peers, std::size_t count,
                                   std::size_t side, std::uint64_t seed) {
  return std::make_unique<ProductWork>(context, peers, count, side, seed);
}

}  // namespace Kindred::Perf
