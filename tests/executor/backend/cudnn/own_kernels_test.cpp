// Tests on the emulated GPU what our own kernels launch, and which operands they leave alone.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "tests/emulation/device.hpp"
#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

KernelSpec spec_of(KernelPhase phase, const Shape& shape, bool relu) {
  KernelSpec spec{.kind = KernelKind::batch_norm, .phase = phase};
  spec.in = spec.out = shape;
  spec.relu = relu && phase != KernelPhase::forward_statistics;
  return spec;
}

// Runs a batch norm with a ReLU and without a residual input.
class BatchNorm {
 public:
  BatchNorm(const Candidate& candidate, const Shape& shape) : candidate_(candidate), shape_(shape) {
    Random random(3);
    x.fill(random.values(volume(shape)));
    dy.fill(random.values(volume(shape)));
    for (Block* block : {&scale, &shift, &mean, &variance}) {
      block->fill(random.values(shape[Dim::c]));
    }
  }

  // Returns the number of launches of a phase.
  std::int64_t run_phase(KernelPhase phase) {
    const std::int64_t before = emulation::counters().kernels;
    run(candidate_, spec_of(phase, shape_, true), {.epsilon = 1e-5}, {}, operands(phase));
    return emulation::counters().kernels - before;
  }

 private:
  Block activation() const { return Block::dense(element_of(candidate_.precision), shape_); }
  Block numbers() const { return flat(parameter_of(candidate_.precision), shape_[Dim::c]); }
  std::vector<Block*> operands(KernelPhase phase) {
    switch (phase) {
      case KernelPhase::forward_statistics:
        return {&x, &sums};
      case KernelPhase::forward:
        return {&x, &sums, &scale, &shift, &mean, &variance, &y};
      case KernelPhase::backward_statistics:
        return {&x, &dy, &y, &sums, &scale, &shift, &gradient_sums, &dscale, &dshift};
      default:
        return {&x, &dy, &y, &sums, &gradient_sums, &scale, &shift, &dx};
    }
  }

  Candidate candidate_;
  Shape shape_;

 public:
  Block x = activation();
  Block dy = activation();
  Block y = activation();
  Block dx = activation();
  Block sums = flat(Element::fp64, 2 * shape_[Dim::c] + 1);
  Block gradient_sums = flat(Element::fp64, 2 * shape_[Dim::c]);
  Block scale = numbers();
  Block shift = numbers();
  Block mean = numbers();
  Block variance = numbers();
  Block dscale = numbers();
  Block dshift = numbers();
};

constexpr KernelPhase phases[] = {KernelPhase::forward_statistics,
                                  KernelPhase::forward,
                                  KernelPhase::backward_statistics,
                                  KernelPhase::backward_data};

}  // namespace

TEST_CASE("batch norm: every phase is one launch, whatever the shape") {
  for (const Shape& shape : {Shape{{2, 64, 1, 7, 7}},
                             Shape{{1, 3, 1, 2, 2}},
                             Shape{{3, 200, 1, 5, 9}},
                             Shape{{1, 16, 1, 200, 200}}}) {
    for (const Candidate& candidate : candidates()) {
      BatchNorm norm(candidate, shape);
      for (const KernelPhase phase : phases) CHECK(norm.run_phase(phase) == 1);
    }
  }
}

TEST_CASE("batch norm: with a ReLU alone, the backward pass does not read the output") {
  for (const Candidate& candidate : candidates()) {
    BatchNorm usual(candidate, {{2, 24, 1, 6, 5}});
    for (const KernelPhase phase : phases) usual.run_phase(phase);
    BatchNorm without_output(candidate, {{2, 24, 1, 6, 5}});
    for (const KernelPhase phase : phases) {
      if (phase == KernelPhase::backward_statistics) {
        const Values nothing(volume(Shape{{2, 24, 1, 6, 5}}),
                             std::numeric_limits<double>::quiet_NaN());
        without_output.y.fill(nothing);
      }
      without_output.run_phase(phase);
    }
    CHECK(without_output.dshift.values() == usual.dshift.values());
    CHECK(without_output.dscale.values() == usual.dscale.values());
    CHECK(without_output.dx.values() == usual.dx.values());
  }
}

// The last tap of each window has the maximum.
TEST_CASE("pooling: places of maxima take one byte each if a window has few taps") {
  constexpr double before = -1234567.0;
  KernelSpec spec{.kind = KernelKind::pooling, .pooling = PoolingMode::max};
  spec.in = {{1, 16, 1, 6, 6}};
  spec.out = {{1, 16, 1, 2, 2}};
  spec.window.dims[1] = spec.window.dims[2] = {.kernel = 3, .stride = 3};
  Values rising(volume(spec.in));
  for (std::size_t i = 0; i < rising.size(); ++i) {
    const std::size_t position = i / 16;
    rising[i] = static_cast<double>(position);
  }
  for (const Candidate& candidate : candidates()) {
    const Element element = element_of(candidate.precision);
    Block x = Block::dense(element, spec.in).fill(rising);
    Block y = Block::dense(element, spec.out);
    Block index = Block::dense(Element::int32, spec.out).fill(Values(volume(spec.out), before));
    run(candidate, spec, {}, {}, {&x, &y, &index});
    const Values words = index.values();
    const std::size_t taken = words.size() / 4;
    CHECK(Values(words.begin() + static_cast<std::ptrdiff_t>(taken), words.end()) ==
          Values(words.size() - taken, before));
    CHECK(Values(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(taken)) ==
          Values(taken, 0x08080808));
  }
}

}  // namespace cnnplan::test
