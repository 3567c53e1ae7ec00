// Converts 16-bit operands to float before the loops, and results back after them.
#include "executor/backend/reference/widening_kernel.hpp"

#include <stdexcept>
#include <utility>

#include "executor/backend/element.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

// Computes to = from, element by element, over one box.
template <typename To, typename From>
void convert(const TensorView& to, const TensorView& from) {
  const auto target = tensor<To>(to, from.shape());
  const auto source = tensor<const From>(from, from.shape());
  for_each_index(from.shape(), [&](const Index& i) { target[i] = To(source[i]); });
}

// Returns the part of an operand that the loops see, without padding at the end of a weight.
Box used_box(const TensorView& operand, std::int64_t elements) {
  const std::int64_t given = volume(operand.box);
  if (given < elements) throw std::logic_error("reference: an operand is too small");
  return given == elements ? operand.box : whole({{1, 1, 1, 1, elements}});
}

}  // namespace

WideningKernel::WideningKernel(const KernelSpec& spec,
                               FunctionKernel::Body body,
                               std::int64_t workspace_bytes)
    : element_(activation_element(spec.precision)),
      loops_("reference", spec, std::move(body), workspace_bytes),
      operands_(kernel_operands(spec)),
      wide_(operands_.size()) {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (operands_[i].element != buffer_element(element_)) continue;
    wide_[i].resize(operands_[i].elements);
  }
}

void WideningKernel::run(Operands operands, const StepState& state) {
  std::vector<TensorView> narrow(operands.begin(), operands.end());
  narrow.resize(operands_.size());
  std::vector<TensorView> views = narrow;
  with_type_of(element_, [&]<typename T>(T) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (wide_[i].empty()) continue;
      narrow[i].box = used_box(narrow[i], operands_[i].elements);
      views[i] = view_of(wide_[i].data(), narrow[i].box, narrow[i].box, sizeof(float));
      convert<float, T>(views[i], narrow[i]);
    }
    loops_.run(views, state);
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (!wide_[i].empty() && operands_[i].written) convert<T, float>(narrow[i], views[i]);
    }
  });
}

std::int64_t WideningKernel::workspace_bytes() const {
  std::int64_t bytes = loops_.workspace_bytes();
  for (const auto& values : wide_) bytes += values.size() * sizeof(float);
  return bytes;
}

}  // namespace cnnplan::reference
