// Holds a captured graph: work with its dependencies, which can run again and again.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>

#include "tests/emulation/scheduler.hpp"

namespace cnnplan::emulation {

struct Node {
  std::function<void()> work;
  std::vector<std::size_t> after;  // nodes before this one
  cudaEvent_t event = nullptr;     // recorded by this node
  bool waits = false;              // for another process
};
using Nodes = std::vector<Node>;

// Holds the streams that are captured together.
struct Capture {
  Nodes nodes;
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalid = false;
};

// Returns the nodes after which the next piece of work of a captured stream comes.
using Frontier = std::vector<std::size_t>;
void merge(Frontier& frontier, const Frontier& other);
// Returns true when every node of `inner` is in `outer`, or before a node of `outer`.
bool is_joined(const Nodes& nodes, const Frontier& inner, const Frontier& outer);

// Returns the capture that forbids the calling thread calls that could disturb it, such as
// cudaMalloc; null where there is none.
Capture* forbidding_capture();

}  // namespace cnnplan::emulation

struct CUgraph_st {
  cnnplan::emulation::Nodes nodes;
};

struct CUgraphExec_st {
  std::shared_ptr<const cnnplan::emulation::Nodes> nodes;
  cnnplan::emulation::ItemPtr last_launch;  // launches of one graph follow each other
};
