// Prints the header and the tables of `explain`.
#include "planner/report/explain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"
#include "planner/base/similar_names.hpp"
#include "planner/base/wrapped_text.hpp"
#include "planner/plan/plan_queries.hpp"
#include "planner/report/group_costs.hpp"
#include "planner/report/limits.hpp"
#include "planner/report/table.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

constexpr char estimated_mark = '*';
// The longest name in the header is "candidates"; a gap follows.
constexpr std::size_t name_width = 12;

// The text is empty where there is no value.
std::string line(const std::string& name, const std::string& value) {
  if (value.empty()) return "";
  return name + std::string(std::max(name_width, name.size() + 1) - name.size(), ' ') + value +
         '\n';
}

// Breaks the lines of line() that are longer than `columns`. Their further lines begin below the
// value.
std::string fitted(const std::string& lines, std::size_t columns) {
  std::string text;
  std::istringstream in(lines);
  for (std::string one; std::getline(in, one);) {
    const bool fits = one.size() <= columns;
    text += fits ? one + '\n' : wrapped(one.substr(0, name_width), one.substr(name_width), columns);
  }
  return text;
}

template <typename IsMeant>
std::string count_of_layers(const Plan& plan,
                            const IsMeant& is_meant,
                            const std::array<const char*, 2>& singular_and_plural) {
  const auto count = std::count_if(plan.layers.begin(), plan.layers.end(), is_meant);
  return count == 0 ? "" : std::to_string(count) + ' ' + singular_and_plural[count == 1 ? 0 : 1];
}

std::string recompute_text(const Plan& plan) {
  const std::string count = count_of_layers(
      plan, [](const LayerPlan& layer) { return layer.recompute; }, {"output is", "outputs are"});
  return count.empty() ? "" : count + " computed again in backpropagation instead of being kept";
}

std::string halo_text(const Plan& plan) {
  const std::string count = count_of_layers(
      plan,
      [](const LayerPlan& layer) { return layer.halo == HaloMethod::interior_strips; },
      {"convolution computes its", "convolutions compute their"});
  return count.empty() ? "" : count + " interior while the halo is on its way";
}

std::string time_line(const std::string& name, const std::string& what, double seconds) {
  if (seconds == 0.0) return "";
  return line(name, duration(seconds) + (what.empty() ? "" : "  (" + what + ")"));
}

std::string step_text(const Prediction& prediction) {
  std::string text = duration(prediction.step_s);
  if (prediction.high_s > 0.0) {
    text += "  (" + duration(prediction.low_s) + " to " + duration(prediction.high_s) + ")";
  }
  return text;
}

// Nobody knows the memory that estimated kernels need besides their operands.
std::string memory_text(const MemoryUse& memory, bool any_estimated) {
  std::string text = (any_estimated ? "at least " : "") + bytes_text(memory.total_bytes());
  if (memory.available_bytes > 0) {
    text += " of " + bytes_text(memory.available_bytes) + " (" +
            percent(static_cast<double>(memory.total_bytes()) /
                    static_cast<double>(memory.available_bytes)) +
            ")";
  }
  return text + ": parameters " + bytes_text(memory.parameters_bytes) + ", activations " +
         bytes_text(memory.activations_bytes) + ", buffers " + bytes_text(memory.buffers_bytes) +
         (memory.process_bytes > 0 ? ", process " + bytes_text(memory.process_bytes)
                                   : ", process not measured");
}

// The text is empty where sums of any size use one algorithm.
std::string allreduces_text(const Plan& plan) {
  std::string text;
  for (const SizedAllreduce& sized : plan.small_gradient_allreduces) {
    text += std::string(to_text(sized.algorithm)) + " up to " + bytes_text(sized.max_bytes) + ", ";
  }
  return text.empty() ? "" : text + std::string(to_text(plan.gradient_allreduce)) + " beyond";
}

std::string left_out(const Plan& plan) {
  const Prediction& prediction = plan.prediction;
  std::string text;
  const auto add = [&](std::int64_t count, const char* which) {
    if (count == 0) return;
    text += (text.empty() ? "" : ", ") + counted(count, "split") + ' ' + which;
  };
  add(prediction.pruned, "with idle ranks");
  add(prediction.outpriced,
      plan.overlap ? "slower than a known plan in any plan"
                   : "slower than the baseline in any plan");
  return text;
}

// True where layers outside of multigrid chains are on some of the ranks only.
bool has_staged_others(const Plan& plan) {
  for (const LayerIndex layer : plan.network.layers().indices()) {
    const Mesh& mesh = plan.layers[layer].mesh;
    if (mesh.size(Axis::l) > 1 && !is_by_multigrid(plan, layer)) return true;
  }
  return false;
}

std::string multigrid_lines(const Plan& plan) {
  std::string text;
  for (const Multigrid& chain : plan.multigrid) {
    text +=
        line("multigrid",
             plan.network.layer(chain.first).name + " to " + plan.network.layer(chain.last).name +
                 ": coarsening " + std::to_string(chain.coarsening) + ", " +
                 std::to_string(chain.levels) + " levels, " + counted(chain.cycles, "cycle") +
                 ", " + std::string(to_text(chain.relaxation)) + "-relaxation" +
                 (chain.first_guess == FirstGuess::coarse ? "" : " from the step before") +
                 (chain.concurrency == 1
                      ? ""
                      : ", " + std::to_string(chain.concurrency) + " groups at the same time") +
                 (has_staged_others(plan) ? ", others by stage" : ""));
  }
  if (text.empty() && has_staged_others(plan)) text = line("layers", "in order, by stage");
  return text;
}

// Names the fastest plan by multigrid where the plan taken is another one.
std::string multigrid_not_taken(const Plan& plan) {
  const Partitioning& partitioning = plan.prediction.partitioning;
  if (!plan.multigrid.empty() || partitioning.steps.empty()) return "";
  return partitioning.plan + ": " + duration(partitioning.step_s);
}

// Lists settings of the whole plan that follow its size.
std::string ways(const Plan& plan) {
  std::string text;
  if (plan.overlap) text += ", overlap";
  if (plan.sharded_update) text += ", sharded update";
  if (plan.sample_blocks > 1) {
    text += ", sums by " + std::to_string(plan.sample_blocks) + " blocks of samples";
  }
  return text;
}

std::string header(const Plan& plan, std::size_t columns) {
  const Prediction& prediction = plan.prediction;
  const std::string title = plan.network.name() + ": " + counted(plan.ranks, "rank") + ", batch " +
                            std::to_string(plan.batch) + ", " +
                            std::string(to_text(plan.precision)) + ways(plan);
  std::string text = line("step", step_text(prediction));
  text += time_line("exposed",
                    "communication, waiting for other ranks included",
                    prediction.exposed_communication_s);
  text += time_line("inference", "forward alone, as cnnexec --infer", prediction.inference_s);
  text += time_line("baseline", prediction.baseline, prediction.baseline_s);
  text += time_line("runner-up", prediction.runner_up, prediction.runner_up_s);
  text += line("limited by", limits_text(plan));
  text += multigrid_lines(plan);
  text += line("not taken", multigrid_not_taken(plan));
  text += line("break-even", break_even_text(prediction.partitioning));
  text += time_line("bound", "gap " + percent(prediction.gap), prediction.bound_s);
  text += line("memory", memory_text(prediction.memory, !prediction.estimated_kernels.empty()));
  if (plan.overlap)
    text += line("overlap",
                 "times of kernels begin with the end of the one before, waiting for halos and "
                 "reductions included");
  text += line("recompute", recompute_text(plan));
  text += line("halos", halo_text(plan));
  text += line("gradients", allreduces_text(plan));
  if (prediction.candidates > 0) text += line("candidates", std::to_string(prediction.candidates));
  if (prediction.pruned + prediction.outpriced > 0) text += line("left out", left_out(plan));
  return indented(title, 0, columns) + '\n' + fitted(text, columns) + '\n';
}

}  // namespace

std::string estimate_note(const Plan& plan, std::size_t columns) {
  const auto& operations = plan.prediction.operations;
  const auto is_moved = [](const PredictedOperation& operation) {
    return operation.estimated && !runs_kernels(part_of(operation));
  };
  const auto moved = std::count_if(operations.begin(), operations.end(), is_moved);
  const auto kernels = std::ssize(plan.prediction.estimated_kernels);
  if (moved == 0 && kernels == 0) return "";
  std::string what = kernels == 0 ? "" : counted(kernels, "kernel");
  if (moved > 0) {
    what += (what.empty() ? "" : ", ") + ("links or copies of " + counted(moved, "operation"));
  }
  const std::string text =
      std::string(1, estimated_mark) + " estimated, not measured (" + what + ')';
  return '\n' + indented(text, 0, columns);
}

std::string marked(const std::string& time, bool estimated) {
  return time + (estimated ? estimated_mark : ' ');
}

namespace {

std::string share_of_step(const Plan& plan, double seconds) {
  if (seconds == 0.0 || plan.prediction.step_s <= 0.0) return "-";
  return fixed(seconds / plan.prediction.step_s * 100, 1);
}

std::vector<Column> part_columns() {
  return {{"layer", Align::left},
          {"kind", Align::left},
          {"mesh", Align::left},
          {"forward"},
          {"bwd data"},
          {"bwd filter"},
          {"halo"},
          {"channels"},
          {"shuffle"},
          {"copy"},
          {"statistics"},
          {"allreduce"},
          {"other"},
          {"total [ms] "},
          {"step [%]"},
          {"critical [%]"}};
}

// Holds the table's cells on the choice of one layer.
struct Choice {
  std::string runner_up;
  std::string margin;
};

// Returns choices by layer name. The map is empty where the plan has no margins.
std::map<std::string, Choice> choices_of(const Plan& plan) {
  std::map<std::string, Choice> choices;
  for (const UnitMargin& margin : plan.prediction.margins) {
    const bool is_alone = margin.runner_up.empty();
    const std::string& first = margin.layers.front();
    for (const std::string& layer : margin.layers) choices[layer] = {"as " + first, ""};
    choices[first] = {is_alone ? "-" : margin.runner_up,
                      is_alone ? "" : fixed(margin.margin_s * 1e3, 3)};
  }
  return choices;
}

std::vector<Column> layer_columns(bool with_choices) {
  std::vector<Column> columns = part_columns();
  if (with_choices) {
    columns.push_back({"runner-up", Align::left});
    columns.push_back({"margin [ms]"});
  }
  return columns;
}

void add_row(Table& table,
             const Plan& plan,
             std::vector<std::string> cells,
             const GroupCost& cost,
             const Choice& choice) {
  for (double column_s : cost.columns_s) cells.push_back(milliseconds(column_s));
  cells.push_back(marked(milliseconds(cost.total_s), cost.estimated));
  cells.push_back(share_of_step(plan, cost.total_s));
  cells.push_back(share_of_step(plan, cost.critical_s));
  if (!plan.prediction.margins.empty()) {
    cells.push_back(choice.runner_up);
    cells.push_back(choice.margin);
  }
  table.add_row(std::move(cells));
}

std::string mesh_text(const LayerPlan& layer) {
  const bool is_staged = layer.mesh.size(Axis::l) > 1;
  return to_text(layer.split()) + (is_staged ? " stage " + std::to_string(layer.stage) : "") +
         (layer.recompute ? ", again" : "") +
         (layer.halo == HaloMethod::interior_strips ? ", interior first" : "") +
         (layer.gather != GatherMethod::direct ? ", node by node" : "");
}

std::string layer_table(const Plan& plan, std::size_t columns) {
  GroupCosts found(plan);
  std::map<std::string, Choice> choices = choices_of(plan);
  const bool with_choices = !choices.empty();
  Table table(layer_columns(with_choices));
  for (const LayerIndex i : plan.network.layers().indices()) {
    const Layer& layer = plan.network.layer(i);
    add_row(table,
            plan,
            {layer.name, std::string(kind_name(layer.parameters)), mesh_text(plan.layers.at(i))},
            found.costs[layer.name],
            choices[layer.name]);
  }
  if (!found.without_layer.empty()) table.add_rule();
  for (const std::string& group : found.without_layer) {
    add_row(table, plan, {group, "", ""}, found.costs[group], {});
  }
  std::string legend =
      "times in ms, mean over the ranks that have the layer; critical: of the path that the step "
      "waits for";
  if (with_choices)
    legend +=
        "; margin: of " + to_text(plan.prediction.margins_sum) + " in sum, with the runner-up";
  return indented(legend, 0, columns) + table.to_text();
}

// Lists the few layers that are spelled most alike, for example "conv1, conv2", and says how many
// layers there are where that list is not complete.
std::string layers_like(const std::string& name, const Network& network) {
  constexpr std::size_t most = 5;
  std::vector<std::string> names;
  for (const Layer& layer : network.layers()) names.push_back(layer.name);
  std::string text;
  for (const std::string& similar : most_similar(name, names, most)) {
    text += (text.empty() ? "" : ", ") + similar;
  }
  if (names.size() > most) text += " or another of " + std::to_string(names.size()) + " layers";
  return text;
}

// Says which split came second for this layer. The line is empty where the plan has no margins.
std::string choice_line(const Plan& plan, const std::string& name) {
  for (const UnitMargin& margin : plan.prediction.margins) {
    const auto& layers = margin.layers;
    if (std::find(layers.begin(), layers.end(), name) == layers.end()) continue;
    const std::string& first = layers.front();
    const std::string who = name == first ? "" : "split as " + first + "; ";
    if (margin.runner_up.empty()) return who + "no other split is worth finding";
    return who + "runner-up " + margin.runner_up + ", " + to_text(plan.prediction.margins_sum) +
           " in sum " + duration(std::fabs(margin.margin_s)) +
           (margin.margin_s < 0.0 ? " shorter;\nsums leave out waiting and memory, which "
                                    "decided for this split"
                                  : " longer");
  }
  return "";
}

// Returns sentences in `columns` columns, and a table in `table_columns`.
std::string operation_table(const Plan& plan,
                            const std::string& name,
                            std::size_t columns,
                            std::size_t table_columns) {
  const LayerIndex index = layer_named(plan, name);
  Table table({{"operation", Align::left}, {"time [ms] "}, {"step [%]"}, {"critical [%]"}});
  GroupCost sum;
  for (const PredictedOperation& operation : plan.prediction.operations) {
    if (group_of(operation) != name) continue;
    sum.add(operation);
    table.add_row({operation.id,
                   marked(milliseconds(operation.predicted_s), operation.estimated),
                   share_of_step(plan, operation.predicted_s),
                   share_of_step(plan, operation.critical_s)});
  }
  table.add_rule();
  table.add_row({"total",
                 marked(milliseconds(sum.total_s), sum.estimated),
                 share_of_step(plan, sum.total_s),
                 share_of_step(plan, sum.critical_s)});
  const Layer& layer = plan.network.layer(index);
  const std::string what = name + ": " + std::string(kind_name(layer.parameters)) + " on " +
                           mesh_text(plan.layers.at(index)) + ", output " +
                           to_text(plan.network.output_shape(index, plan.batch));
  const std::string choice = choice_line(plan, name);
  return indented(what, 0, columns) + (choice.empty() ? "" : indented(choice, 0, columns)) +
         table.to_text(table_columns);
}

}  // namespace

std::string explain(const Plan& plan,
                    const std::optional<std::string>& layer,
                    std::size_t columns) {
  return header(plan, columns) +
         (layer ? operation_table(plan, *layer, columns, std::string::npos)
                : layer_table(plan, columns)) +
         estimate_note(plan, columns);
}

std::string explain_operations(const Plan& plan, const std::string& layer, std::size_t columns) {
  return operation_table(plan, layer, columns, columns) + estimate_note(plan, columns);
}

LayerIndex layer_named(const Plan& plan, const std::string& name) {
  const std::optional<LayerIndex> index = plan.network.index_of(name);
  if (index) return *index;
  throw InputError({.file = "--layer",
                    .pointer = "",
                    .value = '"' + name + '"',
                    .allowed = "one of " + layers_like(name, plan.network)});
}

}  // namespace cnnplan
