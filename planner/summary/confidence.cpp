// Counts draws, and correlates the ratio of two steps with the factors of every figure.
#include "planner/summary/confidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "planner/report/report_column.hpp"
#include "planner/summary/layer_groups.hpp"
#include "planner/summary/reason.hpp"

namespace cnnplan {
namespace {

bool is_of_kernels(const DrawnFigure& figure) {
  return figure.figure.starts_with("kernel.");
}

// True for a rival that is data parallelism as the plan itself.
bool is_the_plan(const Plan& plan, const Rival& rival) {
  return rival.kind == RivalKind::data_parallel && rival.ranks == plan.ranks &&
         is_data_parallel(plan);
}

std::vector<Wins> wins_of(const Plan& plan) {
  const std::vector<double>& own_s = plan.prediction.draws.steps_s;
  std::vector<Wins> wins;
  for (std::size_t i = 0; i < plan.prediction.rivals.size(); ++i) {
    const Rival& rival = plan.prediction.rivals[i];
    if (!rival.fits || rival.draws_s.size() != own_s.size() || is_the_plan(plan, rival)) continue;
    int draws = 0;
    for (std::size_t draw = 0; draw < own_s.size(); ++draw) {
      draws += own_s[draw] < rival.draws_s[draw] ? 1 : 0;
    }
    wins.push_back({.rival = i, .draws = draws});
  }
  return wins;
}

// Returns the index among the wins of the fastest data-parallel run that fits. Returns nothing
// where the closest rival is a data-parallel run, too.
std::optional<std::size_t> wins_over_data_parallelism(const Prediction& prediction,
                                                      const std::vector<Wins>& wins,
                                                      std::size_t closest) {
  if (prediction.rivals[wins[closest].rival].kind == RivalKind::data_parallel) return std::nullopt;
  const std::optional<std::size_t> rival = data_parallel_rival(prediction);
  const auto found =
      std::find_if(wins.begin(), wins.end(), [&](const Wins& one) { return one.rival == rival; });
  if (found == wins.end()) return std::nullopt;
  return static_cast<std::size_t>(found - wins.begin());
}

std::vector<double> logarithms(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

// Returns the logarithms of the rival's step over the plan's.
std::vector<double> log_ratios(const std::vector<double>& plan_s,
                               const std::vector<double>& rival_s) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < plan_s.size(); ++i) logs.push_back(std::log(rival_s[i] / plan_s[i]));
  return logs;
}

struct Decisive {
  std::string figure{};
  double share = 0.0;
};

// Kernels also have errors of their own, which explain what no figure of links does.
void add_decisive(const Draws& draws, const Rival& rival, Confidence& confidence) {
  const std::vector<double> ratios = log_ratios(draws.steps_s, rival.draws_s);
  std::array<Decisive, 2> best{};
  double links = 0.0;
  for (const DrawnFigure& figure : draws.figures) {
    if (figure.factors.size() != ratios.size()) continue;
    const double share = correlation_squared(logarithms(figure.factors), ratios);
    if (!is_of_kernels(figure)) links += share;
    Decisive& known = best[is_of_kernels(figure) ? 0 : 1];
    if (share > known.share) known = {.figure = figure.figure, .share = share};
  }
  const bool by_links = links > 0.5 || best[0].figure.empty();
  const Decisive& decisive = best[by_links ? 1 : 0];
  confidence.measurement = by_links ? Measurement::links : Measurement::kernels;
  confidence.figure = decisive.figure;
  confidence.share = decisive.share;
}

// True where the rival is known to give the layer the plan's split on the same ranks.
bool is_split_alike(const Plan& plan, const Rival& rival, LayerIndex layer) {
  return rival.kind == RivalKind::data_parallel && rival.ranks == plan.ranks &&
         plan.layers[layer].mesh == Mesh({{Axis::n, plan.ranks}});
}

// Returns the layers whose estimated kernels move the plan's step most, compared with the rival's.
std::vector<std::string> layers_to_time(const Plan& plan, const Rival& rival) {
  constexpr std::size_t most = 3;
  std::map<std::string, double> seconds;
  for (const PredictedOperation& operation : plan.prediction.operations) {
    const std::string& layer = operation.place.layer;
    if (!operation.estimated || layer.empty() || !runs_kernels(part_of(operation))) continue;
    seconds[layer] += operation.critical_s;
  }
  std::vector<std::tuple<bool, double, std::string>> order;
  for (const auto& [layer, critical_s] : seconds) {
    const std::optional<LayerIndex> index = plan.network.index_of(layer);
    if (!index || !(critical_s > 0.0)) continue;
    order.emplace_back(is_split_alike(plan, rival, *index), -critical_s, layer);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> layers;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    layers.push_back(std::get<std::string>(order[i]));
  }
  return layers;
}

}  // namespace

double correlation_squared(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty()) return 0.0;
  const auto count = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / count;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / count;
  double ab = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0.0 && bb > 0.0 ? ab * ab / (aa * bb) : 0.0;
}

std::optional<Confidence> confidence_of(const Plan& plan) {
  const Draws& draws = plan.prediction.draws;
  Confidence confidence{
      .draws = static_cast<int>(draws.steps_s.size()), .wins = wins_of(plan), .figure = {}};
  if (draws.steps_s.empty() || confidence.wins.empty()) return std::nullopt;
  const auto closest = std::min_element(
      confidence.wins.begin(), confidence.wins.end(), [&](const Wins& a, const Wins& b) {
        const std::vector<Rival>& rivals = plan.prediction.rivals;
        return std::pair(a.draws, rivals[a.rival].step_s) <
               std::pair(b.draws, rivals[b.rival].step_s);
      });
  confidence.closest = static_cast<std::size_t>(closest - confidence.wins.begin());
  confidence.data_parallel =
      wins_over_data_parallelism(plan.prediction, confidence.wins, confidence.closest);
  const Rival& rival = plan.prediction.rivals[closest->rival];
  add_decisive(draws, rival, confidence);
  if (confidence.measurement == Measurement::kernels) {
    confidence.layers = layers_to_time(plan, rival);
  }
  return confidence;
}

}  // namespace cnnplan
