// Runs a kernel, computes its results again in double, and notes the worst difference.
#include "executor/verify/checked_backend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "executor/backend/random.hpp"
#include "executor/backend/reference/backend.hpp"
#include "executor/backend/reference/tensor.hpp"
#include "executor/verify/checked_places.hpp"
#include "executor/verify/convolution_sums.hpp"
#include "executor/verify/dense_operand.hpp"
#include "executor/verify/kernel_limits.hpp"
#include "executor/verify/linear_terms.hpp"
#include "executor/verify/operand_values.hpp"
#include "executor/verify/rounding.hpp"

namespace cnnplan {
namespace {

using Role = OperandRole;
using Values = std::vector<std::vector<double>>;

constexpr double winograd_margin = 64.0;  // its transforms amplify rounding

KernelSpec in_double(KernelSpec spec) {
  spec.precision = Precision::fp64;
  spec.algorithm = KernelAlgorithm::direct;
  return spec;
}

bool is_max_pooling(const KernelSpec& spec, KernelPhase phase) {
  return spec.kind == KernelKind::pooling && spec.pooling == PoolingMode::max &&
         spec.phase == phase;
}

double largest_number(ElementType element) {
  return element == ElementType::fp16 ? 65504.0 : 0x1p127;
}

// Returns an excess of which larger ones can be found: where it is NaN, nothing exceeds it.
double comparable(double excess) {
  return std::isnan(excess) ? std::numeric_limits<double>::infinity() : excess;
}

// Compares the results of one operand.
class Comparison {
 public:
  explicit Comparison(ElementType element) : element_(element) {}

  void add(double computed, double exact, double limit) {
    ++checked_;
    if (std::abs(exact) >= largest_number(element_) && element_ != ElementType::fp64) return;
    const double difference = std::abs(computed - exact);
    const double error =
        std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    const double excess = error == 0.0 ? 0.0 : comparable(error / limit);
    if (excess <= worst_.excess) return;
    worst_ = {.operation = {}, .error = error, .limit = limit, .excess = excess};
  }
  const KernelFinding& worst() const { return worst_; }
  std::int64_t checked() const { return checked_; }

 private:
  ElementType element_;
  KernelFinding worst_;
  std::int64_t checked_ = 0;
};

class CheckedKernel final : public Kernel {
 public:
  struct Parts {
    Backend& backend;
    Backend& reference;
    KernelFindings& findings;
    MaximumPlaces& maxima;
    double products = 0.0;
    std::size_t number = 0;
  };

  CheckedKernel(std::unique_ptr<Kernel> inner,
                const KernelSpec& spec,
                const KernelConstants& constants,
                const Parts& parts)
      : inner_(std::move(inner)),
        spec_(spec),
        constants_(constants),
        parts_(parts),
        roles_(kernel_operands(spec)),
        positions_(spec) {
    if (spec.kind == KernelKind::convolution) return;
    reference_ = parts.reference.make_kernel(in_double(spec), constants, "");
    if (is_linear(spec)) terms_.emplace(in_double(spec), constants, parts.reference);
  }

  void run(Operands operands, const StepState& state) override {
    KernelValues values;
    values.before = read(operands);
    inner_->run(operands, state);
    parts_.backend.device().synchronize();
    if (spec_.kind == KernelKind::convolution) return check_convolution(operands, values.before);
    compute(operands, state, values);
    check_others(operands, state, values);
  }
  std::int64_t workspace_bytes() const override { return inner_->workspace_bytes(); }
  std::string implementation() const override { return inner_->implementation(); }

 private:
  std::vector<double> values_of(Operands operands, std::size_t operand) const {
    return operand_values(parts_.backend, spec_, roles_[operand], operands[operand]);
  }

  Values read(Operands operands) const {
    Values values;
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      // Results of convolutions and indices are not read before they are written.
      const bool is_needed = !roles_[i].written || (spec_.kind != KernelKind::convolution &&
                                                    roles_[i].element != BufferElement::int32);
      values.push_back(is_needed ? values_of(operands, i) : std::vector<double>());
    }
    return values;
  }

  // Runs the reference on copies of the operands.
  void compute(Operands operands, const StepState& state, KernelValues& values) {
    values.exact = values.before;
    std::vector<std::vector<std::int32_t>> integers(roles_.size());
    std::vector<TensorView> views;
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      const Box& box = operands[i].box;
      if (roles_[i].element == BufferElement::int32) {
        integers[i] = integers_of(operands[i], values.before[i]);
        views.push_back(view_of(integers[i].data(), box, box, sizeof(std::int32_t)));
      } else {
        views.push_back(dense_view(values.exact[i], box));
      }
    }
    if (terms_) values.absolute = absolute_terms(operands, state, values);
    if (is_max_pooling(spec_, KernelPhase::backward_data)) {
      values.absolute = absolute_error_signals(views, state, values);
    }
    // Kernels in double have neither copies nor masks.
    if (positions_.has(Role::copies) || positions_.has(Role::mask)) views.pop_back();
    reference_->run(views, state);
    if (positions_.has(Role::copies)) {
      values.exact[positions_[Role::copies]] = values.exact[positions_[Role::parameters]];
    }
    if (is_max_pooling(spec_, KernelPhase::forward)) {
      const std::size_t index = positions_[Role::index];
      note_maxima(operands[index].data, values, integers[index]);
    }
  }

  Values absolute_terms(Operands operands, const StepState& state, KernelValues& values) const {
    std::vector<TensorView> views;
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      views.push_back(dense_view(values.before[i], operands[i].box));
    }
    return terms_->run(views, state);
  }

  // Returns the sums of absolute error signals that maxima send back.
  Values absolute_error_signals(std::vector<TensorView> views,
                                const StepState& state,
                                const KernelValues& values) const {
    Values sums(roles_.size());
    for (const Role role : {Role::dy, Role::dx}) {
      const std::size_t i = positions_[role];
      sums[i] = values.before[i];
      for (double& value : sums[i]) value = std::abs(value);
      views[i] = dense_view(sums[i], views[i].box);
    }
    reference_->run(views, state);
    return sums;
  }

  std::vector<std::int32_t> integers_of(const TensorView& view,
                                        const std::vector<double>& values) const {
    std::vector<std::int32_t> integers(volume(view.box));
    const bool is_index = is_max_pooling(spec_, KernelPhase::backward_data);
    const std::vector<double> places = is_index ? parts_.maxima.get(view.data) : values;
    for (std::size_t i = 0; i < std::min(places.size(), integers.size()); ++i) {
      integers[i] = static_cast<std::int32_t>(places[i]);
    }
    return integers;
  }

  void note_maxima(const void* memory,
                   const KernelValues& values,
                   const std::vector<std::int32_t>& indices) const {
    std::vector<double> places(indices.begin(), indices.end());
    std::size_t place = 0;
    const std::vector<double>& x = values.before[positions_[Role::x]];
    const std::vector<double>& y = values.exact[positions_[Role::y]];
    reference::for_each_index(spec_.out, [&](const reference::Index& o) {
      int equal = 0;
      reference::for_each_tap(
          spec_.window, spec_.in, o, [&](std::int64_t, const reference::Index& i) {
            if (x[dense_place(spec_.in, i)] == y[place]) ++equal;
          });
      if (equal > 1) places[place] = MaximumPlaces::tie;
      ++place;
    });
    parts_.maxima.set(memory, std::move(places));
  }

  void check_others(Operands operands, const StepState& state, const KernelValues& values) {
    const KernelRun run{.spec = spec_, .constants = constants_, .state = state, .values = values};
    const std::vector<char> unknown = unknown_results(operands);
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (!roles_[i].written || roles_[i].element == BufferElement::int32) continue;
      // Without channels, nobody reads the number of positions.
      if (spec_.out[Dim::c] == 0 && roles_[i].role == Role::sums) continue;
      const std::vector<double> computed = values_of(operands, i);
      const std::vector<double> limits = kernel_limits(run, i);
      Comparison comparison(element_type(roles_[i].element));
      for (std::size_t place = 0; place < computed.size(); ++place) {
        if (!unknown.empty() && unknown[place] != 0) continue;
        comparison.add(computed[place], values.exact[i][place], limits[place]);
      }
      parts_.findings.add(
          parts_.number, comparison.worst(), comparison.checked(), std::ssize(computed));
    }
  }

  // Marks the error signals to which a maximum may send its own, where several inputs equal it.
  std::vector<char> unknown_results(Operands operands) const {
    if (!is_max_pooling(spec_, KernelPhase::backward_data)) return {};
    const std::vector<double> places = parts_.maxima.get(operands[positions_[Role::index]].data);
    std::vector<char> unknown(volume(spec_.in), places.empty() ? 1 : 0);
    if (places.empty()) return unknown;
    std::size_t place = 0;
    reference::for_each_index(spec_.out, [&](const reference::Index& o) {
      if (places[place++] != MaximumPlaces::tie) return;
      reference::for_each_tap(
          spec_.window, spec_.in, o, [&](std::int64_t, const reference::Index& i) {
            unknown[dense_place(spec_.in, i)] = 1;
          });
    });
    return unknown;
  }

  void check_convolution(Operands operands, const Values& before) {
    const auto data = [&](Role role) {
      return positions_.has(role) ? std::span<const double>(before[positions_[role]])
                                  : std::span<const double>();
    };
    const ConvolutionSums sums(spec_,
                               {.x = data(Role::x),
                                .dy = data(Role::dy),
                                .weight = data(Role::weight),
                                .bias = data(Role::bias)});
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (roles_[i].written) check_sums(operands, i, sums);
    }
  }

  void check_sums(Operands operands, std::size_t operand, const ConvolutionSums& sums) {
    const std::vector<double> computed = values_of(operands, operand);
    const ElementType element = element_type(roles_[operand].element);
    const double terms = term_count(spec_);
    const double margin = spec_.algorithm == KernelAlgorithm::direct ? 1.0 : winograd_margin;
    Comparison comparison(element);
    const Role role = roles_[operand].role;
    const Shape shape = role == Role::y ? spec_.out : role == Role::dx ? spec_.in : flat(computed);
    const auto most = static_cast<std::int64_t>(parts_.products / terms);
    for (std::int64_t place : checked_places(shape, most, parts_.number)) {
      const TermSum sum = result(sums, role, place, shape);
      const double exact = spec_.relu && role == Role::y ? std::max(sum.value, 0.0) : sum.value;
      const double limit = margin * sum_limit(sum.absolute, terms, spec_.precision) +
                           stored_limit(sum.value, element);
      comparison.add(computed[place], exact, limit);
    }
    parts_.findings.add(
        parts_.number, comparison.worst(), comparison.checked(), std::ssize(computed));
  }

  static Shape flat(const std::vector<double>& values) {
    return Shape{{1, std::ssize(values), 1, 1, 1}};
  }

  static TermSum result(const ConvolutionSums& sums,
                        Role role,
                        std::int64_t place,
                        const Shape& shape) {
    if (role == Role::dweight) return sums.dweight(place);
    if (role == Role::dbias) return sums.dbias(place);
    const ConvolutionSums::Index at = index_at(shape, place);
    return role == Role::y ? sums.y(at) : sums.dx(at);
  }

  std::unique_ptr<Kernel> inner_;
  KernelSpec spec_;
  KernelConstants constants_;
  Parts parts_;
  std::vector<KernelOperand> roles_;
  OperandPositions positions_;
  std::unique_ptr<Kernel> reference_;
  std::optional<AbsoluteTerms> terms_;
};

}  // namespace

void KernelFindings::add(std::size_t kernel,
                         KernelFinding worst,
                         std::int64_t checked,
                         std::int64_t results) {
  const std::lock_guard lock(mutex_);
  checked_ += checked;
  results_ += results;
  worst.excess = comparable(worst.excess);
  if (worst.excess <= worst_.excess) return;
  worst_ = std::move(worst);
  if (kernel < operations_.size()) worst_.operation = operations_[kernel];
}

void MaximumPlaces::set(const void* memory, std::vector<double> places) {
  const std::lock_guard lock(mutex_);
  places_[memory] = std::move(places);
}

std::vector<double> MaximumPlaces::get(const void* memory) const {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(memory);
  return found == places_.end() ? std::vector<double>() : found->second;
}

CheckedBackend::CheckedBackend(std::unique_ptr<Backend> inner,
                               KernelFindings& findings,
                               double products)
    : DecoratedBackend(std::move(inner)),
      findings_(findings),
      products_(products),
      reference_(reference::make_backend()) {}

std::unique_ptr<Kernel> CheckedBackend::make_kernel(const KernelSpec& spec,
                                                    const KernelConstants& constants,
                                                    const std::string& implementation) {
  return std::make_unique<CheckedKernel>(inner().make_kernel(spec, constants, implementation),
                                         spec,
                                         constants,
                                         CheckedKernel::Parts{.backend = inner(),
                                                              .reference = *reference_,
                                                              .findings = findings_,
                                                              .maxima = maxima_,
                                                              .products = products_,
                                                              .number = kernels_++});
}

}  // namespace cnnplan
