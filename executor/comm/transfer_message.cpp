// Allocates the staging memory of transfers.
#include "executor/comm/transfer_message.hpp"

#include "planner/base/checked.hpp"

namespace cnnplan {

TensorView view_of(const BoxBuffer& buffer, const Box& inner) {
  return view_of(buffer.data, buffer.box, inner, bytes_of(buffer.element));
}

TransferMessage::TransferMessage(int peer,
                                 const std::vector<Box>& boxes,
                                 const BoxBuffer& buffer,
                                 bool in_place,
                                 const MessageMemory& memory)
    : peer_(peer) {
  for (const Box& box : boxes) elements_ = checked_add(elements_, volume(box));
  const TensorView first = view_of(buffer, boxes.front());
  if (in_place && boxes.size() == 1 && is_dense(first)) {
    data_ = first.data;
  } else {
    stage(boxes, buffer.element, *memory.device);
  }
  if (memory.mirrored) {
    mirror_ =
        memory.device->allocate_staging(checked_multiply(elements_, bytes_of(buffer.element)));
  }
}

void TransferMessage::stage(const std::vector<Box>& boxes, ElementType element, Device& device) {
  staging_ = device.allocate(checked_multiply(elements_, bytes_of(element)));
  data_ = staging_.data();
  std::int64_t offset_bytes = 0;
  for (const Box& box : boxes) {
    staged_.push_back(view_of(staging_.data() + offset_bytes, box, box, bytes_of(element)));
    offset_bytes += volume(box) * bytes_of(element);
  }
}

void TransferMessage::copy_to_mirror(Device& device) const {
  if (mirror_.data() != nullptr) device.copy_to_host(mirror_.data(), data_, mirror_.size_bytes());
}

void TransferMessage::copy_from_mirror(Device& device) const {
  if (mirror_.data() != nullptr) device.copy_to_device(data_, mirror_.data(), mirror_.size_bytes());
}

}  // namespace cnnplan
