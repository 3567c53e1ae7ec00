// Prints values parted by tabs for scripts/studies/gathers-between-nodes. They say what gathers
// node by node gain in the plan that is found. They also bound what further transfers would gain.
//
// Arguments: PLATFORM RANKS BATCH NETWORK. The first two values are the step, and the step with
// direct gathers. The third one is the seconds of transfers that send bytes between two nodes more
// than once. Then come the most seconds that they would gain, and the one that gains most.
#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "planner/base/error.hpp"
#include "planner/network/network.hpp"
#include "planner/predict/predict.hpp"
#include "planner/schedule/schedule.hpp"
#include "planner/search/solve.hpp"

namespace cnnplan {
namespace {

// Counts the elements that a node sends or receives in one transfer.
struct NodeElements {
  std::int64_t all = 0;
  std::int64_t once = 0;  // of each block, or of each sum, once for a pair of nodes

  double repeated() const {
    return all == 0 ? 0.0 : 1.0 - static_cast<double>(once) / static_cast<double>(all);
  }
};

// Counts a transfer of all ranks. A gather needs a block once on a node. Parts of a sum can be
// added on their node before they leave it.
class TransferCount {
 public:
  explicit TransferCount(int ranks_per_node) : ranks_per_node_(ranks_per_node) {}

  void add(int rank, const TransferOperation& transfer) {
    for (const Piece& piece : transfer.list.sends) {
      const int from = rank / ranks_per_node_;
      const int to = piece.peer / ranks_per_node_;
      if (from == to) continue;
      NodeElements& counted = by_node_[transfer.accumulate ? from : to];
      const std::int64_t elements = volume(piece.box);
      counted.all += elements;
      const int sender = transfer.accumulate ? from : -1;
      if (seen_.insert({sender, to, piece.box}).second) counted.once += elements;
    }
  }

  // Returns the largest part of a node's elements that need not cross between nodes.
  double repeated() const {
    double most = 0.0;
    for (const auto& [node, elements] : by_node_) most = std::max(most, elements.repeated());
    return most;
  }

 private:
  int ranks_per_node_;
  std::map<int, NodeElements> by_node_;
  std::set<std::tuple<int, int, Box>> seen_;
};

std::map<std::string, TransferCount> transfers_of(const Plan& plan, int ranks_per_node) {
  std::vector<int> ranks(plan.ranks);
  std::iota(ranks.begin(), ranks.end(), 0);
  std::map<std::string, TransferCount> counts;
  for (const Schedule& schedule : lower(plan, ranks, {.detail = Detail::priced})) {
    for (const Operation& operation : schedule.operations) {
      const auto* transfer = std::get_if<TransferOperation>(&operation.body);
      if (transfer == nullptr) continue;
      counts.try_emplace(operation.id, ranks_per_node).first->second.add(schedule.rank, *transfer);
    }
  }
  return counts;
}

double direct_step_s(Plan plan, const SolveRequest& request) {
  for (LayerPlan& layer : plan.layers) layer.gather = GatherMethod::direct;
  const KernelCosts kernels(request.profile, request.platform);
  return predict(plan, PriceList(request.platform, kernels)).step_s;
}

void try_network(const SolveRequest& request) {
  const Plan plan = solve(request);
  const auto transfers = transfers_of(plan, request.platform.levels.front().ranks_per_group);
  double of_repeating_s = 0.0;
  double saved_s = 0.0;
  double most_s = 0.0;
  std::string most = "none";
  for (const PredictedOperation& operation : plan.prediction.operations) {
    const auto found = transfers.find(operation.id);
    if (found == transfers.end()) continue;
    const double operation_s = operation.critical_s * found->second.repeated();
    if (operation_s > 0.0) of_repeating_s += operation.critical_s;
    saved_s += operation_s;
    if (operation_s <= most_s) continue;
    most_s = operation_s;
    most = operation.id;
  }
  std::cout << plan.prediction.step_s << '\t' << direct_step_s(plan, request) << '\t'
            << of_repeating_s << '\t' << saved_s << '\t' << most << '\n';
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  std::cout.precision(9);
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 5) {
    std::cerr << "gather_savings PLATFORM RANKS BATCH NETWORK\n";
    return 2;
  }
  try {
    cnnplan::SolveRequest request;
    request.platform = cnnplan::read_platform(arguments[1]);
    request.ranks = std::stoi(arguments[2]);
    request.batch = std::stoll(arguments[3]);
    request.network = cnnplan::read_network(arguments[4]);
    cnnplan::try_network(request);
  } catch (const cnnplan::InfeasibleError& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(cnnplan::ExitCode::infeasible);
  }
}
