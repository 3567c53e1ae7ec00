// What another order of the axes would gain beside the plan that is found, for
// scripts/studies/axis-orders: lines of values, separated by tabs.
//
// PLATFORM RANKS SAMPLES NETWORK..., SAMPLES per rank: network, step, step of the fastest other
// order (0 where no mesh has two axes), orders tried, what that order changes.
#include <algorithm>
#include <iostream>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "planner/base/error.hpp"
#include "planner/network/network.hpp"
#include "planner/predict/predict.hpp"
#include "planner/search/solve.hpp"
#include "tests/planner/search/each_network.hpp"

namespace cnnplan {
namespace {

// Holds consecutive layers on one mesh.
struct Run {
  LayerIndex begin;
  LayerIndex end;
};

struct Order {
  double step_s = 0.0;
  std::string change;
};

std::vector<Run> runs_of(const Plan& plan) {
  std::vector<Run> runs;
  for (const LayerIndex i : plan.layers.indices()) {
    const bool goes_on = i > 0 && plan.layers[i].mesh == plan.layers[i - 1].mesh;
    if (!goes_on) runs.push_back({.begin = i, .end = i});
    runs.back().end = i + 1;
  }
  return runs;
}

// Returns all orders of the axes of `mesh` except its own order.
std::vector<Mesh> other_orders(const Mesh& mesh) {
  const std::vector<MeshAxis> own(mesh.axes().begin(), mesh.axes().end());
  std::vector<MeshAxis> axes = own;
  std::sort(axes.begin(), axes.end());
  std::vector<Mesh> orders;
  do {
    if (axes != own) orders.emplace_back(axes);
  } while (std::next_permutation(axes.begin(), axes.end()));
  return orders;
}

class OtherOrders {
 public:
  OtherOrders(const Plan& plan, const PriceList& prices) : plan_(plan), prices_(prices) {}

  // Tries other orders of each mesh of the plan, on all of its layers and on each run of them.
  void try_all() {
    std::set<Mesh> meshes;
    for (const LayerPlan& layer : plan_.layers) meshes.insert(layer.mesh);
    for (const Mesh& mesh : meshes) {
      for (const Mesh& other : other_orders(mesh)) try_mesh(mesh, other);
    }
  }

  int tried() const { return tried_; }
  const std::optional<Order>& fastest() const { return fastest_; }

 private:
  void try_mesh(const Mesh& mesh, const Mesh& other) {
    const std::string change = to_text(mesh) + " as " + to_text(other);
    Plan everywhere = plan_;
    for (LayerPlan& layer : everywhere.layers) {
      if (layer.mesh == mesh) layer.mesh = other;
    }
    score(everywhere, change);
    for (const Run& run : runs_of(plan_)) {
      if (plan_.layers[run.begin].mesh != mesh) continue;
      Plan changed = plan_;
      for (LayerIndex i = run.begin; i < run.end; ++i) changed.layers[i].mesh = other;
      score(changed, change + " from " + plan_.network.layer(run.begin).name + " on");
    }
  }

  void score(const Plan& plan, const std::string& change) {
    ++tried_;
    const double step_s = predicted_step_s(plan, prices_);
    if (!fastest_ || step_s < fastest_->step_s) {
      fastest_ = Order{.step_s = step_s, .change = change};
    }
  }

  const Plan& plan_;
  const PriceList& prices_;
  int tried_ = 0;
  std::optional<Order> fastest_;
};

void try_network(const NetworkCase& tried) {
  SolveRequest request;
  request.network = read_network(tried.file);
  request.ranks = tried.ranks;
  request.batch = tried.batch;
  request.platform = tried.platform;
  const Plan plan = solve(request);
  const KernelCosts kernels({}, tried.platform);
  const PriceList prices(tried.platform, kernels);
  OtherOrders others(plan, prices);
  others.try_all();
  const Order fastest = others.fastest().value_or(Order{});
  std::cout << tried.file << '\t' << plan.prediction.step_s << '\t' << fastest.step_s << '\t'
            << others.tried() << '\t' << fastest.change << '\n';
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  std::cout.precision(9);
  if (argc < 5) {
    std::cerr << "axis_orders PLATFORM RANKS SAMPLES NETWORK...\n";
    return 2;
  }
  try {
    cnnplan::each_network(std::span(argv, static_cast<std::size_t>(argc)).subspan(1),
                          cnnplan::try_network);
  } catch (const cnnplan::InfeasibleError& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(cnnplan::ExitCode::infeasible);
  }
}
