// Holds a training on the device of this process and all its parts, for tests of the device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "executor/data/synthetic_data.hpp"
#include "executor/step/step_runner.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan::test {

// Makes a network with every kind of kernel, including dropout.
inline Network device_network() {
  Convolution convolution{.filters = 4, .bias = true};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  Pooling pooling;
  pooling.window.dims[1] = pooling.window.dims[2] = {.kernel = 2, .stride = 2};
  return Network("device",
                 {{"input", {}, Input{.channels = 2, .size = {1, 8, 6}}},
                  {"conv1", {"input"}, convolution},
                  {"bn1", {"conv1"}, BatchNorm{}},
                  {"relu1", {"bn1"}, Relu{}},
                  {"conv2", {"relu1"}, convolution},
                  {"add", {"conv2", "relu1"}, Add{}},
                  {"drop", {"add"}, Dropout{.rate = 0.25}},
                  {"pool", {"drop"}, pooling},
                  {"fc", {"pool"}, FullyConnected{.outputs = 3}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

struct DeviceTraining {
  DeviceTraining(const Plan& trained,
                 Backend& device_backend,
                 const Communicator& world,
                 Graphs graphs = Graphs::off)
      : DeviceTraining(trained, device_backend, world, graphs, false, trained.overlap) {}

  // With `nccl`, NCCL runs the collectives. `overlap` takes the place of the plan's.
  DeviceTraining(const Plan& trained,
                 Backend& device_backend,
                 const Communicator& world,
                 Graphs graphs,
                 bool nccl,
                 bool overlap)
      : plan(trained),
        backend(device_backend),
        schedule(lower(plan, world.rank())),
        parameters(schedule, plan.network, plan.precision, backend),
        groups(world, nccl),
        data(batch_shape(plan.network, plan.batch, plan.precision), 1),
        runner(schedule,
               {.backend = &backend,
                .parameters = &parameters,
                .groups = &groups,
                .data = &data,
                .in_place_of_communication = {},
                .overlap = overlap,
                .graphs = graphs}) {
    initialize(parameters, plan.network, 1);
  }

  // Returns all numbers that a step leaves behind.
  std::vector<std::vector<double>> numbers() const {
    std::vector<std::vector<double>> all{{runner.loss()}};
    for (const SlotIndex i : parameters.slots().indices()) {
      for (ParameterArena arena :
           {ParameterArena::weights, ParameterArena::gradients, ParameterArena::momentum}) {
        all.push_back(parameters.plain(arena, i));
      }
    }
    return all;
  }

  Plan plan;
  Backend& backend;
  Schedule schedule;
  ParameterStore parameters;
  Groups groups;
  SyntheticData data;
  StepRunner runner;
};

}  // namespace cnnplan::test
