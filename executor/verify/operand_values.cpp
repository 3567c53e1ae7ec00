// Copies an operand to the host where that is needed, and converts its elements.
#include "executor/verify/operand_values.hpp"

#include <cstddef>

#include "executor/backend/element.hpp"
#include "executor/step/device_values.hpp"
#include "executor/verify/dense_operand.hpp"

namespace cnnplan {
namespace {

// Counts the elements from the first to the last one of a view, with the gaps between them.
std::int64_t span_of(const TensorView& view) {
  std::int64_t last = 0;
  const Shape shape = view.shape();
  for (Dim dim : all_dims) last += (shape[dim] - 1) * view.stride(dim);
  return last + 1;
}

std::vector<double> values_in_memory(const TensorView& view, BufferElement element) {
  if (element == BufferElement::int32) return dense_values<std::int32_t>(view);
  return with_type_of(element_type(element), [&]<typename T>(T) { return dense_values<T>(view); });
}

bool is_weight(OperandRole role) {
  return role == OperandRole::weight || role == OperandRole::dweight;
}

// The backend converts weights in the element of parameters, so copies are widened first.
std::vector<double> plain_weight(const Backend& backend,
                                 const KernelSpec& spec,
                                 const std::vector<double>& stored_values) {
  KernelSpec forward = spec;
  forward.phase = KernelPhase::forward;
  const std::vector<std::byte> bytes = packed(parameter_element(spec.precision), stored_values);
  std::vector<double> plain(weight_volume(spec));
  export_weight(backend, forward, bytes.data(), plain);
  return plain;
}

}  // namespace

std::vector<double> operand_values(Backend& backend,
                                   const KernelSpec& spec,
                                   const KernelOperand& operand,
                                   const TensorView& view) {
  if (volume(view.box) == 0) return {};
  TensorView host = view;
  std::vector<std::byte> copy;
  if (!backend.device().is_host()) {
    copy = download(backend.device(), view.data, span_of(view) * bytes_of(operand.element));
    host.data = copy.data();
  }
  std::vector<double> values = values_in_memory(host, operand.element);
  return is_weight(operand.role) ? plain_weight(backend, spec, values) : values;
}

}  // namespace cnnplan
