// Adds the errors of a precision to the results of kernels in double.
#include "executor/verify/noisy_backend.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "executor/backend/element.hpp"
#include "executor/backend/random.hpp"
#include "executor/backend/reference/tensor.hpp"
#include "executor/verify/dense_operand.hpp"
#include "executor/verify/linear_terms.hpp"
#include "executor/verify/rounding.hpp"

namespace cnnplan {
namespace {

using Role = OperandRole;

constexpr double sum_factor = 0.25;  // times rounding, root of the number of terms, and their sum
constexpr double near_factor = 8.0;  // values within this many levels of a switch may cross it
constexpr std::size_t sample_size = 1024;

KernelSpec without_relu(KernelSpec spec) {
  spec.relu = false;
  return spec;
}

KernelSpec stored_as(KernelSpec spec, Precision precision) {
  spec.precision = precision;
  return spec;
}

bool has_fused_relu(const KernelSpec& spec) {
  return spec.relu && spec.phase == KernelPhase::forward;
}

bool is_max_pooling(const KernelSpec& spec) {
  return spec.kind == KernelKind::pooling && spec.pooling == PoolingMode::max &&
         spec.phase == KernelPhase::forward;
}

bool is_relu(const KernelSpec& spec) {
  return (spec.kind == KernelKind::relu || spec.kind == KernelKind::leaky_relu) &&
         spec.phase == KernelPhase::forward;
}

// True for kernels that only choose or move values, and so make no error of their own.
bool is_exact(const KernelSpec& spec) {
  return is_relu(spec) || is_max_pooling(spec) || spec.kind == KernelKind::channel_shuffle ||
         spec.kind == KernelKind::sgd;
}

std::vector<double> sample_of(const std::vector<double>& values) {
  const std::size_t step = values.size() / sample_size + 1;
  std::vector<double> sample;
  for (std::size_t i = 0; i < values.size(); i += step) sample.push_back(values[i]);
  return sample;
}

double root_mean_square(const std::vector<double>& values) {
  double squares = 0.0;
  for (double value : values) squares += value * value;
  return values.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(values.size()));
}

class NoisyKernel final : public Kernel {
 public:
  NoisyKernel(const KernelSpec& spec,
              const KernelConstants& constants,
              Backend& reference,
              const RoundingNoise& noise,
              std::size_t number)
      : spec_(spec),
        constants_(constants),
        noise_(noise),
        number_(number),
        roles_(kernel_operands(stored_as(spec, noise.precision))),
        positions_(spec),
        kernel_(
            reference.make_kernel(has_fused_relu(spec) ? without_relu(spec) : spec, constants, "")),
        key_(random_key({.seed = noise.seed, .use = RandomUse::rounding, .stream = number})) {
    if (is_linear(spec) && adds_noise()) terms_.emplace(spec, constants, reference);
  }

  void run(Operands operands, const StepState& state) override {
    draws_ = 0;
    const OperandsByRole given(operands, positions_);
    if (is_relu(spec_) || is_max_pooling(spec_)) note_level(dense_values<double>(given[Role::x]));
    std::vector<std::vector<double>> sums;
    if (terms_) sums = terms_->run(operands, state);
    std::vector<std::vector<double>> copies(operands.size());
    kernel_->run(changed(operands, copies), state);
    if (is_max_pooling(spec_) && adds_noise()) take_maxima(given);
    if (has_fused_relu(spec_)) note_level(dense_values<double>(given[Role::y]));
    const bool is_noisy = adds_noise() && !is_exact(spec_);
    if (is_noisy) add_noise(operands, sums);
    if (has_fused_relu(spec_)) apply_relu(given[Role::y]);
    if (is_noisy) round(operands);
  }
  std::string implementation() const override { return kernel_->implementation(); }

 private:
  bool adds_noise() const { return noise_.run != RoundingRun::exact; }
  bool moves() const { return noise_.run == RoundingRun::up || noise_.run == RoundingRun::down; }
  bool is_up() const { return noise_.run == RoundingRun::up; }
  // Returns a random number in [-1, 1).
  double draw() { return 2.0 * random_uniform(key_, draws_++) - 1.0; }
  double rounding() const { return unit_rounding(activation_element(noise_.precision)); }

  // Takes the values that the kernel compares.
  void note_level(const std::vector<double>& values) {
    const std::vector<double> sample = sample_of(values);
    if (noise_.run == RoundingRun::exact) noise_.levels->set_exact(number_, sample);
    if (noise_.run == RoundingRun::random) noise_.levels->set_rounded(number_, sample);
    const double least = rounding() * root_mean_square(sample);
    near_ = near_factor * std::max(noise_.levels->level(number_), least);
  }

  // Returns the operands with changed copies of those that the kernel does not use exactly.
  std::vector<TensorView> changed(Operands operands, std::vector<std::vector<double>>& copies) {
    std::vector<TensorView> views(operands.begin(), operands.end());
    if (!adds_noise()) return views;
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (roles_[i].written || roles_[i].element == BufferElement::int32) continue;
      copies[i] = dense_values<double>(operands[i]);
      if (!change(roles_[i].role, copies[i])) continue;
      views[i] = dense_view(copies[i], operands[i].box);
    }
    if (positions_.has(Role::second_dy)) add_error_signals(copies);
    return views;
  }

  // A batch norm rounds the sum of its error signals to the element of activations before it masks
  // and sums it.
  void add_error_signals(std::vector<std::vector<double>>& copies) const {
    const ElementType element = activation_element(noise_.precision);
    std::vector<double>& dy = copies[positions_[Role::dy]];
    std::vector<double>& second_dy = copies[positions_[Role::second_dy]];
    for (std::size_t i = 0; i < dy.size(); ++i) {
      dy[i] = rounded(element, dy[i] + second_dy[i]);
      second_dy[i] = 0.0;
    }
  }

  // Returns false where the kernel uses the operand exactly.
  bool change(Role role, std::vector<double>& values) {
    if (is_relu(spec_)) return moves() && move_near(values);
    if (is_max_pooling(spec_)) return moves() && move_ties(values);
    if (spec_.kind == KernelKind::batch_norm) return change_for_batch_norm(role, values);
    const bool is_smooth = (spec_.kind == KernelKind::softmax_cross_entropy && role == Role::x) ||
                           (spec_.kind == KernelKind::local_response_norm && role == Role::dy) ||
                           (spec_.kind == KernelKind::pooling && role == Role::dy);
    return is_smooth && scale(values, sum_rounding(noise_.precision));
  }

  // The sums are exact, but the mean is used as a rounded number.
  bool change_for_batch_norm(Role role, std::vector<double>& values) {
    const double amplitude = sum_rounding(noise_.precision);
    if (role == Role::sums) return round_means(values);
    const bool is_gradient = role == Role::dy || role == Role::second_dy || role == Role::dz;
    if (is_gradient) return scale(values, amplitude);
    return role == Role::gradient_sums && scale(values, amplitude);
  }

  bool round_means(std::vector<double>& sums) {
    const ElementType element = parameter_element(noise_.precision);
    const std::size_t channels = sums.size() / 2;
    const double count = sums.back();
    if (count == 0.0) return false;
    for (std::size_t c = 0; c < channels; ++c) {
      const double mean = sums[c] / count;
      const double squares = sums[channels + c] - sums[c] * mean;
      const double used = rounded(element, mean);
      sums[c] = used * count;
      sums[channels + c] = squares + sums[c] * used;
    }
    return true;
  }

  bool scale(std::vector<double>& values, double amplitude) {
    for (double& value : values) value *= 1.0 + amplitude * draw();
    return true;
  }

  bool move_near(std::vector<double>& values) {
    for (double& value : values) value = moved(value);
    return true;
  }

  // Moves a value near 0, or near the maximum of a ReLU, to one side.
  double moved(double value) const {
    if (value == 0.0) return value;
    const double from_max = value - constants_.relu_max;
    if (std::abs(value) < near_) return is_up() ? std::abs(value) : -std::abs(value);
    if (std::abs(from_max) < near_) return constants_.relu_max + (is_up() ? near_ : -near_);
    return value;
  }

  // One of the two runs adds what the other one subtracts, so that close maxima change places. A
  // value that is exactly 0 stays, because a ReLU made it.
  bool move_ties(std::vector<double>& values) {
    const double side = is_up() ? 0.5 * near_ : -0.5 * near_;
    for (double& value : values) {
      const double move = side * draw();
      if (value != 0.0) value += move;
    }
    return true;
  }

  // Sets the outputs of a max pooling to the inputs that it chose.
  void take_maxima(const OperandsByRole& operands) const {
    const auto x = reference::tensor<const double>(operands[Role::x], spec_.in);
    const auto y = reference::tensor<double>(operands[Role::y], spec_.out);
    const auto index = reference::tensor<const std::int32_t>(operands[Role::index], spec_.out);
    reference::for_each_index(spec_.out, [&](const reference::Index& o) {
      reference::for_each_tap(
          spec_.window, spec_.in, o, [&](std::int64_t tap, const reference::Index& i) {
            if (tap == index[o]) y[o] = x[i];
          });
    });
  }

  void add_noise(Operands operands, const std::vector<std::vector<double>>& sums) {
    const double sum_error = sum_rounding(noise_.precision);
    const double terms = term_count(spec_);
    const double of_terms = sum_factor * sum_error * std::sqrt(terms) +
                            (rounding() + factor_rounding(noise_.precision)) / std::sqrt(terms);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!roles_[i].written || !has_noise(roles_[i])) continue;
      const std::vector<double>* own = terms_ ? &sums[i] : nullptr;
      for_each_element<double>(operands[i], [&](double& value, std::size_t place) {
        const double amplitude = own ? of_terms * (*own)[place] : 2.0 * sum_error * std::abs(value);
        value += amplitude * draw();
      });
    }
  }

  // Sums over positions are kept in double, in all precisions.
  bool has_noise(const KernelOperand& operand) const {
    return operand.element != BufferElement::int32 && operand.role != Role::sums;
  }

  void apply_relu(const TensorView& y) const {
    for_each_element<double>(y, [&](double& value, std::size_t) {
      value = std::max(moves() ? moved(value) : value, 0.0);
    });
  }

  void round(Operands operands) const {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const BufferElement element = roles_[i].element;
      if (!roles_[i].written || element == BufferElement::int32) continue;
      for_each_element<double>(operands[i], [&](double& value, std::size_t) {
        value = rounded(element_type(element), value);
      });
    }
  }

  KernelSpec spec_;
  KernelConstants constants_;
  RoundingNoise noise_;
  std::size_t number_;
  std::vector<KernelOperand> roles_;
  OperandPositions positions_;
  std::unique_ptr<Kernel> kernel_;
  std::optional<AbsoluteTerms> terms_;
  std::uint64_t key_;
  std::uint64_t draws_ = 0;
  double near_ = 0.0;
};

}  // namespace

std::unique_ptr<Kernel> NoisyBackend::make_kernel(const KernelSpec& spec,
                                                  const KernelConstants& constants,
                                                  const std::string&) {
  return std::make_unique<NoisyKernel>(spec, constants, inner(), noise_, kernels_++);
}

}  // namespace cnnplan
