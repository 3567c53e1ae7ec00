// Completes operations with what the plan and the schedule say, and appends them.
#include "planner/schedule/lower/state/operation_writer.hpp"

#include <algorithm>
#include <utility>

#include "planner/platform/exchange_rounds.hpp"
#include "planner/schedule/lower/state/operation_names.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {
namespace {

// In one queue, operations run in the order of their list.
ScheduleBuilder::Dependencies dependencies_of(const LoweringContext& context) {
  const Detail detail = context.request().detail;
  const bool in_order =
      detail == Detail::priced || (detail == Detail::timed && !context.plan().overlap);
  return in_order && most_lanes(context.plan()) == 1 ? ScheduleBuilder::Dependencies::none
                                                     : ScheduleBuilder::Dependencies::derived;
}

// Returns true where a block of activations is a part of its buffer.
bool begins_inside(const ScheduleBuilder& builder, const std::vector<Operand>& operands) {
  return std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
    return operand.first_slot < 0 && operand.box != builder.buffer(operand.buffer).box;
  });
}

// Training has about this many operations for each unit.
constexpr std::size_t operations_per_unit = 8;

}  // namespace

OperationWriter::OperationWriter(const LoweringContext& context)
    : context_(context),
      builder_(context.rank(), context.plan().ranks, dependencies_of(context)),
      gradient_parts_(builder_, context.parameter_buffer()) {
  builder_.reserve(operations_per_unit * context.decomposition().units().size());
}

BufferIndex OperationWriter::add_block(std::string name, BufferRole role, const Box& box) {
  const ElementType element = activation_element(context_.plan().precision);
  return builder_.add_buffer(std::move(name), role, buffer_element(element), box);
}

Operand OperationWriter::add_error_signal(std::string name, const Box& box) {
  return builder_.read(add_block(std::move(name), BufferRole::error_signal, box));
}

Operand OperationWriter::absent_operand() {
  if (absent_ < 0) absent_ = add_block("nothing", BufferRole::activation, {});
  return builder_.read(absent_);
}

void OperationWriter::kernel(const Unit& unit,
                             LabelledId named,
                             const KernelSpec& spec,
                             std::vector<Operand> operands) {
  kernel(unit,
         unit.head,
         std::move(named),
         {.spec = spec,
          .constants = constants_of(context_.local(unit), spec.kind),
          .implementation = {},
          .operands = std::move(operands)});
}

void OperationWriter::kernel(const Unit& unit,
                             const KernelSpec& spec,
                             std::vector<Operand> operands) {
  kernel(
      unit,
      {.id = kernel_name(context_, unit, spec.phase), .label = kernel_label(unit.head, spec.phase)},
      spec,
      std::move(operands));
}

void OperationWriter::kernel(const Unit& unit,
                             LayerIndex layer,
                             LabelledId named,
                             KernelOperation&& operation) {
  if (!context_.is_here(unit)) return;
  const int blocks = sample_blocks_of(context_.plan(), operation.spec);
  if (blocks <= 1) return whole_kernel(layer, std::move(named), std::move(operation));
  SampleBlocks(*this,
               gradient_parts_,
               {.layer = layer,
                .named = std::move(named),
                .operation = std::move(operation),
                .count = blocks,
                .samples = context_.own_box(unit.last)[Dim::n]})
      .add_all();
}

void OperationWriter::whole_kernel(LayerIndex layer,
                                   LabelledId named,
                                   KernelOperation&& operation) {
  operation.spec.concurrency = concurrency_;
  if (operation.spec.kind == KernelKind::convolution) {
    // With blocks of samples, kernels are equal on any number of ranks, also where a rank has one.
    operation.constants.begins_inside =
        context_.plan().sample_blocks > 1 || begins_inside(builder_, operation.operands);
  }
  operation.implementation = implementation_of(context_.plan(), operation.spec);
  builder_.add_operation(std::move(named), layer, Stream::compute, std::move(operation), lane_);
}

void OperationWriter::transfer(const Unit& unit,
                               LabelledId named,
                               TransferOperation transfer,
                               Exchange exchange) {
  transfer.list = std::move(exchange.list);
  transfer.rule = std::move(exchange.rule);
  transfer.accumulate = exchange.accumulate;
  transfer.zero_first = exchange.zero_first;
  transfer.tag = next_tag_++;
  if (transfer.list.empty() && !transfer.zero_first) return;
  if (transfer.list.receives.empty() && !transfer.zero_first) transfer.destination = {};
  if (transfer.list.sends.empty()) transfer.source = {};
  builder_.add_operation(std::move(named), unit.head, Stream::halo, std::move(transfer));
}

void OperationWriter::collective(LabelledId named,
                                 LayerIndex layer,
                                 Stream stream,
                                 CollectiveOperation operation) {
  if (operation.group.size() < 2) return;
  if (operation.algorithm == AllreduceAlgorithm::hierarchical) {
    operation.ranks_per_node = members_per_node(operation.group, context_.plan().ranks_per_node);
  }
  builder_.add_operation(std::move(named), layer, stream, std::move(operation));
}

void OperationWriter::begin_lanes(int concurrency) {
  concurrency_ = concurrency;
  builder_.begin_lanes();
}

void OperationWriter::begin_wave() {
  builder_.end_lanes();
  builder_.begin_lanes();
}

void OperationWriter::end_lanes() {
  lane_ = 0;
  concurrency_ = 1;
  builder_.end_lanes();
}

// Replicas have to sum in one order.
AllreduceAlgorithm allreduce_for_replicas(const Plan& plan,
                                          AllreduceAlgorithm algorithm,
                                          LayerIndex first,
                                          LayerIndex last) {
  if (algorithm != AllreduceAlgorithm::hierarchical) return algorithm;
  for (LayerIndex layer = first; layer <= last; ++layer) {
    const Mesh& mesh = plan.layers[layer].mesh;
    if (!has_alike_replicas(mesh, plan.ranks_per_node)) return AllreduceAlgorithm::ring;
  }
  return algorithm;
}

}  // namespace cnnplan
