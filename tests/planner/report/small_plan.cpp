// Makes the small plan that the report tests print.
#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {
namespace {

Network small_network() {
  Convolution convolution;
  convolution.filters = 8;
  return Network("small",
                 {{"data", {}, Input{.channels = 3, .size = {1, 16, 16}}},
                  {"conv1", {"data"}, convolution},
                  {"bn1", {"conv1"}, BatchNorm{}},
                  {"pool", {"bn1"}, GlobalPooling{}},
                  {"fc", {"pool"}, FullyConnected{.outputs = 10}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

Prediction small_prediction() {
  Prediction prediction;
  prediction.step_s = 0.100;
  prediction.low_s = 0.090;
  prediction.high_s = 0.120;
  prediction.exposed_communication_s = 0.0125;
  prediction.inference_s = 0.03;
  prediction.baseline = "n2 everywhere";
  prediction.baseline_s = 0.110;
  prediction.runner_up = "h2 everywhere";
  prediction.runner_up_s = 0.105;
  prediction.bound_s = 0.080;
  prediction.gap = 0.25;
  prediction.candidates = 14;
  prediction.memory = {.parameters_bytes = 1 << 20,
                       .activations_bytes = 3 << 20,
                       .buffers_bytes = 512,
                       .available_bytes = std::int64_t{1} << 30};
  prediction.operations = {
      {"data/load", 0.001, false, 0.001, {OperationPart::load, "data"}},
      {"conv1/forward/halo", 0.002, false, 0.002, {OperationPart::halo, "conv1"}},
      {"conv1/forward", 0.010, false, 0.010, {OperationPart::forward, "conv1"}},
      {"bn1/forward_statistics", 0.003, false, 0.003, {OperationPart::statistics, "bn1"}},
      {"bn1/forward_statistics/allreduce",
       0.0005,
       false,
       0.0,
       {OperationPart::statistics_allreduce, "bn1"}},
      {"bn1/forward", 0.004, true, 0.0045, {OperationPart::forward, "bn1"}},
      {"fc/forward/shuffle", 0.0015, false, 0.0, {OperationPart::shuffle, "fc"}},
      {"fc/forward", 0.005, false, 0.0065, {OperationPart::forward, "fc"}},
      {"conv1/backward_data", 0.020, false, 0.020, {OperationPart::backward_data, "conv1"}},
      {"conv1/backward_filter", 0.0305, false, 0.0305, {OperationPart::backward_filter, "conv1"}},
      {"reduce/0", 0.006, false, 0.0155, {OperationPart::gradient_reduction}},
      {"sgd/0", 0.007, false, 0.007, {OperationPart::update}}};
  prediction.estimated_kernels = {"batch_norm/forward in=4x8x1x8x16"};
  prediction.estimated_families = {{.family = {.kind = KernelKind::batch_norm}}};
  return prediction;
}

}  // namespace

Plan small_plan() {
  Plan plan = uniform_plan(small_network(), 4, parse_mesh("h2"));
  plan.layers[LayerIndex(4)].mesh = parse_mesh("r2");
  plan.prediction = small_prediction();
  return plan;
}

}  // namespace cnnplan
