// Names parts of schedules, and finds the boxes of transfers.
#include "planner/schedule/schedule.hpp"

#include <array>

namespace cnnplan {
namespace {

// Returns the box of a buffer in the channels of the list, whose channel 0 is `first_channel`.
Box box_from(const Schedule& schedule, BufferIndex index, std::int64_t first_channel) {
  if (index < 0) return {};
  const Buffer& buffer = schedule.buffers.at(index);
  return shifted(buffer.box, Dim::c, -first_channel);
}

}  // namespace

std::string_view to_text(Stream stream) {
  constexpr std::array<std::string_view, 4> names{"compute", "halo", "reduce", "io"};
  return names[static_cast<std::size_t>(stream)];
}

std::string_view to_text(ParameterRole role) {
  constexpr std::array<std::string_view, 4> names{"weight", "bias", "scale", "shift"};
  return names[static_cast<std::size_t>(role)];
}

bool is_communication(const Operation& operation) {
  return std::holds_alternative<TransferOperation>(operation.body) ||
         std::holds_alternative<CollectiveOperation>(operation.body);
}

bool is_update(const Operation& operation) {
  const auto* kernel = std::get_if<KernelOperation>(&operation.body);
  return kernel != nullptr && kernel->spec.phase == KernelPhase::update;
}

Box source_box(const Schedule& schedule, const TransferOperation& transfer) {
  return box_from(schedule, transfer.source, transfer.source_channel);
}

Box destination_box(const Schedule& schedule, const TransferOperation& transfer) {
  return box_from(schedule, transfer.destination, transfer.destination_channel);
}

}  // namespace cnnplan
