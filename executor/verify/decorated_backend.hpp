// Forwards all calls to another backend. Checks override the making of kernels.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "executor/backend/backend.hpp"

namespace cnnplan {

// Owns another backend. A derived class overrides make_kernel(), which is not forwarded.
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
  std::int64_t filter_block(const KernelSpec& convolution) const override {
    return inner_->filter_block(convolution);
  }
  void import_filters(const KernelSpec& convolution,
                      Range filters,
                      std::span<const double> plain,
                      void* weight) const override {
    inner_->import_filters(convolution, filters, plain, weight);
  }
  void export_filters(const KernelSpec& convolution,
                      Range filters,
                      const void* weight,
                      std::span<double> plain) const override {
    inner_->export_filters(convolution, filters, weight, plain);
  }

 protected:
  Backend& inner() const { return *inner_; }

 private:
  std::unique_ptr<Backend> inner_;
};

}  // namespace cnnplan
