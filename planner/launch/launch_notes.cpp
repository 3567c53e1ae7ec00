// Compares the options of cnnexec with the plan and the places of its ranks.
#include "planner/launch/launch_notes.hpp"

#include <algorithm>
#include <utility>

#include "planner/base/bytes_text.hpp"
#include "planner/launch/exec_options.hpp"

namespace cnnplan {
namespace {

std::string data_text(const std::vector<std::string>& program) {
  const bool has_data = has_option(program, "--data");
  const bool has_end = has_option(program, "--steps") || has_option(program, "--epochs");
  if (has_data && has_end) return {};
  const std::string end = "the default number of steps; name another after -- with --steps" +
                          std::string(has_data ? " or --epochs" : "");
  if (has_data) return "cnnexec trains for " + end;
  return "cnnexec trains on made-up samples, unless --data follows --" +
         (has_end ? "" : ", for " + end);
}

std::string restart_text(const std::vector<std::string>& program) {
  const bool saves = has_option(program, "--checkpoint");
  if (saves == has_option(program, "--restart")) return {};
  const std::string there = saves ? "--checkpoint" : "--restart";
  const std::string missing = saves ? "--restart" : "--checkpoint";
  return "the script has no --signal and does not queue its job again, since the options of "
         "cnnexec have " +
         there + " without " + missing + "; add " + missing + ", or leave out both";
}

// Ranks that share a GPU cannot use NCCL.
std::string nccl_text(const Plan& plan,
                      const Placement& placement,
                      const std::vector<std::string>& program) {
  const bool can_use = plan.ranks > 1 && placement.gpus_per_node >= placement.ranks_per_node;
  if (!can_use || has_option(program, "--nccl")) return {};
  const std::vector<AllreduceAlgorithm> sums = gradient_allreduces(plan);
  if (std::find(sums.begin(), sums.end(), AllreduceAlgorithm::library) == sums.end()) return {};
  return "the plan gives sums of gradients to the library, which is MPI; it is NCCL with --nccl "
         "after --, if cnnexec is built with it";
}

}  // namespace

std::string shared_gpus_text(const Placement& placement) {
  const int gpus = placement.gpus_per_node;
  if (gpus == 0 || gpus >= placement.ranks_per_node) return {};
  return counted(placement.ranks_per_node, "rank") + " of a node share " + counted(gpus, "GPU") +
         "; unless CUDA's Multi-Process Service runs, they take turns, and cnnexec shows no times";
}

std::vector<std::string> launch_notes(const Plan& plan,
                                      const Placement& placement,
                                      const std::vector<std::string>& program,
                                      bool is_script) {
  std::vector<std::string> notes;
  const auto add = [&](std::string text) {
    if (!text.empty()) notes.push_back(std::move(text));
  };
  if (!trains(program)) return notes;
  add(nccl_text(plan, placement, program));
  add(data_text(program));
  if (is_script) add(restart_text(program));
  return notes;
}

}  // namespace cnnplan
