// Prints how long a training step takes on each number of nodes. docs/reference/api.md shows this
// program.
#include <cstdio>
#include <string>

#include <cnnplan/cnnplan.hpp>

namespace cp = cnnplan::api;

int main() try {
  const std::string data = CNNPLAN_DATA;  // cnnplan_DATA_DIR of CMake
  const cp::Network network = cp::read_network(data + "/networks/lenet.json");
  const cp::Platform machine = cp::read_platform(data + "/platforms/dgx-h100.json");
  for (int nodes = 1; nodes <= 2; ++nodes) {
    cp::Request request;
    request.ranks = 2 * nodes;
    request.batch = 64;
    const cp::Plan plan =
        cp::solve(network, cp::resized(machine, nodes, 2), cp::no_profile(), request);
    const double step_s = cp::prediction_of(plan).step_s;
    std::printf(
        "%d ranks: %.1f us. %s\n", request.ranks, step_s * 1e6, cp::explain(plan).why.c_str());
  }
} catch (const cp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
