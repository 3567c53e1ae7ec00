// Holds the running means and variances of the batch norms of one rank.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "executor/backend/device.hpp"
#include "executor/backend/memory_block.hpp"
#include "planner/network/network.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Values are in the element of parameters, in the memory of the device. Each batch norm has the
// channels that this rank owns.
class RunningValues {
 public:
  // Keeps a reference to `device`. Means begin with 0, variances with 1.
  // @throws as Device::allocate()
  RunningValues(const Schedule& schedule,
                const Network& network,
                Precision precision,
                Device& device);

  // Return addresses of the values, and the channels of this rank in global indices.
  // @pre the layer is a batch norm, for all functions that take a layer
  void* mean(LayerIndex layer) const { return of(layer).mean.data(); }
  void* variance(LayerIndex layer) const { return of(layer).variance.data(); }
  Range channels(LayerIndex layer) const { return of(layer).channels; }
  // Return or set values by channel: the variances if `variance` is true, else the means. They wait
  // for the device.
  // @pre values.size() == channels(layer).size()
  std::vector<double> values(LayerIndex layer, bool variance) const;
  void set(LayerIndex layer, bool variance, std::span<const double> values);
  // Returns the bytes on the device.
  std::int64_t bytes() const;

 private:
  struct BatchNormValues {
    Range channels;
    MemoryBlock mean;
    MemoryBlock variance;
  };
  const BatchNormValues& of(LayerIndex layer) const { return of_layers_.at(layer); }
  const MemoryBlock& block(LayerIndex layer, bool variance) const;

  ElementType element_;
  Device* device_;
  std::map<LayerIndex, BatchNormValues> of_layers_;
};

}  // namespace cnnplan
