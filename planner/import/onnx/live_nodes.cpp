// Walks the graph backwards from the outputs, and sorts the nodes that it meets.
#include "planner/import/onnx/live_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <string_view>

#include "planner/base/error.hpp"
#include "planner/import/onnx/printable.hpp"

namespace cnnplan {
namespace {

using Nodes = std::vector<std::size_t>;  // indices of nodes in the file

class Walk {
 public:
  explicit Walk(const OnnxGraph& graph)
      : graph_(graph), is_live_(graph.nodes.size()), users_(graph.nodes.size()) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const std::string& output : graph.nodes[i].outputs) {
        if (!output.empty()) makers_[output].push_back(i);
      }
    }
  }

  std::map<std::string, int> find_live(const std::vector<std::string>& outputs);
  // Returns the live nodes that can be computed one after the other, in the order of the file where
  // this is such an order.
  Nodes sorted();
  // Returns nodes that are inputs of each other, the maker of an input after its user.
  // @pre sorted() left out some live node
  Nodes cycle() const;
  std::size_t live_count() const { return std::count(is_live_.begin(), is_live_.end(), true); }

 private:
  const Nodes& makers_of(const std::string& value) const {
    static const Nodes none;
    const auto found = makers_.find(value);
    return found == makers_.end() ? none : found->second;
  }

  const OnnxGraph& graph_;
  std::map<std::string_view, Nodes> makers_;
  std::vector<bool> is_live_;
  std::vector<Nodes> users_;          // live nodes that take an output, once for each input
  std::vector<std::size_t> missing_;  // inputs whose makers are not sorted yet
};

std::map<std::string, int> Walk::find_live(const std::vector<std::string>& outputs) {
  std::map<std::string, int> uses;
  std::vector<std::string> wanted = outputs;
  for (const std::string& output : outputs) uses.emplace(output, 1);
  while (!wanted.empty()) {
    const std::string value = std::move(wanted.back());
    wanted.pop_back();
    for (const std::size_t maker : makers_of(value)) {
      if (is_live_[maker]) continue;
      is_live_[maker] = true;
      for (const std::string& input : graph_.nodes[maker].inputs) {
        if (input.empty()) continue;
        ++uses[input];
        wanted.push_back(input);
      }
    }
  }
  return uses;
}

Nodes Walk::sorted() {
  std::priority_queue<std::size_t, Nodes, std::greater<>> ready;
  missing_.assign(graph_.nodes.size(), 0);
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (!is_live_[i]) continue;
    for (const std::string& input : graph_.nodes[i].inputs) {
      for (const std::size_t maker : makers_of(input)) {
        users_[maker].push_back(i);
        ++missing_[i];
      }
    }
    if (missing_[i] == 0) ready.push(i);
  }
  Nodes nodes;
  while (!ready.empty()) {
    nodes.push_back(ready.top());
    ready.pop();
    for (const std::size_t user : users_[nodes.back()]) {
      if (--missing_[user] == 0) ready.push(user);
    }
  }
  return nodes;
}

Nodes Walk::cycle() const {
  const auto blocked_maker = [this](std::size_t node) {
    for (const std::string& input : graph_.nodes[node].inputs) {
      for (const std::size_t maker : makers_of(input)) {
        if (missing_[maker] > 0) return maker;
      }
    }
    return node;
  };
  const auto is_blocked = [](std::size_t missing) { return missing > 0; };
  const auto first = std::find_if(missing_.begin(), missing_.end(), is_blocked);
  std::vector<bool> is_seen(missing_.size());
  Nodes path;
  std::size_t next = first - missing_.begin();
  for (; !is_seen[next]; next = blocked_maker(next)) {
    is_seen[next] = true;
    path.push_back(next);
  }
  return {std::find(path.begin(), path.end(), next), path.end()};
}

[[noreturn]] void refuse_cycle(const OnnxGraph& graph,
                               const Nodes& cycle,
                               const std::string& file) {
  constexpr std::size_t most_named = 8;
  std::string names;
  for (std::size_t i = 0; i < std::min(most_named, cycle.size()); ++i) {
    names += (i == 0 ? "" : ", ") + printable(to_text(graph.nodes[cycle[i]]));
  }
  throw InputError({.file = file,
                    .pointer = "",
                    .value = "a cycle of nodes, each of which needs the next: " + names +
                             (cycle.size() > most_named ? ", ..." : ""),
                    .allowed = "nodes without cycles"});
}

}  // namespace

LiveNodes live_nodes(const OnnxGraph& graph,
                     const std::vector<std::string>& outputs,
                     const std::string& file) {
  Walk walk(graph);
  LiveNodes live;
  live.uses = walk.find_live(outputs);
  const Nodes sorted = walk.sorted();
  if (sorted.size() < walk.live_count()) refuse_cycle(graph, walk.cycle(), file);
  for (const std::size_t node : sorted) live.nodes.push_back(&graph.nodes[node]);
  return live;
}

std::set<std::string> names_of_outputs(const LiveNodes& live,
                                       const std::vector<std::string>& outputs) {
  std::set<std::string> names(outputs.begin(), outputs.end());
  for (auto node = live.nodes.rbegin(); node != live.nodes.rend(); ++node) {
    const OnnxNode& own = **node;
    if (own.type != "Identity" || own.inputs.empty() || own.outputs.empty()) continue;
    if (names.contains(own.outputs[0])) names.insert(own.inputs[0]);
  }
  return names;
}

}  // namespace cnnplan
