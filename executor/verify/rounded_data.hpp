// Gives a step in double the samples and targets as another precision stores them.
#pragma once

#include <memory>
#include <utility>

#include "executor/backend/element.hpp"
#include "executor/data/data_source.hpp"
#include "executor/verify/dense_operand.hpp"

namespace cnnplan {

// Forwards another source, and rounds samples and targets to the elements of `precision`. Blocks
// that it fills hold doubles, except for labels.
class RoundedData final : public DataSource {
 public:
  RoundedData(std::unique_ptr<DataSource> inner, Precision precision, bool has_targets)
      : inner_(std::move(inner)), precision_(precision), has_targets_(has_targets) {}

  std::int64_t sample_count() const override { return inner_->sample_count(); }
  std::int64_t step_count() const override { return inner_->step_count(); }
  std::int64_t valid_count(std::int64_t step) const override { return inner_->valid_count(step); }
  bool is_constant() const override { return inner_->is_constant(); }
  void read_samples(std::int64_t step, const TensorView& samples) override {
    inner_->read_samples(step, samples);
    round(samples, activation_element(precision_));
  }
  void read_labels(std::int64_t step, const TensorView& labels) override {
    inner_->read_labels(step, labels);
    if (has_targets_) round(labels, parameter_element(precision_));
  }

 private:
  static void round(const TensorView& block, ElementType element) {
    for_each_element<double>(
        block, [element](double& value, std::size_t) { value = rounded(element, value); });
  }

  std::unique_ptr<DataSource> inner_;
  Precision precision_;
  bool has_targets_;
};

}  // namespace cnnplan
