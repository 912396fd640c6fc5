// SPDX-License-Identifier: Apache-2.0
// Layers, lists of arrays and lattices: the results of the C interface are those of the C++
// interface.
#include "CSupport.hpp"

#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/matcher/Lattice.hpp>

#include <Support.hpp>
#include <TempFolder.hpp>

#include <string>
#include <vector>

namespace Kindred::Testing {
namespace {

TEST(CLayers, AreThoseOfCpp) {
  for (const std::int64_t rows : {0, 1, 2, 33})
    for (const std::int64_t columns : {1, 31, 64}) {
      const auto size = static_cast<std::size_t>(rows * columns);
      const auto width = static_cast<std::size_t>(columns);
      const std::vector<float> x = random_rows("CLayers x", size);
      const std::vector<float> w = random_rows("CLayers w", 5 * width);
      const std::vector<float> gamma = random_rows("CLayers gamma", width);
      const std::vector<float> bias = random_rows("CLayers bias", 5);
      std::vector<float> y(size);
      std::vector<float> expected(size);
      std::vector<float> mean(static_cast<std::size_t>(rows));
      std::vector<float> expected_mean(mean.size());
      Tensor x_tensor(x.data(), KINDRED_FLOAT32, rows, columns);
      Tensor y_tensor(y.data(), KINDRED_FLOAT32, rows, columns);
      Tensor w_tensor(w.data(), KINDRED_FLOAT32, 5, columns);
      Tensor gamma_tensor(gamma.data(), KINDRED_FLOAT32, 1, columns);
      Tensor bias_tensor(bias.data(), KINDRED_FLOAT32, 1, 5);
      Tensor mean_tensor(mean.data(), KINDRED_FLOAT32, 1, rows);
      for (const std::int32_t space : c_spaces()) {
        kindred_layer_options options = KINDRED_LAYER_OPTIONS_INIT;
        options.activation = KINDRED_ACTIVATION_GELU;
        options.space = space;
        KINDRED_ASSERT_OK(kindred_norm_layer(c_context(), &x_tensor, &gamma_tensor, nullptr,
                                             &options, &y_tensor, &mean_tensor, nullptr));
        NormLayer norm;
        norm.x = matrix_of(std::span<const float>(x), static_cast<std::size_t>(rows), width);
        norm.y = matrix_of(std::span<float>(expected), static_cast<std::size_t>(rows), width);
        norm.gamma = gamma;
        norm.mean = expected_mean;
        run_norm_layers(context(), {&norm, 1});
        EXPECT_EQ(y, expected);
        EXPECT_EQ(mean, expected_mean);

        std::vector<float> product(5 * static_cast<std::size_t>(rows));
        std::vector<float> expected_product(product.size());
        Tensor product_tensor(product.data(), KINDRED_FLOAT32, rows, 5);
        options.reproducible = 1;
        KINDRED_ASSERT_OK(kindred_linear_layer(c_context(), &x_tensor, &w_tensor, &bias_tensor,
                                               &options, &product_tensor));
        LinearLayer linear;
        linear.x = norm.x;
        linear.w = matrix_of(std::span<const float>(w), 5, width);
        linear.bias = bias;
        linear.y = matrix_of(std::span<float>(expected_product), static_cast<std::size_t>(rows), 5);
        linear.activation = LayerActivation::gelu;
        run_linear_layers(context(), {&linear, 1}, {.reproducible = true});
        EXPECT_EQ(product, expected_product);
        EXPECT_EQ(kindred_linear_layer(c_context(), &x_tensor, &w_tensor, &gamma_tensor, &options,
                                       &product_tensor),
                  columns == 5 ? KINDRED_OK : KINDRED_INVALID);
      }
    }
}

TEST(CBulk, OperationsAreThoseOfCpp) {
  const Bulk expected(context());
  Owned<kindred_bulk> bulk(kindred_bulk_destroy);
  KINDRED_ASSERT_OK(kindred_bulk_create(c_context(), &bulk));
  const std::vector<float> a = random_rows("CBulk a", 12);
  const std::vector<float> b = random_rows("CBulk b", 12);
  std::vector<float> out(12);
  std::vector<float> expected_out(12);
  Tensor a_tensor(a.data(), KINDRED_FLOAT32, 3, 4);
  Tensor b_tensor(b.data(), KINDRED_FLOAT32, 3, 4);
  Tensor c_tensor(out.data(), KINDRED_FLOAT32, 3, 4);
  const DLTensor* as[] = {&a_tensor};
  const DLTensor* bs[] = {&b_tensor};
  DLTensor* cs[] = {&c_tensor};
  const std::span<const float> a_list[] = {a};
  const std::span<const float> b_list[] = {b};
  const std::span<float> out_list[] = {expected_out};
  kindred_record record = KINDRED_RECORD_INIT;
  KINDRED_ASSERT_OK(
      kindred_bulk_element_wise(bulk, KINDRED_BULK_ADD, as, bs, 0, cs, 1, nullptr, &record));
  expected.element_wise<float>(ElementWise::add, a_list, BulkArrays<float>(b_list), out_list);
  EXPECT_EQ(out, expected_out);
  EXPECT_STREQ(record.operation, "element-wise");
  KINDRED_ASSERT_OK(kindred_bulk_element_wise(bulk, KINDRED_BULK_MULTIPLY, as, nullptr, 2.5, cs, 1,
                                              nullptr, nullptr));
  expected.element_wise<float>(ElementWise::multiply, a_list, 2.5F, out_list);
  EXPECT_EQ(out, expected_out);
  KINDRED_ASSERT_OK(kindred_bulk_element_wise(bulk, KINDRED_BULK_EXPONENTIAL, as, nullptr, 0, cs, 1,
                                              nullptr, nullptr));
  expected.element_wise<float>(ElementWise::exponential, a_list, out_list);
  EXPECT_EQ(out, expected_out);
  EXPECT_EQ(
      kindred_bulk_element_wise(bulk, KINDRED_BULK_SQUARE, as, bs, 0, cs, 1, nullptr, nullptr),
      KINDRED_INVALID);
  EXPECT_EQ(kindred_bulk_element_wise(bulk, 5, as, bs, 0, cs, 1, nullptr, nullptr),
            KINDRED_INVALID);
  KINDRED_ASSERT_OK(kindred_bulk_normalise(bulk, as, cs, 1, nullptr, nullptr));
  expected.normalise<float>(a_list, out_list);
  EXPECT_EQ(out, expected_out);
  KINDRED_ASSERT_OK(kindred_bulk_random_fill(bulk, cs, 1, 7, 3, nullptr, nullptr));
  expected.random_fill<float>(out_list, 7, 3);
  EXPECT_EQ(out, expected_out);
  float sum = 0;
  Tensor sum_tensor(&sum, KINDRED_FLOAT32, 1, 1);
  KINDRED_ASSERT_OK(
      kindred_bulk_reduce(bulk, KINDRED_REDUCE_SUM, as, 1, &sum_tensor, nullptr, nullptr));
  float expected_sum = 0;
  expected.reduce<float>(Reduction::sum, a_list, std::span<float>(&expected_sum, 1));
  EXPECT_EQ(sum, expected_sum);

  // 3 × 4 by 4 × 3
  std::vector<float> product(9);
  std::vector<float> expected_product(9);
  Tensor right(b.data(), KINDRED_FLOAT32, 4, 3);
  Tensor product_tensor(product.data(), KINDRED_FLOAT32, 3, 3);
  const DLTensor* rights[] = {&right};
  DLTensor* products[] = {&product_tensor};
  kindred_bulk_options options = KINDRED_BULK_OPTIONS_INIT;
  options.reproducible = 1;
  KINDRED_ASSERT_OK(kindred_bulk_multiply(bulk, as, rights, products, 1, &options, nullptr));
  const MatrixPair<float> pair{a, b, expected_product, 3, 3, 4};
  expected.multiply<float>({&pair, 1}, {.reproducible = true});
  EXPECT_EQ(product, expected_product);
  EXPECT_EQ(kindred_bulk_multiply(bulk, as, bs, products, 1, &options, nullptr), KINDRED_INVALID);

  const std::vector<std::uint8_t> bytes{1, 2, 3};
  std::vector<std::uint8_t> keys(3);
  std::vector<std::uint8_t> hidden(3);
  std::vector<std::uint8_t> shown(3);
  Tensor byte_tensor(bytes.data(), KINDRED_UINT8, 1, 3);
  Tensor key_tensor(keys.data(), KINDRED_UINT8, 1, 3);
  Tensor hidden_tensor(hidden.data(), KINDRED_UINT8, 1, 3);
  Tensor shown_tensor(shown.data(), KINDRED_UINT8, 1, 3);
  const DLTensor* byte_list[] = {&byte_tensor};
  DLTensor* key_list[] = {&key_tensor};
  const DLTensor* const_keys[] = {&key_tensor};
  DLTensor* hidden_list[] = {&hidden_tensor};
  const DLTensor* const_hidden[] = {&hidden_tensor};
  DLTensor* shown_list[] = {&shown_tensor};
  KINDRED_ASSERT_OK(kindred_bulk_xor_with_new_keys(bulk, byte_list, key_list, hidden_list, 1,
                                                   KINDRED_UNSET, nullptr, nullptr));
  KINDRED_ASSERT_OK(
      kindred_bulk_xor(bulk, const_hidden, const_keys, shown_list, 1, nullptr, nullptr));
  EXPECT_EQ(shown, bytes);
  KINDRED_EXPECT_OK(kindred_bulk_xor(bulk, nullptr, nullptr, nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(kindred_bulk_xor(bulk, as, const_keys, shown_list, 1, nullptr, nullptr),
            KINDRED_INVALID);
}

TEST(CLattice, IsThatOfCpp) {
  const TempFolder folder;
  const std::uint64_t blocked[] = {5};
  const kindred_lattice_pair blocked_edge[] = {{0, 1}};
  const LatticePair expected_edge[] = {{0, 1}};
  Owned<kindred_lattice> lattice(kindred_lattice_destroy);
  KINDRED_ASSERT_OK(
      kindred_lattice_create(c_context(), 2, 4, blocked, 1, blocked_edge, 1, &lattice));
  const Lattice expected(context(), 2, 4, {blocked, expected_edge});
  kindred_lattice_metrics metrics = KINDRED_LATTICE_METRICS_INIT;
  KINDRED_ASSERT_OK(kindred_lattice_describe(lattice, &metrics));
  EXPECT_EQ(metrics.nodes, 16U);
  EXPECT_EQ(metrics.edges, 24);
  EXPECT_EQ(metrics.greatest_degree, 4U);
  std::int32_t is_blocked = 0;
  KINDRED_ASSERT_OK(kindred_lattice_is_blocked(lattice, 5, &is_blocked));
  EXPECT_EQ(is_blocked, 1);
  EXPECT_EQ(kindred_lattice_is_blocked(lattice, 16, &is_blocked), KINDRED_INVALID);
  for (const std::int32_t space : c_spaces()) {
    Owned<kindred_results> rows(kindred_results_destroy);
    KINDRED_ASSERT_OK(kindred_lattice_rows(lattice, space, &rows));
    const LatticeRows expected_rows = expected.rows();
    ASSERT_EQ(kindred_results_offsets(rows)[16], expected_rows.ends.size());
    for (std::size_t i = 0; i < expected_rows.ends.size(); ++i)
      EXPECT_EQ(kindred_results_ids(rows)[i], expected_rows.ends[i]);
    const kindred_lattice_pair pairs[] = {{0, 15}, {0, 1}};
    const LatticePair expected_pairs[] = {{0, 15}, {0, 1}};
    Owned<kindred_results> paths(kindred_results_destroy);
    KINDRED_ASSERT_OK(kindred_lattice_paths(lattice, pairs, 2, space, &paths));
    const LatticePaths found = expected.paths(expected_pairs);
    for (std::size_t i = 0; i <= 2; ++i)
      EXPECT_EQ(kindred_results_offsets(paths)[i], found.paths.offsets[i]);
    for (std::size_t i = 0; i < found.paths.values.size(); ++i)
      EXPECT_EQ(kindred_results_ids(paths)[i], static_cast<std::int64_t>(found.paths.values[i]));
    const std::uint64_t sources[] = {0};
    std::vector<std::uint32_t> distances(16);
    std::uint64_t reached = 0;
    std::uint32_t farthest = 0;
    KINDRED_ASSERT_OK(kindred_lattice_distances(lattice, sources, 1, nullptr, 0, space,
                                                distances.data(), 16, &reached, &farthest,
                                                nullptr));
    const LatticeDistances expected_distances = expected.distances(sources);
    EXPECT_EQ(distances, expected_distances.distances);
    EXPECT_EQ(reached, expected_distances.reached);
    EXPECT_EQ(farthest, expected_distances.farthest);
  }
  const std::uint64_t sources[] = {0};
  const std::uint64_t targets[] = {15, 3};
  std::uint32_t two[2] = {};
  KINDRED_ASSERT_OK(kindred_lattice_distances(lattice, sources, 1, targets, 2, KINDRED_SPACE_ANY,
                                              two, 2, nullptr, nullptr, nullptr));
  EXPECT_EQ(two[0], 6U);
  EXPECT_EQ(kindred_lattice_distances(lattice, sources, 1, nullptr, 0, KINDRED_SPACE_ANY, two, 2,
                                      nullptr, nullptr, nullptr),
            KINDRED_INVALID);
  Owned<kindred_results> all(kindred_results_destroy);
  KINDRED_ASSERT_OK(kindred_lattice_all_paths(lattice, 0, 15, 8, 1000, &all));
  const Ragged<std::uint64_t> expected_all = expected.all_paths(0, 15, 8);
  std::size_t rows = 0;
  KINDRED_ASSERT_OK(kindred_results_rows(all, &rows));
  EXPECT_EQ(rows, expected_all.rows());
  kindred_results* refused = nullptr;
  EXPECT_EQ(kindred_lattice_all_paths(lattice, 0, 15, 8, 1, &refused), KINDRED_INVALID);
  const std::string path = folder / "lattice.knd";
  KINDRED_ASSERT_OK(kindred_lattice_save(lattice, path.c_str(), KINDRED_SPACE_ANY));
  kindred_graph_file_info info = KINDRED_GRAPH_FILE_INFO_INIT;
  KINDRED_ASSERT_OK(kindred_graph_inspect(path.c_str(), 1, &info));
  EXPECT_EQ(info.nodes, 16U);
  EXPECT_EQ(info.edges, 48U);
}

}  // namespace
}  // namespace Kindred::Testing
