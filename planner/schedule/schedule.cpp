// Names and memory of schedules.
#include "planner/schedule/schedule.hpp"

#include <array>

#include "planner/schedule/memory_layout.hpp"

namespace cnnplan {

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

MemoryUse memory_of(const Schedule& schedule) {
  MemoryUse use;
  use.activations_bytes = schedule.arena_bytes;
  for (const Buffer& buffer : schedule.buffers) {
    const bool is_parameter = buffer.role == BufferRole::weights ||
                              buffer.role == BufferRole::gradients ||
                              buffer.role == BufferRole::momentum;
    if (is_parameter) {
      use.parameters_bytes += buffer.bytes;
    } else if (buffer.role == BufferRole::data) {
      use.activations_bytes += buffer.bytes;
    } else if (!in_arena(buffer.role)) {
      use.buffers_bytes += buffer.bytes;
    }
  }
  return use;
}

}  // namespace cnnplan
