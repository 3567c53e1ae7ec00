// The table of a kernel's operands says which shapes and contents they get.
#include "profiler/cudnn_bench/own_operands.hpp"

#include <algorithm>
#include <cstdint>

#include "executor/backend/cudnn/kernels/pointwise_kernels.hpp"
#include "planner/tensor/box.hpp"

namespace cnnplan::cudnn {
namespace {

// Returns the shape of a block. Operands that are no block of activations are flat.
Shape shape_of_operand(const KernelSpec& spec, const KernelOperand& operand) {
  if (operand.elements == volume(spec.out)) return spec.out;
  if (operand.elements == volume(spec.in)) return spec.in;
  return {{1, 1, 1, 1, operand.elements}};
}

// Fills the sums that batch norms keep: sums, sums of squares and the number of positions.
void fill_sums(CudaDevice& device, const KernelSpec& spec, void* memory) {
  const std::int64_t channels = spec.out[Dim::c];
  const std::int64_t count = 2 * channels + 1;
  const std::int64_t bytes = count * bytes_of(ElementType::fp64);
  const MemoryBlock staging = device.allocate_staging(bytes);
  auto* values = reinterpret_cast<double*>(staging.data());
  std::fill_n(values, channels, 0.0);
  const std::int64_t positions = volume(spec.out) / channels;
  std::fill_n(values + channels, count - channels, static_cast<double>(positions));
  device.copy_to_device(memory, values, bytes);
  device.synchronize();
}

}  // namespace

OwnOperands::OwnOperands(CudaDevice& device, const KernelSpec& spec) {
  for (const KernelOperand& operand : kernel_operands(spec)) add(device, spec, operand);
}

void OwnOperands::add(CudaDevice& device, const KernelSpec& spec, const KernelOperand& operand) {
  const std::int64_t element_bytes = bytes_of(operand.element);
  void* memory = blocks_.emplace_back(device.allocate(operand.elements * element_bytes)).data();
  const Box box = whole(shape_of_operand(spec, operand));
  views_.push_back(view_of(memory, box, box, element_bytes));
  if (operand.role == OperandRole::sums) {
    fill_sums(device, spec, memory);
  } else if (operand.element != BufferElement::int32) {
    fill_random(
        element_type(operand.element), memory, operand.elements, blocks_.size(), device.stream());
  }
}

}  // namespace cnnplan::cudnn
