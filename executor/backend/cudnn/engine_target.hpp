// Says for which device engines are found and built: the device of a handle, or one that is only
// described.
#pragma once

#include <string>

#include <cudnn.h>

#include "executor/backend/cudnn/descriptor.hpp"

namespace cnnplan::cudnn {

// Holds a handle or a description of a device.
class EngineTarget {
 public:
  // Borrows the handle, which must outlive the object.
  explicit EngineTarget(cudnnHandle_t handle) : handle_(handle) {}
  // Describes a device that need not be there, in the library's JSON. Then graphs can be checked
  // and engines found, but nothing can be executed. @throws BackendError
  explicit EngineTarget(const std::string& device_json);

  // These functions set the handle, or the description of the device, in a descriptor that is not
  // finalized yet. A target with a handle sets nothing in heuristics and engines, which get the
  // handle from their graph. A target without one sets nothing in a graph.
  // @throws BackendError
  void set_for_graph(Descriptor& graph) const;
  void set_for_heuristics(Descriptor& heuristics) const;
  void set_for_engine(Descriptor& engine) const;
  void set_for_plan(Descriptor& plan) const;

 private:
  cudnnHandle_t handle_ = nullptr;
  std::vector<Descriptor> device_;  // none where there is a handle
};

}  // namespace cnnplan::cudnn
