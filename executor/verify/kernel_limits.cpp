// Has one rule for each kind of kernel, from its formula and the rounding of its operations.
#include "executor/verify/kernel_limits.hpp"

#include <algorithm>
#include <cmath>

#include "executor/verify/linear_terms.hpp"
#include "executor/verify/rounding.hpp"

namespace cnnplan {
namespace {

using Role = OperandRole;

constexpr double sum_margin = 4.0;
constexpr double operation_margin = 8.0;  // roundings of a formula with few operations

// Has access to the operands of one run by role.
class Formula {
 public:
  explicit Formula(const KernelRun& run)
      : run_(run), positions_(run.spec), rounding_(sum_rounding(run.spec.precision)) {}

  double rounding() const { return rounding_; }
  const KernelSpec& spec() const { return run_.spec; }
  std::size_t channels() const { return static_cast<std::size_t>(run_.spec.out[Dim::c]); }
  std::size_t channel_of(std::size_t place) const { return place % channels(); }
  bool has(Role role) const { return positions_.has(role); }
  double before(Role role, std::size_t place) const {
    return run_.values.before[positions_[role]][place];
  }
  double exact(Role role, std::size_t place) const {
    return run_.values.exact[positions_[role]][place];
  }
  const std::vector<double>& all_before(Role role) const {
    return run_.values.before[positions_[role]];
  }
  const std::vector<double>& all_exact(Role role) const {
    return run_.values.exact[positions_[role]];
  }

  double count() const { return before(Role::sums, 2 * channels()); }
  double mean(std::size_t c) const {
    return count() > 0.0 ? before(Role::sums, c) / count() : before(Role::running_mean, c);
  }
  double inverse_deviation(std::size_t c) const {
    double variance = 0.0;
    if (count() > 0.0) {
      variance = before(Role::sums, channels() + c) / count() - mean(c) * mean(c);
    } else {
      variance = before(Role::running_variance, c);
    }
    return 1.0 / std::sqrt(std::max(variance, 0.0) + run_.constants.epsilon);
  }
  // Bounds a normalised x and its terms.
  double normalised(std::size_t place) const {
    const std::size_t c = channel_of(place);
    return (std::abs(before(Role::x, place)) + std::abs(mean(c))) * inverse_deviation(c);
  }
  double loss_divisor() const { return run_.constants.loss_count / run_.state.loss_scale; }
  const StepState& state() const { return run_.state; }

 private:
  const KernelRun& run_;
  OperandPositions positions_;
  double rounding_;
};

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (double value : values) most = std::max(most, std::abs(value));
  return most;
}

double normalised_output(const Formula& formula, std::size_t place) {
  const std::size_t c = formula.channel_of(place);
  double terms = std::abs(formula.before(Role::scale, c)) * formula.normalised(place) +
                 std::abs(formula.before(Role::shift, c));
  if (formula.has(Role::residual)) terms += std::abs(formula.before(Role::residual, place));
  return operation_margin * formula.rounding() * terms;
}

double running_value(const Formula& formula, Role role, std::size_t c) {
  return operation_margin * formula.rounding() *
         (std::abs(formula.before(role, c)) + std::abs(formula.exact(role, c)));
}

double error_signal_of_batch_norm(const Formula& formula, std::size_t place) {
  const std::size_t c = formula.channel_of(place);
  const double means = std::abs(formula.before(Role::gradient_sums, c)) +
                       formula.normalised(place) *
                           std::abs(formula.before(Role::gradient_sums, formula.channels() + c));
  const double terms = std::abs(formula.before(Role::dz, place)) + means / formula.count();
  return operation_margin * formula.rounding() * std::abs(formula.before(Role::scale, c)) *
         formula.inverse_deviation(c) * terms;
}

// Bounds the gradient that arrives, and its terms.
double arrived_gradient(const Formula& formula, std::size_t place) {
  double terms = std::abs(formula.before(Role::dy, place));
  if (formula.has(Role::second_dy)) terms += std::abs(formula.before(Role::second_dy, place));
  return terms;
}

// Returns the limits of C sums of dz, and of C sums of dz times normalised x. A sum of two error
// signals is rounded to the element of activations before it is summed.
std::vector<double> gradient_sum_limits(const Formula& formula) {
  const std::size_t channels = formula.channels();
  const std::size_t places = formula.all_before(Role::dy).size();
  const Precision precision = formula.spec().precision;
  std::vector<double> terms(2 * channels);
  for (std::size_t place = 0; place < places; ++place) {
    const std::size_t c = formula.channel_of(place);
    const double gradient = arrived_gradient(formula, place);
    terms[c] += gradient;
    terms[channels + c] += gradient * formula.normalised(place);
  }
  const double count = std::max(2.0, static_cast<double>(places) / static_cast<double>(channels));
  const double of_each =
      formula.has(Role::second_dy) ? unit_rounding(activation_element(precision)) : 0.0;
  for (double& term : terms) term = sum_limit(term, count, precision) + of_each * term;
  return terms;
}

double masked_gradient(const Formula& formula, std::size_t place) {
  return formula.has(Role::second_dy) ? formula.rounding() * arrived_gradient(formula, place) : 0.0;
}

double batch_norm_limit(const Formula& formula, Role role, std::size_t place) {
  if (role == Role::y) return normalised_output(formula, place);
  if (role == Role::dx) return error_signal_of_batch_norm(formula, place);
  if (role == Role::dz) return masked_gradient(formula, place);
  return running_value(formula, role, place);
}

// The exponential of a difference is as inexact as the difference is large.
double softmax_limit(const Formula& formula, Role role, std::size_t place) {
  const double channels = static_cast<double>(formula.channels());
  const double range = 2.0 * largest(formula.all_before(Role::x));
  const double factor = operation_margin * (2.0 + std::sqrt(channels) + range);
  if (role == Role::probabilities) {
    return factor * formula.rounding() * std::abs(formula.exact(role, place));
  }
  const double positions = static_cast<double>(formula.all_before(Role::x).size()) / channels;
  return factor * formula.rounding() * positions / formula.loss_divisor() *
         formula.state().loss_scale;
}

// Only the error signal of the label is negative. It is a probability less 1.
double softmax_error_signal(const Formula& formula, std::size_t place) {
  const double value = formula.exact(Role::dx, place);
  const double one = value > 0.0 ? 0.0 : 2.0 / std::abs(formula.loss_divisor());
  return operation_margin * formula.rounding() * (std::abs(value) + one);
}

double squared_error_limit(const Formula& formula, Role role, std::size_t place) {
  if (role == Role::differences) {
    return formula.rounding() * (std::abs(formula.before(Role::x, place)) +
                                 std::abs(formula.before(Role::targets, place)));
  }
  const double value = std::abs(formula.exact(role, place));
  if (role == Role::dx) return operation_margin * formula.rounding() * value;
  const double count = std::max(2.0, static_cast<double>(formula.all_before(Role::x).size()));
  return operation_margin * formula.rounding() * std::sqrt(count) * value;
}

double response_norm_limit(const Formula& formula, Role role, std::size_t place) {
  const double factor = operation_margin * formula.rounding() *
                        (2.0 + static_cast<double>(formula.spec().local_size));
  if (role == Role::y) return factor * std::abs(formula.exact(role, place));
  return factor * (largest(formula.all_exact(role)) + largest(formula.all_before(Role::dy)));
}

double update_limit(const Formula& formula, std::size_t place) {
  const StepState& state = formula.state();
  const double weight = std::abs(formula.before(Role::parameters, place));
  const double momentum = std::abs(formula.before(Role::gradient, place)) / state.loss_scale +
                          state.weight_decay * weight +
                          state.momentum * std::abs(formula.before(Role::momentum, place));
  return operation_margin * formula.rounding() * (weight + momentum);
}

double formula_limit(const Formula& formula, Role role, std::size_t place) {
  switch (formula.spec().kind) {
    case KernelKind::batch_norm:
      return batch_norm_limit(formula, role, place);
    case KernelKind::softmax_cross_entropy:
      return role == Role::dx ? softmax_error_signal(formula, place)
                              : softmax_limit(formula, role, place);
    case KernelKind::mean_squared_error:
      return squared_error_limit(formula, role, place);
    case KernelKind::local_response_norm:
      return response_norm_limit(formula, role, place);
    case KernelKind::sgd:
      return update_limit(formula, place);
    default:
      return operation_margin * formula.rounding() * std::abs(formula.exact(role, place));
  }
}

}  // namespace

double sum_limit(double absolute, double terms, Precision precision) {
  return sum_margin * (sum_rounding(precision) * std::sqrt(terms) + factor_rounding(precision)) *
         absolute;
}

double stored_limit(double exact, ElementType element) {
  return 2.0 * unit_rounding(element) * std::abs(exact) + lost_number(element);
}

std::vector<double> kernel_limits(const KernelRun& run, std::size_t operand) {
  const std::vector<KernelOperand> operands = kernel_operands(run.spec);
  const Role role = operands[operand].role;
  const std::vector<double>& exact = run.values.exact[operand];
  std::vector<double> limits(exact.size());
  const Formula formula(run);
  if (!run.values.absolute.empty()) {
    const double terms = term_count(run.spec);
    for (std::size_t i = 0; i < limits.size(); ++i) {
      limits[i] = sum_limit(run.values.absolute[operand][i], terms, run.spec.precision);
    }
  } else if (role == Role::gradient_sums || role == Role::dscale || role == Role::dshift) {
    const std::vector<double> sums = gradient_sum_limits(formula);
    const std::size_t first = role == Role::dscale ? formula.channels() : 0;
    std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(first), limits.size(), limits.begin());
  } else {
    for (std::size_t i = 0; i < limits.size(); ++i) limits[i] = formula_limit(formula, role, i);
  }
  const ElementType element = element_type(operands[operand].element);
  for (std::size_t i = 0; i < limits.size(); ++i) limits[i] += stored_limit(exact[i], element);
  return limits;
}

}  // namespace cnnplan
