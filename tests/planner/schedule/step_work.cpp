// Prints the work of the first rank in a step, for scripts/bench.
//
//   usage: step_work PLAN
//
// Each operation has a line with values that are separated by tabs: its id and its kind (kernel,
// transfer, collective, load). A convolution also has its floating-point operations, and the
// channels of one group, in or out, whichever are fewer.
#include <algorithm>
#include <iostream>
#include <string>
#include <variant>

#include "planner/plan/plan.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {
namespace {

std::string work_of(const LoadOperation&) {
  return "load";
}
std::string work_of(const TransferOperation&) {
  return "transfer";
}
std::string work_of(const CollectiveOperation&) {
  return "collective";
}
std::string work_of(const KernelOperation& kernel) {
  const KernelSpec& spec = kernel.spec;
  if (spec.kind != KernelKind::convolution) return "kernel";
  const auto channels = std::min(spec.in[Dim::c], spec.out[Dim::c]) / spec.groups;
  return "kernel\t" + std::to_string(flops(spec)) + '\t' + std::to_string(channels);
}

void print(const std::string& file) {
  const Schedule schedule = lower(read_plan(file), 0);
  for (const Operation& operation : schedule.operations) {
    std::cout << operation.id << '\t'
              << std::visit([](const auto& body) { return work_of(body); }, operation.body) << '\n';
  }
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "step_work PLAN\n";
    return 2;
  }
  cnnplan::print(argv[1]);
}
