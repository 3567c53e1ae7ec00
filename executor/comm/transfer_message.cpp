// Staging memory of transfers.
#include "executor/comm/transfer_message.hpp"

#include "planner/model/checked.hpp"

namespace cnnplan {

TensorView view_of(const BoxBuffer& buffer, const Box& inner) {
  return view_of(buffer.data, buffer.box, inner, bytes_of(buffer.element));
}

TransferMessage::TransferMessage(int peer,
                                 const std::vector<Box>& boxes,
                                 const BoxBuffer& buffer,
                                 bool in_place)
    : peer_(peer) {
  for (const Box& box : boxes) elements_ = checked_add(elements_, volume(box));
  const TensorView first = view_of(buffer, boxes.front());
  if (in_place && boxes.size() == 1 && is_dense(first)) {
    data_ = first.data;
  } else {
    stage(boxes, buffer.element);
  }
}

void TransferMessage::stage(const std::vector<Box>& boxes, ElementType element) {
  staging_bytes_ = checked_multiply(elements_, bytes_of(element));
  staging_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(staging_bytes_));
  data_ = staging_.get();
  std::int64_t offset_bytes = 0;
  for (const Box& box : boxes) {
    staged_.push_back(view_of(staging_.get() + offset_bytes, box, box, bytes_of(element)));
    offset_bytes += volume(box) * bytes_of(element);
  }
}

}  // namespace cnnplan
