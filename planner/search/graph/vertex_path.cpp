// Makes one vertex per unit and candidate, a source and a sink. Only this file knows Boost.Graph.
#include "planner/search/graph/vertex_path.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dag_shortest_paths.hpp>

namespace cnnplan {
namespace {

struct PathEdge {
  double weight = 0.0;
};
using PathGraph = boost::compressed_sparse_row_graph<boost::directedS,
                                                     boost::no_property,
                                                     PathEdge,
                                                     boost::no_property,
                                                     std::size_t,
                                                     std::size_t>;

struct EdgeList {
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  std::vector<PathEdge> edges;

  void add(std::size_t from, std::size_t to, double weight) {
    ends.emplace_back(from, to);
    edges.push_back({weight});
  }
};

// Vertex 0 is the source, candidate c of unit u is vertex first[u] + c, and first[unit_count] is
// the sink.
std::vector<std::size_t> first_vertices(const CostGraph& graph) {
  std::vector<std::size_t> first;
  first.reserve(graph.units.size() + 1);
  std::size_t next = 1;
  for (const std::vector<double>& unit : graph.units) {
    first.push_back(next);
    next += unit.size();
  }
  first.push_back(next);
  return first;
}

std::vector<CostMatrix> shuffles_to_next(const CostGraph& graph) {
  std::vector<CostMatrix> shuffles;
  for (int unit = 0; unit + 1 < graph.unit_count(); ++unit) {
    shuffles.emplace_back(graph.candidate_count(unit), graph.candidate_count(unit + 1));
  }
  for (const CostEdge& edge : graph.edges) {
    CostMatrix& sum = shuffles[edge.from];
    for (int row = 0; row < sum.rows(); ++row) {
      for (int column = 0; column < sum.columns(); ++column) {
        sum(row, column) += edge.costs(row, column);
      }
    }
  }
  return shuffles;
}

// Edges have the weight Cost_Di(i) + Shuffle(Di, Dj) between units, 0 from the source, and
// Cost_Di(last) to the sink.
EdgeList path_edges(const CostGraph& graph, const std::vector<std::size_t>& first) {
  const std::vector<CostMatrix> shuffles = shuffles_to_next(graph);
  EdgeList list;
  for (std::size_t c = 0; c < graph.units.front().size(); ++c) list.add(0, first[0] + c, 0.0);
  for (std::size_t unit = 0; unit < graph.units.size(); ++unit) {
    const bool last = unit + 1 == graph.units.size();
    for (std::size_t row = 0; row < graph.units[unit].size(); ++row) {
      const double cost = graph.units[unit][row];
      if (last) list.add(first[unit] + row, first[unit + 1], cost);
      for (std::size_t column = 0; !last && column < graph.units[unit + 1].size(); ++column) {
        list.add(first[unit] + row,
                 first[unit + 1] + column,
                 cost + shuffles[unit](static_cast<int>(row), static_cast<int>(column)));
      }
    }
  }
  return list;
}

std::vector<std::size_t> predecessors(const EdgeList& list, std::size_t vertex_count) {
  const PathGraph graph(boost::edges_are_unsorted_multi_pass,
                        list.ends.begin(),
                        list.ends.end(),
                        list.edges.begin(),
                        vertex_count);
  std::vector<std::size_t> predecessor(vertex_count);
  std::vector<double> distance(vertex_count);
  const auto index = boost::get(boost::vertex_index, graph);
  boost::dag_shortest_paths(
      graph,
      std::size_t{0},
      boost::weight_map(boost::get(&PathEdge::weight, graph))
          .distance_map(boost::make_iterator_property_map(distance.begin(), index))
          .predecessor_map(boost::make_iterator_property_map(predecessor.begin(), index)));
  return predecessor;
}

}  // namespace

Assignment shortest_path_of_vertices(const CostGraph& graph) {
  const std::vector<std::size_t> first = first_vertices(graph);
  const std::vector<std::size_t> predecessor =
      predecessors(path_edges(graph, first), first.back() + 1);
  Assignment assignment(graph.units.size());
  std::size_t vertex = first.back();
  for (std::size_t unit = graph.units.size(); unit-- > 0;) {
    vertex = predecessor[vertex];
    assignment[unit] = static_cast<int>(vertex - first[unit]);
  }
  return assignment;
}

}  // namespace cnnplan
