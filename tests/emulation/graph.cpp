// Finds the dependencies between the nodes of a captured graph.
#include "tests/emulation/graph.hpp"

#include <algorithm>

#include "tests/emulation/machine.hpp"

namespace cnnplan::emulation {

void merge(Frontier& frontier, const Frontier& other) {
  for (const std::size_t node : other) {
    if (std::find(frontier.begin(), frontier.end(), node) == frontier.end()) {
      frontier.push_back(node);
    }
  }
}

bool is_joined(const Nodes& nodes, const Frontier& inner, const Frontier& outer) {
  std::vector<bool> before(nodes.size(), false);
  Frontier open = outer;
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (before[node]) continue;
    before[node] = true;
    open.insert(open.end(), nodes[node].after.begin(), nodes[node].after.end());
  }
  return std::all_of(inner.begin(), inner.end(), [&](std::size_t node) { return before[node]; });
}

Capture* forbidding_capture() {
  for (const auto& [handle, stream] : machine().streams) {
    Capture* capture = stream->capture.get();
    if (capture == nullptr || capture->mode == cudaStreamCaptureModeRelaxed) continue;
    const bool own = capture->thread == std::this_thread::get_id();
    if (own || capture->mode == cudaStreamCaptureModeGlobal) return capture;
  }
  return nullptr;
}

}  // namespace cnnplan::emulation
