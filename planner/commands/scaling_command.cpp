// Plans for several numbers of ranks, and prints how the step scales.
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/base/writable_file.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/solve_request.hpp"
#include "planner/report/scaling_text.hpp"
#include "planner/search/rivals.hpp"

namespace cnnplan {
namespace {

// A single plan has a default file, several plans have no default folder.
bool writes_plans(const SolveOptions& options) {
  return options.output_file != SolveOptions{}.output_file;
}

void refuse_options_of_one_count(const SolveOptions& options) {
  for (const auto& [option, is_given] :
       {std::pair{"--uniform", !options.uniform.empty()},
        std::pair{"--what-if", !options.what_if.empty()},
        std::pair{"--json", options.json},
        std::pair{"--wide", options.wide},
        std::pair{"--output -", is_standard_output(options.output_file)},
        std::pair{"--strict", options.strict}}) {
    if (is_given) {
      throw Error(ExitCode::usage,
                  std::string(option) + ": takes one number of --ranks, not several");
    }
  }
}

// Each number of ranks reads the files again.
void refuse_streams(const SolveOptions& options) {
  for (const std::string& file :
       {options.network_file, options.platform_file, options.profile_file}) {
    require_streams_once({file, file});
  }
}

std::string plan_file(const std::string& folder, int ranks) {
  return folder + "/plan-" + std::to_string(ranks) + ".json";
}

// Makes the folder before the search, and checks that it takes the plans.
void prepare_folder(const std::string& folder, const std::vector<int>& rank_counts) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError(folder + ": cannot create this folder: " + error.message());
  for (const int ranks : rank_counts) require_replaceable_file(plan_file(folder, ranks));
}

// Plans for one number of ranks. The point has no step if no plan fits into the memory.
ScalingPoint plan_for(const SolveOptions& options, int ranks, std::vector<Plan>& plans) {
  SolveOptions single = options;
  single.ranks = ranks;
  SolveInputs inputs;
  const SolveRequest request = request_of(single, inputs);
  try {
    Plan plan = with_rivals(solution_of(request), request);
    plan.inputs = std::move(inputs.files);
    plans.push_back(std::move(plan));
    return scaling_point(plans.back());
  } catch (const InfeasibleError&) {
    return {.ranks = ranks, .step_s = {}, .plan = "no plan fits into the memory"};
  }
}

void write_plans(const std::string& folder, const std::vector<Plan>& plans) {
  for (const Plan& plan : plans) {
    write_file(plan_file(folder, plan.ranks), to_json(plan));
  }
  print_note("wrote " + counted(std::ssize(plans), "plan") + " to " + folder +
             "; the number in a file's name is that of the ranks");
}

}  // namespace

ExitCode scaling_command(const SolveOptions& options) {
  refuse_options_of_one_count(options);
  refuse_streams(options);
  if (writes_plans(options)) prepare_folder(options.output_file, options.rank_counts);
  std::vector<Plan> plans;
  std::vector<ScalingPoint> points;
  for (const int ranks : options.rank_counts) points.push_back(plan_for(options, ranks, plans));
  std::cout << to_text(points);
  if (plans.empty()) return ExitCode::infeasible;
  if (!plans.front().prediction.estimated_kernels.empty()) {
    print_note("kernel times are estimates where the profile lacks them");
  }
  if (writes_plans(options)) write_plans(options.output_file, plans);
  return ExitCode::ok;
}

}  // namespace cnnplan
