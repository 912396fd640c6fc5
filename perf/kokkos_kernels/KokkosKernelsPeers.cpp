// SPDX-License-Identifier: Apache-2.0
#include "kokkos_kernels/KokkosKernelsPeers.hpp"

#if KINDRED_HAS_KOKKOS_KERNELS

#include "machine/RepeatedCalls.hpp"

#include <KokkosKernels_config.h>
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Serial_Impl.hpp>
#include <KokkosBlas3_gemm.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace Kindred::Perf {

namespace {

/// Values in the memory of an execution space.
template <class ExecutionSpace, class T>
Kokkos::View<T*, typename ExecutionSpace::memory_space> placed(const ExecutionSpace& exec_space,
                                                               const std::vector<T>& values) {
  using Host = Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::View<T*, typename ExecutionSpace::memory_space> view(
      Kokkos::view_alloc(exec_space, Kokkos::WithoutInitializing, "Kindred::Perf::peer"),
      values.size());
  Kokkos::deep_copy(exec_space, view, Host(values.data(), values.size()));
  exec_space.fence("Kindred::Perf::KokkosKernels::placed");
  return view;
}

/// The rows of the transpose.
struct Rows {
  Rows(std::span<const Edge> edges, std::size_t nodes)
      : first(nodes + 1), from(edges.size()), weight(edges.size()) {
    for (const Edge& edge : edges) ++first[edge.to + 1];
    for (std::size_t node = 0; node < nodes; ++node) first[node + 1] += first[node];
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (const Edge& edge : edges) {
      const std::size_t place = next[edge.to]++;
      from[place] = static_cast<int>(edge.from);
      weight[place] = edge.weight;
    }
  }

  std::vector<std::size_t> first;
  std::vector<int> from;
  std::vector<float> weight;
};

/// \tparam Vector `float*` for one column, `float**` for several
template <class ExecutionSpace, class Vector>
class HopPeer final : public NativePeer {
  using memory_space = typename ExecutionSpace::memory_space;
  using device_type = Kokkos::Device<ExecutionSpace, memory_space>;
  using Matrix = KokkosSparse::CrsMatrix<float, int, device_type, void, std::size_t>;
  using View = Kokkos::View<Vector, Kokkos::LayoutRight, device_type>;
  using Handle = KokkosSparse::SPMVHandle<ExecutionSpace, Matrix, View, View>;

 public:
  HopPeer(const ExecutionSpace& exec_space, const Rows& rows, std::span<const float> x,
          std::size_t columns)
      : m_exec_space(exec_space) {
    const std::size_t nodes = rows.first.size() - 1;
    name = columns == 1 ? "Kokkos Kernels SpMV" : "Kokkos Kernels SpMM";
    m_matrix = Matrix("W", static_cast<int>(nodes), static_cast<int>(nodes), rows.from.size(),
                      placed(exec_space, rows.weight), placed(exec_space, rows.first),
                      placed(exec_space, rows.from));
    const Kokkos::LayoutRight shape =
        View::rank == 1 ? Kokkos::LayoutRight(nodes) : Kokkos::LayoutRight(nodes, columns);
    m_x = View("Kindred::Perf::x", shape);
    m_y = View("Kindred::Perf::y", shape);
    const auto host = Kokkos::create_mirror_view(m_x);
    std::copy(x.begin(), x.end(), host.data());
    Kokkos::deep_copy(exec_space, m_x, host);
    exec_space.fence("Kindred::Perf::KokkosKernels::HopPeer");
  }
  void run() override {
    KokkosSparse::spmv(m_exec_space, &m_handle, KokkosSparse::NoTranspose, 1.0F, m_matrix, m_x,
                       0.0F, m_y);
    m_exec_space.fence("Kindred::Perf::KokkosKernels::run");
  }
  PeerAnswer answer() const override {
    const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_y);
    return {{}, std::vector<double>(y.data(), y.data() + y.size())};
  }

 private:
  ExecutionSpace m_exec_space;
  Matrix m_matrix;
  View m_x;
  View m_y;
  Handle m_handle;
};

/// Square matrices of one side, one after the other.
template <class ExecutionSpace>
struct Squares {
  using memory_space = typename ExecutionSpace::memory_space;
  using square_type = Kokkos::View<float**, Kokkos::LayoutRight, memory_space,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KOKKOS_FUNCTION square_type operator()(std::size_t i) const {
    return square_type(values.data() + i * side * side, side, side);
  }

  Kokkos::View<float*, memory_space> values;
  std::size_t side;
};

/// Multiplies matrix i of both lists on one thread.
template <class ExecutionSpace>
struct MultiplySquares {
  using gemm_type = KokkosBatched::SerialGemm<KokkosBatched::Trans::NoTranspose,
                                              KokkosBatched::Trans::NoTranspose,
                                              KokkosBatched::Algo::Gemm::Blocked>;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    gemm_type::invoke(1.0F, a(i), b(i), 0.0F, c(i));
  }

  Squares<ExecutionSpace> a;
  Squares<ExecutionSpace> b;
  Squares<ExecutionSpace> c;
};

template <class ExecutionSpace>
class ProductsPeer final : public NativePeer {
 public:
  ProductsPeer(const ExecutionSpace& exec_space, const std::vector<float>& a,
               const std::vector<float>& b, std::size_t side, bool side_by_side)
      : m_exec_space(exec_space),
        m_count(a.size() / (side * side)),
        m_work{{placed(exec_space, a), side},
               {placed(exec_space, b), side},
               {placed(exec_space, std::vector<float>(a.size())), side}},
        m_side_by_side(side_by_side) {
    name = side_by_side ? "Kokkos Kernels batched" : "Kokkos Kernels gemm";
  }
  void run() override {
    if (m_side_by_side) {
      Kokkos::parallel_for("Kindred::Perf::KokkosKernels::products",
                           Kokkos::RangePolicy<ExecutionSpace>(m_exec_space, 0, m_count), m_work);
    } else {
      for (std::size_t i = 0; i < m_count; ++i)
        KokkosBlas::gemm(m_exec_space, "N", "N", 1.0F, m_work.a(i), m_work.b(i), 0.0F, m_work.c(i));
    }
    m_exec_space.fence("Kindred::Perf::KokkosKernels::run");
  }
  PeerAnswer answer() const override {
    const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_work.c.values);
    PeerAnswer sampled;
    const std::size_t step = std::max<std::size_t>(1, c.size() / 1000);
    for (std::size_t i = 0; i < c.size(); i += step) sampled.scores.push_back(c(i));
    return sampled;
  }

 private:
  ExecutionSpace m_exec_space;
  std::size_t m_count;
  MultiplySquares<ExecutionSpace> m_work;
  bool m_side_by_side;
};

}  // namespace

std::string kokkos_kernels_version() {
  return std::to_string(KOKKOSKERNELS_VERSION_MAJOR) + "." +
         std::to_string(KOKKOSKERNELS_VERSION_MINOR) + "." +
         std::to_string(KOKKOSKERNELS_VERSION_PATCH);
}

std::vector<std::unique_ptr<NativePeer>> kokkos_kernels_hop(Context& context, Space space,
                                                            std::span<const Edge> edges,
                                                            std::size_t nodes,
                                                            std::span<const float> x,
                                                            std::size_t columns) {
  const Rows rows(edges, nodes);
  std::vector<std::unique_ptr<NativePeer>> peers;
  with_own_instance(context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    if (columns == 1) {
      peers.push_back(
          std::make_unique<HopPeer<ExecutionSpace, float*>>(exec_space, rows, x, columns));
    } else {
      peers.push_back(
          std::make_unique<HopPeer<ExecutionSpace, float**>>(exec_space, rows, x, columns));
    }
  });
  return peers;
}

std::vector<std::unique_ptr<NativePeer>> kokkos_kernels_products(Context& context, Space space,
                                                                 std::span<const float> a,
                                                                 std::span<const float> b,
                                                                 std::size_t side) {
  const std::vector<float> left(a.begin(), a.end());
  const std::vector<float> right(b.begin(), b.end());
  std::vector<std::unique_ptr<NativePeer>> peers;
  with_own_instance(context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    using peer_type = ProductsPeer<ExecutionSpace>;
    peers.push_back(std::make_unique<peer_type>(exec_space, left, right, side, false));
    if (a.size() > side * side)
      peers.push_back(std::make_unique<peer_type>(exec_space, left, right, side, true));
  });
  return peers;
}

}  // namespace Kindred::Perf

#else

namespace Kindred::Perf {

std::string kokkos_kernels_version() { return {}; }

std::vector<std::unique_ptr<NativePeer>> kokkos_kernels_hop(Context&, Space, std::span<const Edge>,
                                                            std::size_t, std::span<const float>,
                                                            std::size_t) {
  return {};
}

std::vector<std::unique_ptr<NativePeer>> kokkos_kernels_products(Context&, Space,
                                                                 std::span<const float>,
                                                                 std::span<const float>,
                                                                 std::size_t) {
  return {};
}

}  // namespace Kindred::Perf

#endif
