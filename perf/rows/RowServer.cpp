// SPDX-License-Identifier: Apache-2.0
#include "rows/RowServer.hpp"

#include <kindred/core/common/Error.hpp>

#include "common/KernelsOf.hpp"
#include "common/Timing.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

namespace Kindred::Perf {

namespace {

/// Short calls are repeated for as many seconds.
constexpr double shortest = 0.002;
constexpr int queued_repeats = 3;

class RowServer {
 public:
  RowServer(const std::vector<Row>& rows, Space space) : m_rows(rows), m_space(space) {}

  Json answer(const Json& request) {
    if (request.contains("prepare")) return prepare(request["prepare"].get<std::string>());
    if (!m_problem) throw Error("no row is prepared");
    const auto time = request.at("time").get<std::string>();
    double seconds = 0;
    if (time == "call")
      seconds = call() / m_row->calls;
    else if (time == "kernels")
      seconds = kernels() / m_row->calls;
    else if (time == "queued" && m_row->queued)
      seconds = m_problem->queued(m_space, queued_repeats).seconds;
    return {{"seconds", seconds}};
  }

 private:
  Json prepare(const std::string& name) {
    m_problem = nullptr;
    const auto row = std::ranges::find(m_rows, name, &Row::name);
    if (row == m_rows.end()) throw Error("there is no row " + name);
    m_row = &*row;
    m_problem = row->make();
    m_call = 0;
    m_repeats = 1;
    m_problem->turn(0);
    m_problem->run(m_space);
    Json out{{"wrong", m_problem->check()}, {"digest", std::to_string(m_problem->digest())}};
    for (int i = 1; i < row->warm; ++i) next();
    m_repeats = std::max(1, static_cast<int>(shortest / std::max(timed([&] { next(); }), 1e-7)));
    return out;
  }

  void next() {
    m_problem->turn(m_call++);
    m_problem->run(m_space);
  }
  double call() {
    return timed([&] {
             for (int i = 0; i < m_repeats; ++i) next();
           }) /
           m_repeats;
  }
  double kernels() {
    m_problem->turn(m_call++);
    double seconds = 0;
    for (const KernelTime& kernel : kernels_of(*m_problem, m_space)) seconds += kernel.seconds;
    return seconds;
  }

  const std::vector<Row>& m_rows;
  Space m_space;
  const Row* m_row = nullptr;
  std::unique_ptr<Problem> m_problem;
  std::size_t m_call = 0;
  int m_repeats = 1;
};

void write_line(const Json& json) { std::cout << json.dump() << '\n' << std::flush; }

}  // namespace

void serve_rows(const std::vector<Row>& rows, Space space, const Json& context) {
  Json names = Json::array();
  for (const Row& row : rows) names.push_back(row.name);
  write_line({{"rows", std::move(names)}, {"context", context}});
  RowServer server(rows, space);
  for (std::string line; std::getline(std::cin, line);) {
    try {
      write_line(server.answer(Json::parse(line)));
    } catch (const std::exception& error) {
      write_line({{"error", error.what()}});
    }
  }
}

}  // namespace Kindred::Perf
