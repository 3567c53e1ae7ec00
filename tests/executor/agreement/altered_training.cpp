// Wraps the backend of a training.
#include "tests/executor/agreement/altered_training.hpp"

#include <utility>

#include <doctest/doctest.h>

#include "executor/verify/decorated_backend.hpp"
#include "planner/base/error.hpp"
#include "tests/executor/tested_backend.hpp"

namespace cnnplan::test {
namespace {

class AlteredKernel final : public Kernel {
 public:
  AlteredKernel(std::unique_ptr<Kernel> inner, const Alteration& alteration)
      : inner_(std::move(inner)), alteration_(alteration) {}
  void run(Operands operands, const StepState& state) override {
    inner_->run(operands, state);
    alteration_.alter(operands, state);
  }
  std::int64_t workspace_bytes() const override { return inner_->workspace_bytes(); }
  std::string implementation() const override { return inner_->implementation(); }

 private:
  std::unique_ptr<Kernel> inner_;
  Alteration alteration_;
};

class AlteredBackend final : public DecoratedBackend {
 public:
  AlteredBackend(std::unique_ptr<Backend> inner, Alteration alteration)
      : DecoratedBackend(std::move(inner)), alteration_(std::move(alteration)) {}
  std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                      const KernelConstants& constants,
                                      const std::string& implementation) override {
    std::unique_ptr<Kernel> kernel = inner().make_kernel(spec, constants, implementation);
    if (!alteration_.concerns(spec)) return kernel;
    return std::make_unique<AlteredKernel>(std::move(kernel), alteration_);
  }

 private:
  Alteration alteration_;
};

}  // namespace

Plan plan_on(Axis axis, const Communicator& world) {
  Convolution convolution{.filters = 4};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  const Network network("small",
                        {{"input", {}, Input{.channels = 4, .size = {1, 8, 8}}},
                         {"conv", {"input"}, convolution},
                         {"bn", {"conv"}, BatchNorm{}},
                         {"relu", {"bn"}, Relu{}},
                         {"fc", {"relu"}, FullyConnected{.outputs = 4}},
                         {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, 4, Mesh({{axis, world.size()}}));
  // A loss needs all channels.
  if (axis == Axis::c) plan.layers[network.loss_layer()].mesh = Mesh({{Axis::r, world.size()}});
  return plan;
}

TrainingOptions altered(const Alteration& alteration, const Communicator& world) {
  TrainingOptions options{.backend = tested_backend("reference"), .steps = 6};
  if (alteration.rank != world.rank()) return options;
  options.hooks.backend = [alteration](std::unique_ptr<Backend> made) {
    return std::make_unique<AlteredBackend>(std::move(made), alteration);
  };
  return options;
}

std::string message_of(const Plan& plan,
                       const TrainingOptions& options,
                       ExitCode code,
                       const Communicator& world) {
  try {
    train(plan, options, world, {});
    return {};
  } catch (const Error& error) {
    CHECK(error.exit_code() == code);
    return error.what();
  }
}

}  // namespace cnnplan::test
