// What stream capture makes: work with its dependencies, to be run again and again.
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

// Streams that are being captured together.
struct Capture {
  Nodes nodes;
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalid = false;
};

// Node indices after which the next piece of work of a captured stream comes.
using Frontier = std::vector<std::size_t>;
void merge(Frontier& frontier, const Frontier& other);
// True when every node of `inner` is in `outer` or before one that is.
bool is_joined(const Nodes& nodes, const Frontier& inner, const Frontier& outer);

// The capture that forbids the calling thread what could disturb it, such as cudaMalloc; or null.
Capture* forbidding_capture();

}  // namespace cnnplan::emulation

struct CUgraph_st {
  cnnplan::emulation::Nodes nodes;
};

struct CUgraphExec_st {
  std::shared_ptr<const cnnplan::emulation::Nodes> nodes;
  cnnplan::emulation::ItemPtr last_launch;  // launches of one graph follow each other
};
