// Allocates the running values of batch norms, and copies them from and to the host.
#include "executor/step/running_values.hpp"

#include "executor/step/device_values.hpp"

namespace cnnplan {

RunningValues::RunningValues(const Schedule& schedule,
                             const Network& network,
                             Precision precision,
                             Device& device)
    : element_(parameter_element(precision)), device_(&device) {
  for (const LayerIndex layer : network.layers().indices()) {
    if (!std::holds_alternative<BatchNorm>(network.layer(layer).parameters)) continue;
    const Range channels = schedule.buffers[schedule.running_mean[layer]].box[Dim::w];
    const std::int64_t each_bytes = channels.size() * bytes_of(element_);
    of_layers_[layer] = {channels, device.allocate(each_bytes), device.allocate(each_bytes)};
    set(layer, true, std::vector<double>(channels.size(), 1.0));
  }
}

const MemoryBlock& RunningValues::block(LayerIndex layer, bool variance) const {
  return variance ? of(layer).variance : of(layer).mean;
}

std::vector<double> RunningValues::values(LayerIndex layer, bool variance) const {
  const MemoryBlock& memory = block(layer, variance);
  return unpacked(element_, download(*device_, memory.data(), memory.size_bytes()));
}

void RunningValues::set(LayerIndex layer, bool variance, std::span<const double> values) {
  upload(*device_, packed(element_, values), block(layer, variance).data());
}

std::int64_t RunningValues::bytes() const {
  std::int64_t total = 0;
  for (const auto& [layer, values] : of_layers_) {
    total += values.mean.size_bytes() + values.variance.size_bytes();
  }
  return total;
}

}  // namespace cnnplan
