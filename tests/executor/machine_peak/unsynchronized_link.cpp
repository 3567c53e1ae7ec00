// Finds the memory for the chunks of a rank and of its left neighbour.
#include "tests/executor/machine_peak/unsynchronized_link.hpp"

#include <stdexcept>

namespace cnnplan {

UnsynchronizedLink::UnsynchronizedLink(const Communicator& communicator, bool streamed)
    : memory_(SharedMemory::create(communicator,
                                   static_cast<std::size_t>(communicator.size()) * slots * chunk)),
      streamed_(streamed) {
  if (memory_ == nullptr) throw std::runtime_error("these ranks share no memory");
  const auto area = [this](int rank) {
    return memory_->data() + static_cast<std::size_t>(rank) * slots * chunk;
  };
  sent_ = area(communicator.rank());
  received_ = area((communicator.rank() + communicator.size() - 1) % communicator.size());
}

}  // namespace cnnplan
