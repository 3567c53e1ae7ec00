// Forwards all calls to another backend. Checks override the making of kernels.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "executor/backend/backend.hpp"

namespace cnnplan {

class DecoratedBackend : public Backend {
 public:
  explicit DecoratedBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}

  DeviceFingerprint fingerprint() const override { return inner_->fingerprint(); }
  bool supports(Precision precision) const override { return inner_->supports(precision); }
  std::string missing_for(Precision precision) const override {
    return inner_->missing_for(precision);
  }
  Device& device() override { return inner_->device(); }
  void begin_step(const StepState& state) override { inner_->begin_step(state); }
  void reserve_workspace(std::int64_t bytes) override { inner_->reserve_workspace(bytes); }
  void prepare_thread() const override { inner_->prepare_thread(); }
  std::int64_t weight_elements(const KernelSpec& convolution) const override {
    return inner_->weight_elements(convolution);
  }
  void import_weight(const KernelSpec& convolution,
                     std::span<const double> plain,
                     void* weight) const override {
    inner_->import_weight(convolution, plain, weight);
  }
  void export_weight(const KernelSpec& convolution,
                     const void* weight,
                     std::span<double> plain) const override {
    inner_->export_weight(convolution, weight, plain);
  }

 protected:
  Backend& inner() const { return *inner_; }

 private:
  std::unique_ptr<Backend> inner_;
};

}  // namespace cnnplan
