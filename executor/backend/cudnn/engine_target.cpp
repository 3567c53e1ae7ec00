// Gives descriptors the device. A graph passes its handle on to heuristics and engines; without a
// handle, each of them gets the described device.
#include "executor/backend/cudnn/engine_target.hpp"

namespace cnnplan::cudnn {

EngineTarget::EngineTarget(const std::string& device_json) {
  device_.emplace_back(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR)
      .set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, device_json)
      .finalize();
}

void EngineTarget::set_for_graph(Descriptor& graph) const {
  if (handle_ != nullptr) graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle_);
}

void EngineTarget::set_for_heuristics(Descriptor& heuristics) const {
  if (handle_ == nullptr) heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device_.front());
}

void EngineTarget::set_for_engine(Descriptor& engine) const {
  if (handle_ == nullptr) engine.set(CUDNN_ATTR_ENGINE_DEVICEPROP, device_.front());
}

void EngineTarget::set_for_plan(Descriptor& plan) const {
  if (handle_ == nullptr) {
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device_.front());
  } else {
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle_);
  }
}

}  // namespace cnnplan::cudnn
