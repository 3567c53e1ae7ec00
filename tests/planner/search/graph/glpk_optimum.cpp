// Writes a linear program in CPLEX's text format, runs glpsol on it, and reads the solution.
#include "tests/planner/search/graph/glpk_optimum.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace cnnplan {
namespace {

std::string chosen(int unit, int candidate) {
  return "x" + std::to_string(unit) + "_" + std::to_string(candidate);
}

std::string pair_chosen(std::size_t edge, int row, int column) {
  return "y" + std::to_string(edge) + "_" + std::to_string(row) + "_" + std::to_string(column);
}

// Variables of units first: glpsol numbers columns as it meets them.
void write_sum(std::ostream& out, const CostGraph& graph) {
  for (int unit = 0; unit < graph.unit_count(); ++unit) {
    for (int i = 0; i < graph.candidate_count(unit); ++i) {
      const double cost = graph.units[unit][i];
      out << " + " << cost << ' ' << chosen(unit, i) << '\n';
    }
  }
  for (std::size_t edge = 0; edge < graph.edges.size(); ++edge) {
    const CostMatrix& costs = graph.edges[edge].costs.matrix();
    for (int row = 0; row < costs.rows(); ++row) {
      for (int column = 0; column < costs.columns(); ++column) {
        out << " + " << costs(row, column) << ' ' << pair_chosen(edge, row, column) << '\n';
      }
    }
  }
}

void write_one_per_unit(std::ostream& out, const CostGraph& graph) {
  for (int unit = 0; unit < graph.unit_count(); ++unit) {
    out << " unit" << unit << ":";
    for (int i = 0; i < graph.candidate_count(unit); ++i) out << " + " << chosen(unit, i);
    out << " = 1\n";
  }
}

// The pairs that a candidate is in are chosen as often as it is.
void write_pairs(std::ostream& out, const CostGraph& graph) {
  for (std::size_t number = 0; number < graph.edges.size(); ++number) {
    const CostEdge& edge = graph.edges[number];
    for (int row = 0; row < edge.costs.rows(); ++row) {
      for (int column = 0; column < edge.costs.columns(); ++column) {
        out << " + " << pair_chosen(number, row, column);
      }
      out << " - " << chosen(edge.from, row) << " = 0\n";
    }
    for (int column = 0; column < edge.costs.columns(); ++column) {
      for (int row = 0; row < edge.costs.rows(); ++row) {
        out << " + " << pair_chosen(number, row, column);
      }
      out << " - " << chosen(edge.to, column) << " = 0\n";
    }
  }
}

void write_program(std::ostream& out, const LimitedGraph& graph) {
  out.precision(std::numeric_limits<double>::max_digits10);
  out << "Minimize\n seconds:\n";
  write_sum(out, graph.seconds);
  out << "Subject To\n";
  write_one_per_unit(out, graph.seconds);
  write_pairs(out, graph.seconds);
  if (std::isfinite(graph.limit_bytes)) {
    out << " bytes:\n";
    write_sum(out, graph.bytes);
    out << " <= " << graph.limit_bytes << '\n';
  }
  out << "Binary\n";
  for (int unit = 0; unit < graph.seconds.unit_count(); ++unit) {
    for (int i = 0; i < graph.seconds.candidate_count(unit); ++i) {
      out << ' ' << chosen(unit, i) << '\n';
    }
  }
  out << "End\n";
}

// Reads a line "s mip rows columns status objective", then lines "j column value".
std::optional<Assignment> read_solution(std::istream& in, const CostGraph& graph) {
  std::vector<double> values;
  std::string line, kind, skipped, status;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    words >> kind;
    if (kind == "s") words >> skipped >> skipped >> skipped >> status;
    if (kind == "j") words >> skipped >> values.emplace_back();
  }
  if (status == "n") return std::nullopt;
  if (status != "o") throw std::runtime_error("glpsol did not decide: status '" + status + "'");
  Assignment assignment;
  std::size_t column = 0;
  for (const std::vector<double>& candidates : graph.units) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (values.at(column++) > 0.5) assignment.push_back(static_cast<int>(i));
    }
  }
  return assignment;
}

// The words have no quotes: they are ours.
bool succeeds(const std::string& command) {
  return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
}

}  // namespace

bool has_glpsol() {
  return succeeds("glpsol --version");
}

std::optional<Assignment> glpk_optimum(const LimitedGraph& graph,
                                       const std::filesystem::path& file) {
  const std::string solution = file.string() + ".solution";
  std::filesystem::remove(solution);
  std::ofstream out(file);
  write_program(out, graph);
  out.close();
  if (!succeeds("glpsol --tmlim 60 --lp '" + file.string() + "' --write '" + solution + "'")) {
    throw std::runtime_error("glpsol failed on " + file.string());
  }
  std::ifstream in(solution);
  return read_solution(in, graph.seconds);
}

}  // namespace cnnplan
