// Tests auxiliary losses: a second loss of the main loss's logits acts as a factor of 1 + weight.
#include <vector>

#include <doctest/doctest.h>

#include "planner/schedule/schedule.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t batch = 4;
constexpr double weight = 0.25;

// Returns a network with a loss per position or per image. With `is_auxiliary`, these logits have a
// second loss.
Network network_with(bool per_pixel, bool has_targets, bool is_auxiliary) {
  const auto loss = [&](double factor) {
    return has_targets ? LayerParameters(MeanSquaredError{.weight = factor})
                       : LayerParameters(SoftmaxCrossEntropy{.weight = factor});
  };
  std::vector<Layer> layers{{"data", {}, Input{.channels = 2, .size = {1, 6, 5}}},
                            {"conv", {"data"}, Convolution{.filters = 3, .bias = true}},
                            {"relu", {"conv"}, Relu{}}};
  if (!per_pixel) layers.push_back({"fc", {"relu"}, FullyConnected{.outputs = 3}});
  const std::string logits = layers.back().name;
  if (is_auxiliary) layers.push_back({"auxiliary", {logits}, loss(weight)});
  layers.push_back({"loss", {logits}, loss(1.0)});
  return Network("twice", std::move(layers));
}

void scale(NamedValues& tensors, double factor) {
  for (auto& [name, values] : tensors) {
    for (double& value : values) value *= factor;
  }
}

void check_close(const NamedValues& actual, const NamedValues& expected) {
  for (const auto& tensor : expected) {
    CAPTURE(tensor.first);
    const std::vector<double>& values = tensor.second;
    const std::vector<double>& found = actual.at(tensor.first);
    REQUIRE(found.size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(found[i] == doctest::Approx(values[i]).epsilon(1e-4).scale(0.01));
    }
  }
}

// Returns a plan whose auxiliary loss has a mesh of its own, so that its blocks of labels differ.
Plan with_auxiliary(bool per_pixel, bool has_targets, const Mesh& mesh, const Mesh& auxiliary) {
  Plan plan = uniform_plan(network_with(per_pixel, has_targets, true), batch, mesh);
  plan.layers[plan.layers.end_index() - 2].mesh = auxiliary;
  return plan;
}

}  // namespace

TEST_CASE("auxiliary losses: the loss and all gradients are the sum with the weights") {
  const Communicator world = Communicator::world();
  const RunSetup setup{.backend = tested_backend("onednn"), .steps = 1};
  for (const bool per_pixel : {false, true}) {
    for (const bool has_targets : {false, true}) {
      for (const Axis axis : {Axis::n, Axis::h, Axis::r}) {
        CAPTURE(per_pixel);
        CAPTURE(has_targets);
        const Mesh mesh({{Axis::n, world.size()}});
        const Mesh own({{axis, world.size()}});
        CAPTURE(to_text(own));
        RunResult single = run_plan(
            uniform_plan(network_with(per_pixel, has_targets, false), batch, mesh), setup, world);
        const RunResult both =
            run_plan(with_auxiliary(per_pixel, has_targets, mesh, own), setup, world);
        CHECK(both.loss[0] == relative((1 + weight) * single.loss[0], 1e-5));
        scale(single.gradients, 1 + weight);
        check_close(both.gradients, single.gradients);
        CHECK(same_on_all_ranks(both, world));
      }
    }
  }
}

TEST_CASE("auxiliary losses: losses with one block share its labels") {
  const auto label_buffers = [](const Mesh& auxiliary) {
    const Plan plan = with_auxiliary(true, false, parse_mesh("n2"), auxiliary);
    const Schedule schedule = lower(plan, 1);
    return std::get<LoadOperation>(schedule.operations.front().body).labels.size();
  };
  CHECK(label_buffers(parse_mesh("n2")) == 1);
  CHECK(label_buffers(parse_mesh("h2")) == 2);
}

TEST_CASE("auxiliary losses: inference skips layers that only they need, and has all parameters") {
  const Network network("side",
                        {{"data", {}, Input{.channels = 2, .size = {1, 6, 5}}},
                         {"conv", {"data"}, Convolution{.filters = 3}},
                         {"side", {"conv"}, Convolution{.filters = 3}},
                         {"side_bn", {"side"}, BatchNorm{}},
                         {"side_loss", {"side_bn"}, SoftmaxCrossEntropy{.weight = weight}},
                         {"head", {"conv"}, Convolution{.filters = 3}},
                         {"loss", {"head"}, SoftmaxCrossEntropy{}}});
  const Schedule inference =
      lower(uniform_plan(network, batch, parse_mesh("h2")), 0, {.pass = Pass::inference});
  for (const Operation& operation : inference.operations) {
    CAPTURE(operation.id);
    CHECK((operation.layer < 2 || operation.layer > 4));
  }
  CHECK(inference.losses.size() == 1);
  CHECK(inference.slots.size() == 5);
  CHECK(inference.running_mean[LayerIndex(3)] >= 0);
}

}  // namespace cnnplan::test
