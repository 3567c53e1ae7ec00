// Writes the table of flips, and sentences that sum it up.
#include "planner/report/sensitivity_text.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/base/wrapped_text.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

constexpr int value_digits = 4;
constexpr std::size_t most_rows = 12;  // of the narrow table; the factors nearest to 1 come first

std::string paragraph(const std::string& text, std::size_t columns) {
  return indented(text, 0, columns);
}

// Returns text such as "conv1" or "conv1 and 2 more".
std::string layers_text(const RunnerUpPlan& runner_up) {
  const std::size_t more = runner_up.layers.size() - 1;
  return runner_up.layers.front() + (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

std::string value_text(double value, const std::string& unit) {
  if (unit == "s") return duration(value);
  if (unit == "s/B") return significant(value * 1e9, value_digits) + " ns/B";
  return significant(value, value_digits);
}

// Writes as many decimals as distinguish the factor from 1, three at least.
std::string factor_text(double factor) {
  constexpr int usual_decimals = 3;
  constexpr int most_decimals = 12;
  int decimals = usual_decimals;
  const double away = std::fabs(factor - 1.0);
  for (double unit = 0.1; away > 0.0 && away < unit && decimals < most_decimals; unit /= 10) {
    ++decimals;
  }
  return fixed(factor, decimals);
}

// Writes a range for figures whose value differs between message sizes or levels.
std::string value_text(const PriceFigure& figure, double factor) {
  std::string most = value_text(factor * figure.most, figure.unit);
  if (figure.least == figure.most) return most;
  return value_text(factor * figure.least, figure.unit) + " to " + most;
}

std::string wide_table(const Sensitivity& sensitivity) {
  Table table({{"layer", Align::left},
               {"split", Align::left},
               {"runner-up", Align::left},
               {"margin"},
               {"of the sum [%]"},
               {"figure", Align::left},
               {"now"},
               {"at the flip"},
               {"factor"}});
  for (const Flip& flip : sensitivity.flips) {
    const RunnerUpPlan& runner_up = sensitivity.runner_ups.at(flip.runner_up);
    table.add_row({layers_text(runner_up),
                   runner_up.split,
                   runner_up.runner_up,
                   duration(runner_up.margin_s),
                   significant(runner_up.margin_s / sensitivity.sum_s * 100, 2),
                   to_text(flip.figure.figure),
                   value_text(flip.figure, 1.0),
                   value_text(flip.figure, flip.factor),
                   factor_text(flip.factor)});
  }
  return table.to_text();
}

std::string narrow_table(const Sensitivity& sensitivity, std::size_t columns) {
  Table table({{"layer", Align::left},
               {"more"},
               {"split", Align::left},
               {"runner-up", Align::left},
               {"margin %"},
               {"figure", Align::left},
               {"factor"}});
  const std::size_t count = std::min(most_rows, sensitivity.flips.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Flip& flip = sensitivity.flips[i];
    const RunnerUpPlan& runner_up = sensitivity.runner_ups.at(flip.runner_up);
    const std::size_t more = runner_up.layers.size() - 1;
    table.add_row({runner_up.layers.front(),
                   more == 0 ? "" : '+' + std::to_string(more),
                   short_split(runner_up.split),
                   short_split(runner_up.runner_up),
                   significant(runner_up.margin_s / sensitivity.sum_s * 100, 2),
                   to_text(flip.figure.figure),
                   factor_text(flip.factor)});
  }
  table.hide_empty_columns();
  const std::size_t left = sensitivity.flips.size() - count;
  return table.to_text(columns) +
         (left == 0 ? "" : "and " + counted(left, "row") + " more: --wide shows all\n");
}

// True if a profile has times of the plans' kernels, which can be multiplied.
bool has_kernels(const Sensitivity& sensitivity) {
  const auto& figures = sensitivity.figures;
  return std::any_of(figures.begin(), figures.end(), [](const MachineFigure& figure) {
    return figure.owner == FigureOwner::kernels;
  });
}

std::string range_text(const Sensitivity& sensitivity) {
  return "1/" + fixed(sensitivity.most_factor, 0) + " to " + fixed(sensitivity.most_factor, 0);
}

std::string legend(const Sensitivity& sensitivity,
                   const Plan& plan,
                   bool wide,
                   std::size_t columns) {
  const std::string text =
      "Factor: how much of one figure, from " + range_text(sensitivity) +
      ", makes the best plan with this runner-up as fast as the plan. The plan takes " +
      duration(sensitivity.sum_s) + " now, " + to_text(plan.prediction.margins_sum) +
      " in sum. Nothing else changes, so a third plan may win earlier. Margin: what the runner-up "
      "takes more now" +
      (wide ? "."
            : ", as a share of the sum. Splits may end with the x or w of an algorithm "
              "stationary_x or _w; --wide shows values of figures.");
  return paragraph(
      text + (has_kernels(sensitivity) ? "" : "\nTimes of kernels stay: no profile has them."),
      columns);
}

// Names the runner-ups that no figure makes as fast as the plan.
std::string unmoved(const Sensitivity& sensitivity, std::size_t columns) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sensitivity.runner_ups.size(); ++i) {
    const bool flips = std::any_of(sensitivity.flips.begin(),
                                   sensitivity.flips.end(),
                                   [i](const Flip& flip) { return flip.runner_up == i; });
    const RunnerUpPlan& runner_up = sensitivity.runner_ups[i];
    if (!flips) names.push_back(layers_text(runner_up) + " (" + runner_up.runner_up + ")");
  }
  return names.empty() ? "" : paragraph("no figure flips: " + joined(names), columns);
}

std::string shorter(const Sensitivity& sensitivity, std::size_t columns) {
  const std::size_t count = sensitivity.shorter.size();
  if (count == 0) return "";
  return paragraph("left out: " + counted(count, "layer") +
                       " whose runner-up takes less in sum already, as the plan was taken for its "
                       "step or its memory, or differs from it in too many layers (" +
                       sensitivity.shorter.front() + (count == 1 ? ")" : " and so on)"),
                   columns);
}

std::string verdict(const Sensitivity& sensitivity) {
  if (sensitivity.flips.empty()) {
    std::vector<std::string> names;
    for (const MachineFigure& figure : sensitivity.figures) names.push_back(to_text(figure));
    return "None of " + joined(names) + " makes a runner-up as fast, from " +
           range_text(sensitivity) + " times as large.";
  }
  const Flip& flip = sensitivity.flips.front();
  const RunnerUpPlan& runner_up = sensitivity.runner_ups.at(flip.runner_up);
  const std::size_t others = runner_up.changes - 1;
  return "The plan hangs on " + to_text(flip.figure.figure) + " most: with " +
         factor_text(flip.factor) + " times as much, " + runner_up.layers.front() + " on " +
         runner_up.runner_up +
         (others == 0 ? ""
                      : " (and " + counted(others, "other layer") + " split otherwise with it)") +
         " is as fast.";
}

// Says why there is nothing to compare.
std::string nothing(NoRunnerUp reason) {
  switch (reason) {
    case NoRunnerUp::older_plan:
      return "The plan does not say what its runner-ups change, because an older cnnplan wrote it. "
             "Solve again to know.";
    case NoRunnerUp::split_by_layers:
      return "The plan has no runner-ups, because it splits chains by layers.";
    case NoRunnerUp::no_search:
      return "The plan has no runner-ups, because no search made it: --uniform gave the mesh.";
    case NoRunnerUp::other_choices:
      return "The plan has no runner-ups, because the search took it as a whole, and not layer by "
             "layer.";
    case NoRunnerUp::entangled:
      return "The plan has no runner-ups, because the branches of this network are too entangled "
             "for exact sums.";
    case NoRunnerUp::shorter:
      return "No runner-up takes longer in sum. The plan was taken for its step or its memory, "
             "which sums do not show.";
    case NoRunnerUp::many_changes:
      return "The runner-ups differ from the plan in too many layers, so the plan does not list "
             "their changes.";
    case NoRunnerUp::compared:
    case NoRunnerUp::none_near:
      break;
  }
  return "no other split is worth finding";
}

}  // namespace

std::string to_text(const Sensitivity& sensitivity,
                    const Plan& plan,
                    bool wide,
                    std::size_t columns) {
  if (sensitivity.runner_ups.empty()) return paragraph(nothing(sensitivity.no_runner_up), columns);
  std::string table = wide ? wide_table(sensitivity) : narrow_table(sensitivity, columns);
  if (sensitivity.flips.empty()) table.clear();
  const std::string rest = unmoved(sensitivity, columns) + shorter(sensitivity, columns);
  return paragraph(verdict(sensitivity), columns) + '\n' +
         legend(sensitivity, plan, wide, columns) + table +
         (table.empty() || rest.empty() ? "" : "\n") + rest;
}

}  // namespace cnnplan
