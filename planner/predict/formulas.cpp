// Writes a price out: a figure counts as often as the price grows with it.
#include "planner/predict/formulas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "planner/predict/predict.hpp"
#include "planner/tensor/peer_message.hpp"

namespace cnnplan {
namespace {

struct Figure {
  std::string name;
  std::string unit;  // the unit of its amount
  double* value = nullptr;
};

void add_segments(const std::string& name,
                  std::vector<Segment>& segments,
                  std::vector<Figure>& figures) {
  for (Segment& segment : segments) {
    figures.push_back({name + ".alpha_s", "", &segment.alpha_s});
    figures.push_back({name + ".beta_s_per_byte", "B", &segment.beta_s_per_byte});
  }
}

// Returns all figures that prices of transfers, collectives and loading depend on.
std::vector<Figure> figures_of(Platform& platform) {
  std::vector<Figure> figures;
  for (Level& level : platform.levels) {
    add_segments(level.name, level.segments, figures);
    for (const auto& [name, member] : optional_segment_fields) {
      add_segments(level.name + '.' + name, level.*member, figures);
    }
    figures.push_back({level.name + ".gap_s", "", &level.gap_s});
  }
  for (AllreduceFit& fit : platform.allreduce) {
    add_segments(std::string(to_text(fit.algorithm)) + '_' + std::string(to_text(fit.kind)),
                 fit.segments,
                 figures);
  }
  figures.push_back({"gamma_s_per_byte", "B", &platform.gamma_s_per_byte});
  figures.push_back({"copy_s_per_byte", "B", &platform.copy_s_per_byte});
  return figures;
}

// Rounds an amount that differs from a whole number by no more than the rounding of `seconds`.
double without_rounding(double amount, double seconds, double step) {
  const double whole = std::round(amount);
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * seconds / step;
  return std::abs(amount - whole) <= rounding ? whole : amount;
}

std::vector<FormulaTerm> platform_terms(const Schedule& schedule,
                                        const Operation& operation,
                                        const PriceList& prices) {
  constexpr double growth = 1.0 / 1024;
  const double seconds = prices(schedule, operation).seconds;
  Platform platform = prices.platform();
  std::vector<FormulaTerm> terms;
  for (const Figure& figure : figures_of(platform)) {
    const double value = *figure.value;
    *figure.value += growth * value;
    const double step = *figure.value - value;
    const double more_s =
        PriceList(platform, prices.kernels())(schedule, operation).seconds - seconds;
    *figure.value = value;
    if (more_s == 0.0) continue;
    terms.push_back({.figure = figure.name,
                     .value = value,
                     .amount = without_rounding(more_s / step, seconds, step),
                     .unit = figure.unit});
  }
  return terms;
}

FormulaTerm rate_term(std::string figure, double value, double amount, std::string unit) {
  return {.figure = std::move(figure),
          .value = value,
          .amount = amount,
          .unit = std::move(unit),
          .is_rate = true};
}

void describe(const Schedule&,
              const KernelOperation& operation,
              const PriceList& prices,
              Formula& formula) {
  const KernelFormula kernel = prices.kernels().formula(operation.spec);
  const RateParts& parts = kernel.parts;
  switch (kernel.source) {
    case KernelSource::profiled:
      formula.what = "profiled";
      formula.terms = {{.figure = "median_s", .value = kernel.time.seconds}};
      return;
    case KernelSource::neighbours:
      formula.what = "estimated, as fast as the nearest profiled kernels";
      formula.terms = {rate_term("", kernel.work / kernel.time.seconds, kernel.work, kernel.unit)};
      return;
    case KernelSource::rates:
      formula.what = "estimated from rates, overhead and the longer of operations and bytes";
      formula.terms = {{.figure = "overhead_s", .value = parts.overhead_s},
                       parts.flops_s() > parts.bytes_s()
                           ? rate_term("flops_per_s", parts.flops_per_s, parts.flops, "flop")
                           : rate_term("bytes_per_s", parts.bytes_per_s, parts.bytes, "B")};
      return;
    case KernelSource::turns:
      formula.what = "estimated, as if kernels at the same time took turns";
      formula.terms = {{.figure = "alone_s",
                        .value = kernel.time.seconds / operation.spec.concurrency,
                        .amount = static_cast<double>(operation.spec.concurrency)}};
  }
}

std::string messages_text(const std::vector<PeerMessage>& messages,
                          int rank,
                          std::int64_t element_bytes,
                          const std::string& direction) {
  std::map<std::int64_t, int, std::greater<>> counts;  // by bytes
  for (const PeerMessage& message : messages) {
    if (message.peer != rank) ++counts[message.elements * element_bytes];
  }
  std::string text;
  for (const auto& [bytes, count] : counts) {
    text += (text.empty() ? "" : " and ") + std::to_string(count) + " x " + std::to_string(bytes) +
            " B";
  }
  return text.empty() ? "" : direction + ' ' + text;
}

void describe(const Schedule& schedule,
              const TransferOperation& operation,
              const PriceList&,
              Formula& formula) {
  const TransferTraits traits = traits_of(schedule, operation);
  const auto text = [&](const std::vector<Piece>& pieces, const Box& box, const char* direction) {
    return messages_text(messages_of(pieces, box), schedule.rank, traits.element_bytes, direction);
  };
  const std::string sent = text(operation.list.sends, traits.source_box, "sends");
  const std::string received = text(operation.list.receives, traits.destination_box, "receives");
  formula.what = sent + (sent.empty() || received.empty() ? "" : ", ") + received;
  if (formula.what.empty()) formula.what = "copies";
}

void describe(const Schedule& schedule,
              const CollectiveOperation& operation,
              const PriceList& prices,
              Formula& formula) {
  const int ranks = operation.group.size();
  const std::int64_t bytes = operation.elements * bytes_of(operation.element);
  const Platform& platform = prices.platform();
  formula.what = std::to_string(bytes) + " B over " + std::to_string(ranks) + " ranks, ";
  const bool is_half = operation.kind != CollectiveKind::allreduce;
  if (is_half) formula.what += std::string(to_text(operation.kind)) + ", ";
  if (operation.algorithm == AllreduceAlgorithm::ring) {
    const int steps = round_count(ring_series(ranks), operation.kind);
    formula.what += "ring of " + std::to_string(steps) + " steps";
    return;
  }
  formula.what += to_text(operation.algorithm);
  const GroupLinks links =
      links_of(platform, operation.group, schedule.ranks, operation.ranks_per_node);
  const auto has = [&](CollectiveKind kind) {
    return has_fit(platform, links, kind, operation.algorithm);
  };
  if (has(operation.kind)) {
    formula.what += ", as measured";
  } else if (has(CollectiveKind::allreduce)) {
    formula.what += ", half of what was measured";
  } else if (operation.algorithm == AllreduceAlgorithm::library) {
    const AllreduceAlgorithm assumed =
        assumed_algorithm(platform, links, static_cast<double>(bytes), operation.kind);
    formula.what += ", as " + std::string(to_text(assumed));
  } else if (operation.algorithm == AllreduceAlgorithm::hierarchical) {
    formula.what += ", " + std::to_string(operation.ranks_per_node) + " ranks a node";
  }
}

// The executor reads and sends data to a device while the step before runs. The price then is that
// of the copy on the device.
void describe(const Schedule&, const LoadOperation&, const PriceList& prices, Formula& formula) {
  const bool is_hidden = prices.kernels().device() == DeviceKind::gpu;
  formula.what = is_hidden ? "samples, read and sent during the step before" : "samples";
}

}  // namespace

Formula formula_of(const Schedule& schedule, const Operation& operation, const PriceList& prices) {
  const Price price = prices(schedule, operation);
  Formula formula{.operation = operation.id,
                  .rank = schedule.rank,
                  .seconds = price.seconds,
                  .low_s = price.low_s,
                  .high_s = price.high_s,
                  .estimated = price.estimated,
                  .what = {},
                  .terms = {}};
  if (price.seconds == 0.0) {
    formula.what = "nothing to do";
    return formula;
  }
  const bool is_kernel = std::holds_alternative<KernelOperation>(operation.body);
  if (!is_kernel) formula.terms = platform_terms(schedule, operation, prices);
  std::visit([&](const auto& body) { describe(schedule, body, prices, formula); }, operation.body);
  return formula;
}

std::vector<Formula> formulas(const Plan& plan, const std::string& layer, const PriceList& prices) {
  const PricedPlan priced = lower_and_price(plan, prices);
  const std::optional<LayerIndex> wanted = plan.network.index_of(layer);
  if (!wanted) return {};
  std::vector<std::pair<const Schedule*, OperationIndex>> slowest;  // by operation of the layer
  std::unordered_map<std::string, std::size_t> places;
  std::vector<double> seconds;
  for (const PricedSchedule& rank : priced.schedules) {
    for (const OperationIndex i : rank.prices.indices()) {
      const Operation& operation = rank.schedule.operations[i];
      if (operation.label.layer != wanted) continue;
      const std::string& id = operation.id;
      const auto [place, is_new] = places.try_emplace(id, slowest.size());
      if (is_new) {
        slowest.emplace_back(&rank.schedule, i);
        seconds.push_back(rank.prices[i].seconds);
      } else if (rank.prices[i].seconds > seconds[place->second]) {
        slowest[place->second] = {&rank.schedule, i};
        seconds[place->second] = rank.prices[i].seconds;
      }
    }
  }
  std::vector<Formula> all;
  for (const auto& [schedule, index] : slowest) {
    all.push_back(formula_of(*schedule, schedule->operations[index], prices));
  }
  return all;
}

}  // namespace cnnplan
