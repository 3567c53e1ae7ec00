// Compares every element of the results, the margins of the operands and the end of the workspace.
#include "tests/executor/backend/onednn/windows/window_trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "executor/backend/element.hpp"
#include "executor/backend/onednn/workspace.hpp"
#include "planner/base/error.hpp"
#include "planner/kernel/kernel_operands.hpp"
#include "tests/executor/backend/harness.hpp"
#include "tests/executor/backend/onednn/windows/guarded_memory.hpp"

namespace cnnplan::test {
namespace {

constexpr std::byte poison{0xff};

bool is_weight(OperandRole role) {
  return role == OperandRole::weight || role == OperandRole::dweight;
}

// Returns integers other than zero, so that every product counts.
Values small_integers(std::int64_t count, Random& random) {
  Values values(count);
  for (double& value : values) {
    value = static_cast<double>(random.integer(1, 3) * (random.coin() ? 1 : -1));
  }
  return values;
}

std::int64_t plain_elements(const KernelSpec& spec, const KernelOperand& operand) {
  return is_weight(operand.role) ? weight_volume(spec) : operand.elements;
}

// Returns the values of the operands in plain order; operands that the kernel writes are NaN.
std::vector<Values> draw_operands(const KernelSpec& spec) {
  Random random(1);
  std::vector<Values> all;
  for (const KernelOperand& operand : kernel_operands(spec)) {
    const std::int64_t count = plain_elements(spec, operand);
    all.push_back(operand.written ? Values(count, NAN) : small_integers(count, random));
  }
  return all;
}

// Replaces the operands that a kernel writes by what plain loops in double compute.
std::vector<Values> expected_operands(KernelSpec spec, std::vector<Values> values) {
  spec.precision = Precision::fp64;
  const auto kernel = prepared("reference").make_kernel(spec, {}, {});
  const std::vector<KernelOperand> operands = kernel_operands(spec);
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_block = operands[i].role != OperandRole::bias && !is_weight(operands[i].role) &&
                          operands[i].role != OperandRole::dbias;
    const bool is_input = operands[i].role == OperandRole::x || operands[i].role == OperandRole::dx;
    const Shape shape =
        is_block ? (is_input ? spec.in : spec.out) : Shape{{1, 1, 1, 1, std::ssize(values[i])}};
    views.push_back(view_of(values[i].data(), whole(shape), whole(shape), sizeof(double)));
  }
  kernel->run(views, {});
  return values;
}

// Holds an operand in guarded memory.
class TrialOperand {
 public:
  TrialOperand(const KernelSpec& spec, const KernelOperand& operand, const Values& plain)
      : spec_(spec), operand_(operand) {
    Backend& backend = prepared("onednn");
    elements_ = is_weight(operand.role) ? backend.weight_elements(spec) : operand.elements;
    const std::int64_t bytes = bytes_of(operand.element);
    memory_.emplace(elements_ * bytes, bytes);  // kernels must not count on aligned operands
    if (operand.written) return;
    Values stored_values = plain;
    if (operand.role == OperandRole::weight) {
      std::vector<float> weight(elements_);
      import_weight(backend, spec, plain, weight.data());
      stored_values.assign(weight.begin(), weight.end());
    }
    with_type_of(element_type(operand.element), [&]<typename T>(T) {
      std::transform(stored_values.begin(), stored_values.end(), data<T>(), stored<T>);
    });
  }

  TensorView view() const { return {.data = memory_->data()}; }
  bool margins_are_untouched() const { return memory_->margins_are_untouched(); }
  void poison_again() { std::fill(memory_->bytes().begin(), memory_->bytes().end(), poison); }

  // Returns what is wrong about the result; empty where nothing is.
  std::string difference_from(const Values& expected) const {
    const Values actual = values();
    if (std::any_of(actual.begin(), actual.end(), [](double v) { return std::isnan(v); })) {
      return "NaN in the result";
    }
    const Values plain = operand_.role == OperandRole::dweight ? exported() : actual;
    // Integers are exact in fp32. The narrow element is rounded once.
    const double relative = operand_.element == BufferElement::fp32 ? 0.0 : 1.0 / 256.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::abs(plain[i] - expected[i]) > relative * std::abs(expected[i])) {
        return "element " + std::to_string(i) + " is " + std::to_string(plain[i]) + " instead of " +
               std::to_string(expected[i]);
      }
    }
    return {};
  }

 private:
  template <typename T>
  T* data() const {
    return reinterpret_cast<T*>(memory_->data());
  }
  Values values() const {
    return with_type_of(element_type(operand_.element),
                        [&]<typename T>(T) { return Values(data<T>(), data<T>() + elements_); });
  }
  Values exported() const {
    Values plain(weight_volume(spec_));
    export_weight(prepared("onednn"), spec_, memory_->data(), plain);
    return plain;
  }

  KernelSpec spec_;
  KernelOperand operand_;
  std::int64_t elements_ = 0;
  std::optional<GuardedMemory> memory_;
};

// Fills the memory that the next kernel of this thread gets, and the bytes after it.
class PoisonedWorkspace {
 public:
  explicit PoisonedWorkspace(std::int64_t bytes) : bytes_(onednn::whole_lines(bytes)) {
    onednn::Workspace workspace(bytes_ + margin);
    std::fill_n(workspace.data(), bytes_ + margin, poison);
  }
  bool margin_is_untouched() const {
    onednn::Workspace workspace(bytes_ + margin);
    const std::byte* const end = workspace.data() + bytes_;
    return std::all_of(end, end + margin, [](std::byte b) { return b == poison; });
  }

 private:
  static constexpr std::size_t margin = 4096;
  std::size_t bytes_;
};

std::string run_once(Kernel& kernel,
                     const std::vector<KernelOperand>& kinds,
                     std::vector<std::unique_ptr<TrialOperand>>& operands,
                     const std::vector<Values>& expected) {
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].written) operands[i]->poison_again();
    views.push_back(operands[i]->view());
  }
  const PoisonedWorkspace workspace(kernel.workspace_bytes());
  kernel.run(views, {});
  if (!workspace.margin_is_untouched()) return "writes after its workspace";
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string name = "operand " + std::to_string(i) + ": ";
    if (!operands[i]->margins_are_untouched()) return name + "writes outside of it";
    if (kinds[i].role == OperandRole::weight) continue;
    const std::string fault = operands[i]->difference_from(expected[i]);
    if (!fault.empty()) return name + fault;
  }
  return {};
}

}  // namespace

WindowTrial try_window(const KernelSpec& spec) {
  WindowTrial trial;
  try {
    const auto kernel = prepared("onednn").make_kernel(spec, {}, {});
    trial.implementation = kernel->implementation();
    const std::vector<Values> values = draw_operands(spec);
    const std::vector<Values> expected = expected_operands(spec, values);
    const std::vector<KernelOperand> kinds = kernel_operands(spec);
    std::vector<std::unique_ptr<TrialOperand>> operands;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      operands.push_back(std::make_unique<TrialOperand>(spec, kinds[i], values[i]));
    }
    for (int run = 0; run < 2 && trial.fault.empty(); ++run) {
      trial.fault = run_once(*kernel, kinds, operands, expected);
    }
  } catch (const BackendError& error) {
    trial.fault = std::string("refused: ") + error.what();
  }
  return trial;
}

}  // namespace cnnplan::test
