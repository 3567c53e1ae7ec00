// Compares batch norm of every backend with plain loops in double, dense and inside larger buffers.
#include <cmath>

#include <doctest/doctest.h>

#include "planner/kernel/kernel_work.hpp"
#include "tests/executor/backend/harness.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

struct Problem {
  Shape shape;
  bool relu = false;
  bool residual = false;
  bool second_dy = false;  // the memory of `added` is an error signal, too
  std::int64_t margin = 0;
  Values x, added, dy, scale, shift, mean, variance;
};

struct Results {
  Values sums, y, mean, variance, gradient_sums, dscale, dshift, dz, dx;
  bool margins_untouched = true;
};

constexpr KernelConstants constants{.epsilon = 1e-5, .running_momentum = 0.1};

Problem random_problem(Random& random, std::int64_t margin) {
  Problem problem;
  problem.shape = {{random.integer(1, 3),
                    random.coin() ? random.integer(1, 40) : 16 * random.integer(1, 4),
                    random.integer(1, 2),
                    random.integer(1, 9),
                    random.integer(2, 9)}};
  problem.relu = random.coin();
  problem.residual = random.coin();
  problem.second_dy = random.coin();
  problem.margin = margin;
  const std::int64_t channels = problem.shape[Dim::c];
  for (Values* values : {&problem.x, &problem.added, &problem.dy}) {
    *values = random.values(volume(problem.shape));
  }
  for (Values* values : {&problem.scale, &problem.shift, &problem.mean, &problem.variance}) {
    *values = random.values(channels);
  }
  for (double& value : problem.variance) value = static_cast<double>(float(value * value));
  return problem;
}

KernelSpec spec_of(const Problem& problem, KernelPhase phase) {
  KernelSpec spec;
  spec.kind = KernelKind::batch_norm;
  spec.phase = phase;
  spec.in = spec.out = problem.shape;
  if (phase != KernelPhase::forward_statistics) {
    spec.relu = problem.relu;
    spec.residual = problem.residual;
  }
  if (phase == KernelPhase::backward_statistics) spec.second_dy = problem.second_dy;
  if (phase == KernelPhase::backward_data) spec.residual |= problem.second_dy;
  return spec;
}

// Runs the four phases one after the other, as a single rank does.
class Runner {
 public:
  Runner(const Candidate& candidate, const Problem& problem)
      : candidate_(candidate), problem_(problem) {}

  Results run_all(bool training = true) {
    forward(training);
    if (training) backward();
    for (const Block* block : {&x_, &added_, &y_, &dy_, &dz_, &dx_}) {
      results_.margins_untouched = results_.margins_untouched && block->margin_is_untouched();
    }
    return results_;
  }

 private:
  Block activation() const {
    return Block::pitched(element_of(candidate_.precision), problem_.shape, problem_.margin);
  }
  Block channels() const {
    return flat(parameter_of(candidate_.precision), problem_.shape[Dim::c]);
  }
  void run_phase(KernelPhase phase, bool training, std::vector<Block*> operands) {
    KernelSpec spec = spec_of(problem_, phase);
    spec.precision = candidate_.precision;
    if (has_mask(spec)) operands.push_back(training ? &mask_ : &no_mask_);
    run(candidate_, spec_of(problem_, phase), constants, {.training = training}, operands);
  }
  void forward(bool training);
  void backward();

  Candidate candidate_;
  Problem problem_;
  Results results_;
  Block x_ = activation().fill(problem_.x);
  Block added_ = activation().fill(problem_.added);
  Block y_ = activation();
  Block dy_ = activation().fill(problem_.dy);
  Block dz_ = activation();
  Block dx_ = activation();
  Block mask_ = flat(Element::int32, volume(problem_.shape) / bits_of_word);
  Block no_mask_ = flat(Element::int32, 0);
  Block sums_ = flat(Element::fp64, 2 * problem_.shape[Dim::c] + 1);
  Block scale_ = channels().fill(problem_.scale);
  Block shift_ = channels().fill(problem_.shift);
};

void Runner::forward(bool training) {
  Block mean = channels().fill(problem_.mean);
  Block variance = channels().fill(problem_.variance);
  run_phase(KernelPhase::forward_statistics, training, {&x_, &sums_});
  std::vector<Block*> operands{&x_, &sums_, &scale_, &shift_, &mean, &variance};
  if (problem_.residual) operands.push_back(&added_);
  operands.push_back(&y_);
  run_phase(KernelPhase::forward, training, operands);
  results_.sums = sums_.values();
  results_.y = y_.values();
  results_.mean = mean.values();
  results_.variance = variance.values();
}

void Runner::backward() {
  Block gradient_sums = flat(Element::fp64, 2 * problem_.shape[Dim::c]);
  Block dscale = channels();
  Block dshift = channels();
  const bool keeps_dz = problem_.residual || problem_.second_dy;
  const bool masks = problem_.relu && !keeps_dz;
  Block& dz = problem_.second_dy ? added_ : dz_;  // the sum is written over a term
  std::vector<Block*> operands{&x_, &dy_};
  if (problem_.second_dy) operands.push_back(&added_);
  if (problem_.relu) operands.push_back(&y_);
  operands.push_back(&sums_);
  if (masks) operands.insert(operands.end(), {&scale_, &shift_});
  operands.insert(operands.end(), {&gradient_sums, &dscale, &dshift});
  if (keeps_dz) operands.push_back(&dz);
  run_phase(KernelPhase::backward_statistics, true, operands);
  operands = {&x_, keeps_dz ? &dz : &dy_};
  if (masks) operands.push_back(&y_);
  operands.insert(operands.end(), {&sums_, &gradient_sums, &scale_});
  if (masks) operands.push_back(&shift_);
  operands.push_back(&dx_);
  run_phase(KernelPhase::backward_data, true, operands);
  results_.gradient_sums = gradient_sums.values();
  results_.dscale = dscale.values();
  results_.dshift = dshift.values();
  if (keeps_dz) results_.dz = dz.values();
  results_.dx = dx_.values();
}

void check_same(const Results& actual, const Results& expected, double tolerance) {
  CHECK(actual.margins_untouched);
  CHECK(difference(actual.sums, expected.sums) < tolerance);
  CHECK(difference(actual.y, expected.y) < tolerance);
  CHECK(difference(actual.mean, expected.mean) < tolerance);
  CHECK(difference(actual.variance, expected.variance) < tolerance);
  CHECK(difference(actual.gradient_sums, expected.gradient_sums) < tolerance);
  CHECK(difference(actual.dscale, expected.dscale) < tolerance);
  CHECK(difference(actual.dshift, expected.dshift) < tolerance);
  CHECK(difference(actual.dz, expected.dz) < tolerance);
  CHECK(difference(actual.dx, expected.dx) < tolerance);
}

void check_against_oracle(const Problem& problem, bool training = true) {
  const Results expected = Runner(oracle(), problem).run_all(training);
  for (const Candidate& candidate : candidates()) {
    INFO(candidate.backend, ": ", to_text(spec_of(problem, KernelPhase::forward)));
    check_same(Runner(candidate, problem).run_all(training), expected, tolerance_of(candidate));
  }
}

}  // namespace

TEST_CASE("batch_norm: all phases on dense blocks") {
  Random random(1);
  for (int i = 0; i < random_cases(80); ++i) check_against_oracle(random_problem(random, 0));
}

TEST_CASE("batch_norm: all phases on blocks inside larger buffers") {
  Random random(2);
  for (int i = 0; i < random_cases(60); ++i) check_against_oracle(random_problem(random, 2));
}

TEST_CASE("batch_norm: two error signals give the bits that their sum gives") {
  Random random(7);
  for (int i = 0; i < random_cases(20); ++i) {
    Problem problem = random_problem(random, i % 2);
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, ": ", to_text(spec_of(problem, KernelPhase::backward_statistics)));
      problem.second_dy = true;
      const Results adds = Runner(candidate, problem).run_all();
      Problem summed = problem;
      summed.second_dy = false;
      Block sum = Block::dense(element_of(candidate.precision), problem.shape).fill(problem.dy);
      Block other =
          Block::dense(element_of(candidate.precision), problem.shape).fill(problem.added);
      KernelSpec spec{.kind = KernelKind::accumulate, .phase = KernelPhase::forward};
      spec.in = spec.out = problem.shape;
      run(candidate, spec, {}, {}, {&sum, &other, &sum});
      summed.dy = sum.values();
      const Results expected = Runner(candidate, summed).run_all();
      CHECK(adds.gradient_sums == expected.gradient_sums);
      CHECK(adds.dscale == expected.dscale);
      CHECK(adds.dshift == expected.dshift);
      CHECK(adds.dx == expected.dx);
      if (problem.residual) CHECK(adds.dz == expected.dz);
    }
  }
}

TEST_CASE("batch_norm: evaluation normalises by the running values and leaves them") {
  Random random(3);
  for (int i = 0; i < random_cases(20); ++i) {
    const Problem problem = random_problem(random, i % 2);
    check_against_oracle(problem, false);
    const Results results = Runner(oracle(), problem).run_all(false);
    CHECK(results.mean == problem.mean);
    CHECK(results.variance == problem.variance);
  }
}

// The mask has no memory here, so a kernel that still writes one writes beyond it.
TEST_CASE("batch_norm: evaluation writes no mask for a backward pass") {
  Random random(5);
  Problem problem = random_problem(random, 0);
  const auto has_large_mask = [&problem] {
    constexpr std::int64_t many = 10000;
    return problem.relu && problem.residual && problem.shape[Dim::c] % bits_of_word == 0 &&
           volume(problem.shape) > many;
  };
  while (!has_large_mask()) problem = random_problem(random, 0);
  check_against_oracle(problem, false);
}

TEST_CASE("batch_norm: running variance is the unbiased one") {
  Problem problem{.shape = {{1, 1, 1, 1, 2}}};
  problem.x = {1.0, 3.0};
  problem.added = problem.dy = {0.0, 0.0};
  problem.scale = {1.0};
  problem.shift = problem.mean = problem.variance = {0.0};
  std::vector<Candidate> all = candidates();
  all.push_back(oracle());
  for (const Candidate& candidate : all) {
    const Results results = Runner(candidate, problem).run_all();
    CHECK(results.mean[0] == relative(0.1 * 2.0, 1e-6));
    CHECK(results.variance[0] == relative(0.1 * 2.0, 1e-6));
    const double expected = 1.0 / std::sqrt(1.0 + constants.epsilon);
    CHECK(results.y[1] == relative(expected, tolerance_of(candidate)));
  }
}

// Many outputs are near 0, and fp16 rounds half of the positive ones to 0.
TEST_CASE("batch_norm: the ReLU passes gradients exactly where the stored output is above 0") {
  Random random(6);
  for (const double scale : {1.0, 0x1p-24, 0x1p-140}) {
    Problem problem = random_problem(random, 0);
    problem.relu = true;
    problem.residual = problem.second_dy = false;
    problem.scale.assign(problem.scale.size(), scale);
    problem.shift.assign(problem.shift.size(), 0.0);
    problem.dy.assign(problem.dy.size(), 1.0);
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, ": ", to_text(spec_of(problem, KernelPhase::forward)));
      const Results results = Runner(candidate, problem).run_all();
      Values positive(problem.scale.size(), 0.0);
      for (std::size_t i = 0; i < results.y.size(); ++i) {
        if (results.y[i] > 0.0) positive[i % positive.size()] += 1.0;
      }
      CHECK(results.dshift == positive);
    }
  }
}

TEST_CASE("batch_norm: a mean far above the deviation keeps its accuracy") {
  Random random(4);
  Problem problem = random_problem(random, 0);
  // Every precision has these steps between 32 and 64.
  for (double& value : problem.x) value = 40.0 + 0.25 * std::round(value);
  const Results expected = Runner(oracle(), problem).run_all();
  for (const Candidate& candidate : candidates()) {
    const Results actual = Runner(candidate, problem).run_all();
    CHECK(difference(actual.y, expected.y) < std::max(1e-4, tolerance_of(candidate)));
  }
}

TEST_CASE("batch_norm: an empty block contributes zeros and follows the running values") {
  Problem problem{.shape = {{0, 3, 1, 4, 4}}, .relu = true, .residual = true};
  problem.scale = problem.shift = problem.mean = problem.variance = {1.0, 2.0, 3.0};
  check_against_oracle(problem);
  Block scale = flat(Element::fp32, 3).fill({1.0, 1.0, 1.0});
  for (const Candidate& candidate : candidates()) {
    Block x = Block::dense(element_of(candidate.precision), problem.shape);
    Block y = x;
    Block mean = flat(Element::fp32, 3).fill({0.0, 0.0, 0.0});
    Block variance = flat(Element::fp32, 3).fill({1.0, 1.0, 1.0});
    Block sums = flat(Element::fp64, 7).fill({2.0, 4.0, 6.0, 4.0, 16.0, 36.0, 2.0});
    KernelSpec spec = spec_of(problem, KernelPhase::forward);
    spec.relu = spec.residual = false;
    run(candidate, spec, constants, {}, {&x, &sums, &scale, &scale, &mean, &variance, &y});
    CHECK(difference(mean.values(), {0.1, 0.2, 0.3}) < tolerance_of(candidate));
  }
}

}  // namespace cnnplan::test
