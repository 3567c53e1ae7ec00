// Tests chains of one number per layer against textbook multigrid, cycle by cycle: states and
// gradients.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/step/step_runner.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/network/residual_chain.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/textbook_multigrid.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t batch = 2;
constexpr int steps = 3;  // each goes on from the states of the one before, where it does
constexpr double sample_values[steps][batch] = {{0.5, -0.1}, {-0.3, 0.6}, {0.7, -0.4}};
constexpr std::int32_t label = 1;

class TwoNumbers final : public DataSource {
 public:
  std::int64_t sample_count() const override { return batch; }
  std::int64_t step_count() const override { return steps; }
  std::int64_t valid_count(std::int64_t) const override { return batch; }
  void read_samples(std::int64_t step, const TensorView& samples) override {
    for (std::int64_t n = samples.box[Dim::n].begin; n < samples.box[Dim::n].end; ++n) {
      samples.as<double>()[n - samples.box[Dim::n].begin] = sample_values[step][n];
    }
  }
  void read_labels(std::int64_t, const TensorView& labels) override {
    for (std::int64_t n = labels.box[Dim::n].begin; n < labels.box[Dim::n].end; ++n) {
      labels.as<std::int32_t>()[n - labels.box[Dim::n].begin] = label;
    }
  }
};

double step_of(int layer) {
  return 0.1 + 0.05 * (layer % 3);
}
// Returns the weight of a layer's convolution. Some ReLUs are closed for one sample.
double weight_of(int layer) {
  return 0.6 * std::cos(1.0 + layer);
}
double bias_of(int layer) {
  return 0.3 * std::sin(0.5 * layer);
}
constexpr double open_weight = 1.2;
constexpr double class_weights[2] = {0.8, -0.5};

Network scalar_network(int blocks) {
  std::vector<Layer> layers{{"data", {}, Input{.channels = 1, .size = {1, 1, 1}}},
                            {"open", {"data"}, Convolution{.filters = 1}}};
  for (int i = 0; i < blocks; ++i) {
    const std::string name = "b" + std::to_string(i);
    const std::string input = layers.back().name;
    layers.push_back({name, {input}, Convolution{.filters = 1, .bias = true}});
    layers.push_back({name + "_relu", {name}, Relu{}});
    layers.push_back({name + "_add", {input, name + "_relu"}, Add{.scale = step_of(i)}});
  }
  layers.push_back({"fc", {layers.back().name}, FullyConnected{.outputs = 2, .bias = false}});
  layers.push_back({"loss", {"fc"}, SoftmaxCrossEntropy{}});
  return Network("scalar", layers);
}

// Returns a plan that deals the coarse steps out to the ranks in order. The last rank gets the
// rest.
Plan plan_of(int blocks, Multigrid setting, int ranks) {
  const Network network = scalar_network(blocks);
  Plan plan = uniform_plan(network, batch, Mesh({{Axis::r, ranks}}));
  plan.precision = Precision::fp64;
  const ResidualChain chain = residual_chains(network).at(0);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const int group = static_cast<int>(i) / setting.coarsening;
    const int stage = std::min(ranks - 1, group);
    for (LayerIndex layer : {chain[i].weights, chain[i].transform, chain[i].sum}) {
      plan.layers[layer] = {.mesh = Mesh({{Axis::l, ranks}}), .stage = stage};
    }
  }
  setting.first = chain.front().weights;
  setting.last = chain.back().sum;
  plan.multigrid = {setting};
  return plan;
}

std::vector<double> first_values(const ParameterSlot& slot, const Network& network) {
  const std::string& name = network.layer(slot.layer).name;
  if (slot.elements == 0) return {};
  if (name == "open") return {open_weight};
  if (name == "fc") return {class_weights[0], class_weights[1]};
  const int block = std::stoi(name.substr(1));
  return {slot.role == ParameterRole::weight ? weight_of(block) : bias_of(block)};
}

// Holds the results of one rank, whose sums over ranks are the results of the network.
struct Result {
  // Each block has the gradients of its weight and bias. They are 0 for blocks of other ranks.
  std::vector<std::array<double, 2>> gradients;
  // These are sums of squares after every cycle, first forward and then backward.
  std::array<std::vector<double>, 2> residual_squares;
};

double squares_of(const TensorView& view) {
  double squares = 0.0;
  for (std::int64_t i = 0; i < volume(view.box); ++i) {
    squares += view.as<double>()[i] * view.as<double>()[i];
  }
  return squares;
}

Result measured(const Plan& plan, int blocks, const Communicator& world) {
  const auto backend = make_backend(tested_backend("reference"), {});
  const Schedule schedule = lower(plan, world.rank(), {.residuals = true});
  ParameterStore store(schedule, plan.network, plan.precision, *backend);
  for (const SlotIndex i : store.slots().indices()) {
    store.set_weight(i, in_slices(first_values(store.slots()[i], plan.network)));
  }
  Groups groups(world);
  TwoNumbers data;
  StepRunner runner(
      schedule, {.backend = backend.get(), .parameters = &store, .groups = &groups, .data = &data});
  for (int step = 0; step < steps; ++step) runner.run({.step = step, .learning_rate = 0.0});
  Result result{.gradients = {static_cast<std::size_t>(blocks), {0.0, 0.0}}};
  for (auto& squares : result.residual_squares) {
    squares.resize(static_cast<std::size_t>(plan.multigrid[0].cycles) + 1);
  }
  for (const PointResidual& residual : schedule.residuals) {
    const HostBlock block = runner.memory().read(residual.operand);
    result.residual_squares[residual.backward ? 1 : 0][static_cast<std::size_t>(residual.cycles)] +=
        squares_of(block.view);
  }
  for (const SlotIndex i : store.slots().indices()) {
    const ParameterSlot& slot = store.slots()[i];
    const std::string& name = plan.network.layer(slot.layer).name;
    if (!name.starts_with("b") || slot.elements == 0) continue;
    const auto block = static_cast<std::size_t>(std::stoi(name.substr(1)));
    result.gradients[block][slot.role == ParameterRole::weight ? 0 : 1] =
        store.plain(ParameterArena::gradients, i).at(0);
  }
  return result;
}

void add(const std::vector<double>& terms, std::vector<double>& sums) {
  sums.resize(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) sums[i] += terms[i];
}

// Holds the states that a step leaves.
struct States {
  std::vector<double> u;       // by point
  std::vector<double> lambda;  // by point, from the last one on
};

// Computes one sample in the step after the one that left `before`, and adds its part to `result`.
States add_expected(
    int blocks, const Multigrid& setting, double sample, const States& before, Result& result) {
  const auto preactivation = [](int layer, double u) {
    return weight_of(layer) * u + bias_of(layer);
  };
  ScalarChain forward{.steps = {}, .derivative = [&](int layer, double u) {
                        return std::max(0.0, preactivation(layer, u));
                      }};
  for (int i = 0; i < blocks; ++i) forward.steps.push_back(step_of(i));
  const auto [u, forward_squares] =
      textbook_multigrid(forward, setting, open_weight * sample, false, before.u);
  add(forward_squares, result.residual_squares[0]);
  const std::vector<double>& states = u;
  const auto is_open = [&](int layer) {
    return preactivation(layer, states[static_cast<std::size_t>(layer)]) > 0.0;
  };
  const ScalarChain backward{.steps = {forward.steps.rbegin(), forward.steps.rend()},
                             .derivative = [&](int step, double lambda) {
                               const int layer = blocks - 1 - step;
                               return is_open(layer) ? weight_of(layer) * lambda : 0.0;
                             }};
  const double margin = (class_weights[0] - class_weights[1]) * u.back();
  const double other = 1.0 / (1.0 + std::exp(-margin));  // of the class that is not the label
  const double last = other * (class_weights[0] - class_weights[1]) / batch;
  const auto [lambda, backward_squares] =
      textbook_multigrid(backward, setting, last, true, before.lambda);
  add(backward_squares, result.residual_squares[1]);
  for (int i = 0; i < blocks; ++i) {
    if (!is_open(i)) continue;
    const auto index = static_cast<std::size_t>(i);
    const double dz = step_of(i) * lambda[static_cast<std::size_t>(blocks - 1 - i)];
    result.gradients[index][0] += dz * u[index];
    result.gradients[index][1] += dz;
  }
  return {.u = u, .lambda = lambda};
}

// Returns the results of the last step.
Result expected_of(int blocks, const Multigrid& setting) {
  Result result;
  std::array<States, batch> before;
  for (const auto& samples : sample_values) {
    result = {.gradients = {static_cast<std::size_t>(blocks), {0.0, 0.0}}};
    for (std::size_t n = 0; n < before.size(); ++n) {
      before[n] = add_expected(blocks, setting, samples[n], before[n], result);
    }
  }
  return result;
}

// Compares the sum over ranks of `actual` with `expected`. Is collective.
void check_sum(std::span<double> actual,
               std::span<const double> expected,
               const Communicator& world) {
  world.allreduce(actual, AllreduceAlgorithm::library);
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    CHECK(std::abs(actual[i] - expected[i]) <= 1e-12 * (1.0 + std::abs(expected[i])));
  }
}

void check(int blocks, const Multigrid& setting, const Communicator& world) {
  const Plan plan = plan_of(blocks, setting, world.size());
  Result actual = measured(plan, blocks, world);
  const Result expected = expected_of(blocks, setting);
  for (std::size_t i = 0; i < actual.gradients.size(); ++i) {
    CAPTURE(i);
    check_sum(actual.gradients[i], expected.gradients[i], world);
  }
  // Coarse steps that span several stages leave out residuals.
  const bool is_traced = setting.levels == 2 || world.size() == 1;
  for (std::size_t pass : {0U, 1U}) {
    CAPTURE(pass);
    if (is_traced) check_sum(actual.residual_squares[pass], expected.residual_squares[pass], world);
  }
}

// Checks the setting with every first guess and every relaxation.
void check_all(Multigrid setting, int blocks, const Communicator& world) {
  CAPTURE(blocks);
  CAPTURE(setting.coarsening);
  CAPTURE(setting.levels);
  CAPTURE(setting.cycles);
  for (Relaxation relaxation : Enumerators<Relaxation>::all) {
    for (FirstGuess guess : Enumerators<FirstGuess>::all) {
      CAPTURE(to_text(relaxation));
      CAPTURE(to_text(guess));
      setting.relaxation = relaxation;
      setting.first_guess = guess;
      check(blocks, setting, world);
    }
  }
}

}  // namespace

TEST_CASE("Multigrid: gradients and residuals are those of the textbook, after every cycle") {
  const Communicator world = Communicator::world();
  const std::vector<int> chains = is_slow_build ? std::vector{2, 13} : std::vector{2, 5, 8, 13, 27};
  for (int blocks : chains) {
    for (int coarsening : {2, 3, 4}) {
      for (int levels = 2; levels <= most_levels(blocks, coarsening); ++levels) {
        for (int cycles : {1, 2, 3}) {
          check_all({.coarsening = coarsening, .levels = levels, .cycles = cycles}, blocks, world);
        }
      }
    }
  }
}

}  // namespace cnnplan::test
