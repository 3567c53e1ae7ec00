// Compares our own convolutions with plain loops in double, over the whole space of windows, also
// where the backend would choose another kernel.
#include "executor/backend/onednn/direct/direct_convolution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/onednn/workspace.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/executor/backend/guarded_operand.hpp"
#include "tests/executor/backend/harness.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::onednn {
namespace {

using test::Candidate;
using test::Element;
using test::GuardedOperand;
using test::Random;
using test::Values;

struct Problem {
  KernelSpec spec;
  Values x, weight, bias, dy;
};

// Holds results in plain order.
struct Results {
  Values values;  // y, dx or dweight
  Values dbias;
};

using Make = std::function<std::unique_ptr<Kernel>(const KernelSpec&)>;

// Fills the thread's workspace with not-a-number, so that a kernel fails that reads it unwritten.
void spoil_workspace(std::int64_t bytes) {
  const Workspace workspace(bytes);
  if (bytes > 0) std::memset(workspace.data(), 0xff, bytes);
}

void run_guarded(Kernel& kernel, Operands views, const std::vector<GuardedOperand*>& operands) {
  spoil_workspace(kernel.workspace_bytes());
  kernel.run(views, {});
  for (const GuardedOperand* operand : operands) CHECK(operand->guards_are_untouched());
}

Results run_to_activations(const Problem& problem, const Candidate& candidate, Kernel& kernel) {
  const KernelSpec& spec = problem.spec;
  const bool is_forward = spec.phase == KernelPhase::forward;
  const Element element = test::element_of(candidate.precision);
  test::StoredWeight stored(candidate, spec);
  GuardedOperand weight(element, stored.import_plain(problem.weight).copy().values());
  GuardedOperand from(element, is_forward ? problem.x : problem.dy);
  GuardedOperand bias(test::parameter_of(candidate.precision), problem.bias);
  GuardedOperand to(element, volume(is_forward ? spec.out : spec.in));
  std::vector<TensorView> views{from.view(is_forward ? spec.in : spec.out), weight.view()};
  if (spec.bias) views.push_back(bias.view());
  views.push_back(to.view(is_forward ? spec.out : spec.in));
  run_guarded(kernel, views, {&from, &weight, &bias, &to});
  return {.values = to.values()};
}

Results run_backward_filter(const Problem& problem, const Candidate& candidate, Kernel& kernel) {
  const KernelSpec& spec = problem.spec;
  const Element element = test::element_of(candidate.precision);
  const Element parameter = test::parameter_of(candidate.precision);
  const Backend& backend = test::prepared(candidate.backend);
  GuardedOperand x(element, problem.x);
  GuardedOperand dy(element, problem.dy);
  GuardedOperand dweight(parameter, backend.weight_elements(spec));
  GuardedOperand dbias(parameter, spec.out[Dim::c]);
  std::vector<TensorView> views{x.view(spec.in), dy.view(spec.out), dweight.view()};
  if (spec.bias) views.push_back(dbias.view());
  run_guarded(kernel, views, {&x, &dy, &dweight, &dbias});
  // The padding of blocks takes part in sums over ranks and in updates.
  const Values stored = dweight.values();
  CHECK(std::ssize(stored) - std::count(stored.begin(), stored.end(), 0.0) <= weight_volume(spec));
  Results results{.values = Values(weight_volume(spec))};
  export_weight(backend, spec, dweight.data(), results.values);
  if (spec.bias) results.dbias = dbias.values();
  return results;
}

Results run(Problem problem, const Candidate& candidate, const Make& make) {
  problem.spec.precision = candidate.precision;
  const auto kernel = make(problem.spec);
  if (problem.spec.phase != KernelPhase::backward_filter) {
    return run_to_activations(problem, candidate, *kernel);
  }
  return run_backward_filter(problem, candidate, *kernel);
}

Results run_reference(const Problem& problem) {
  Backend& backend = test::prepared(test::oracle().backend);
  return run(problem, test::oracle(), [&](const KernelSpec& spec) {
    return backend.make_kernel(spec, {}, "");
  });
}

// Returns the problem whose results are the sums of the absolute values of all terms.
Problem absolute(Problem problem) {
  for (Values* values : {&problem.x, &problem.weight, &problem.bias, &problem.dy}) {
    for (double& value : *values) value = std::abs(value);
  }
  return problem;
}

// Returns the largest error in units of the one that is allowed.
double excess(const Values& actual,
              const Values& expected,
              const Values& absolute_sums,
              double rounding) {
  constexpr double of_sums = 2e-6;
  constexpr double least = 1e-30;
  if (actual.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double allowed = of_sums * absolute_sums[i] + rounding * std::abs(expected[i]) + least;
    const double error = std::abs(actual[i] - expected[i]) / allowed;
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

void check_direct(const KernelSpec& spec, Random& random) {
  const Problem problem{.spec = spec,
                        .x = random.values(volume(spec.in)),
                        .weight = random.values(weight_volume(spec)),
                        .bias = random.values(spec.out[Dim::c]),
                        .dy = random.values(volume(spec.out))};
  const Results expected = run_reference(problem);
  const Results sums = run_reference(absolute(problem));
  for (const Candidate& candidate : test::candidates()) {
    if (candidate.backend != "onednn") continue;
    INFO(to_text(candidate.precision), ": ", to_text(spec));
    const Results actual = run(problem, candidate, make_direct_convolution);
    const bool is_narrow = activation_bytes(candidate.precision) == 2;
    const double rounding =
        is_narrow && spec.phase != KernelPhase::backward_filter ? 1.0 / 256.0 : 0.0;
    CHECK(excess(actual.values, expected.values, sums.values, rounding) < 1.0);
    CHECK(excess(actual.dbias, expected.dbias, sums.dbias, 0.0) < 1.0);
  }
}

// Some windows lie in the padding as a whole, before or after the inputs.
WindowDim random_dim(Random& random, std::int64_t longest) {
  WindowDim dim{.kernel = random.integer(1, longest), .stride = random.integer(1, 3)};
  if (dim.kernel > 1) dim.dilation = random.integer(1, 3);
  const std::int64_t beyond = random.integer(0, 5) == 0 ? 3 : -1;
  dim.padding_begin = random.integer(0, dim.reach() + beyond);
  dim.padding_end = random.integer(0, dim.reach() + beyond);
  return dim;
}

void draw_channels(Random& random, KernelSpec& spec) {
  constexpr std::array<std::int64_t, 8> counts{1, 2, 3, 5, 16, 17, 33, 48};
  const auto count = [&] { return counts.at(random.integer(0, 7)); };
  spec.in[Dim::c] = count();
  spec.out[Dim::c] = count();
  const std::int64_t kind = random.integer(0, 3);
  if (kind == 0) {  // depthwise
    spec.groups = spec.in[Dim::c] = spec.out[Dim::c] = random.integer(1, 3) * count();
  } else if (kind == 1) {
    spec.groups = random.integer(2, 9);
    spec.in[Dim::c] = spec.groups * counts.at(random.integer(0, 5));
    spec.out[Dim::c] = spec.groups * counts.at(random.integer(0, 5));
  }
}

KernelSpec random_spec(Random& random) {
  KernelSpec spec;
  spec.in[Dim::n] = spec.out[Dim::n] = random.integer(1, 3);
  draw_channels(random, spec);
  const std::int64_t dims = random.integer(1, 3);
  for (std::size_t i = 3 - dims; i < 3; ++i) {
    WindowDim& dim = spec.window.dims[i];
    const Dim axis = spatial_dims[i];
    dim = random_dim(random, dims == 3 ? 5 : 11);
    const std::int64_t least = dim.reach() - dim.padding_begin - dim.padding_end;
    spec.in[axis] = std::max<std::int64_t>(1, least) + random.integer(0, dims == 1 ? 30 : 6);
    spec.out[axis] = output_length(spec.in[axis], dim);
  }
  spec.bias = random.coin();
  spec.relu = random.coin();
  return spec;
}

void set_phase(KernelSpec& spec, KernelPhase phase) {
  spec.phase = phase;
  if (phase != KernelPhase::forward) spec.relu = false;
  if (phase == KernelPhase::backward_data) spec.bias = false;
}

constexpr std::array phases{
    KernelPhase::forward, KernelPhase::backward_data, KernelPhase::backward_filter};

bool has_onednn() {
  return std::any_of(test::candidates().begin(), test::candidates().end(), [](const auto& one) {
    return one.backend == "onednn";
  });
}

}  // namespace

TEST_CASE("direct convolution: random windows, paddings and groups") {
  constexpr double most_flops = 4e5;
  Random random(41);
  for (int i = 0; i < test::random_cases(test::is_slow_build ? 40 : 200); ++i) {
    KernelSpec spec = random_spec(random);
    while (flops(spec) > most_flops) spec = random_spec(random);
    for (const KernelPhase phase : phases) {
      set_phase(spec, phase);
      check_direct(spec, random);
    }
  }
}

// Blocks of positions, taps, channels and filters have a remainder here.
TEST_CASE("direct convolution: more than a block in every direction") {
  Random random(42);
  KernelSpec many;
  many.in = {{1, 530, 1, 2, 3}};
  many.out = {{1, 131, 1, 2, 3}};
  many.window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  KernelSpec deep;
  deep.in = {{3, 24, 1, 1, 401}};
  deep.out = deep.in;
  deep.out[Dim::c] = 6;
  deep.window.dims[2] = {.kernel = 25, .padding_begin = 24, .padding_end = 24, .dilation = 2};
  KernelSpec depthwise = deep;
  depthwise.groups = depthwise.in[Dim::c] = depthwise.out[Dim::c] = 150;
  depthwise.window.dims[2] = {.kernel = 3, .padding_begin = 2, .padding_end = 2, .dilation = 2};
  for (KernelSpec spec : {many, deep, depthwise}) {
    spec.bias = true;
    for (const KernelPhase phase : phases) {
      set_phase(spec, phase);
      check_direct(spec, random);
    }
  }
}

// Equal terms are the worst: rounding errors of a sum in fp32 then have one sign.
TEST_CASE("direct convolution: sums over a million positions keep their digits") {
  if (!has_onednn()) return;
  constexpr std::int64_t length = std::int64_t{1} << 20;
  const auto value = static_cast<double>(0.1F);
  for (const std::int64_t groups : {1, 2}) {
    KernelSpec spec;
    set_phase(spec, KernelPhase::backward_filter);
    spec.bias = true;
    spec.groups = groups;
    spec.in = {{1, groups, 1, 1, length}};
    spec.out = spec.in;
    spec.window.dims[2] = {.kernel = 2, .padding_end = 1};
    const Problem problem{
        .spec = spec, .x = Values(volume(spec.in), value), .dy = Values(volume(spec.out), value)};
    const Results results = run(problem, {"onednn", Precision::fp32}, make_direct_convolution);
    const double allowed = 1e-6 * std::sqrt(20.0);
    for (std::int64_t c = 0; c < groups; ++c) {
      const double whole_sum = value * value * length;
      CHECK(std::abs(results.values[2 * c] / whole_sum - 1.0) < allowed);
      CHECK(std::abs(results.dbias[c] / (value * length) - 1.0) < allowed);
    }
  }
}

}  // namespace cnnplan::onednn
