// Computes reductions through files: every rank writes one and reads all.
#include "tests/emulation/nccl/nccl_comm.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "tests/emulation/machine.hpp"

namespace cnnplan::emulation {
namespace {

MessageHeader& header_of(const SharedFile& file) {
  return *reinterpret_cast<MessageHeader*>(file.data());
}

constexpr std::size_t data_offset = 64;
static_assert(sizeof(MessageHeader) <= data_offset);

template <typename T>
void add(const std::byte* bytes, std::size_t count, bool first, void* to) {
  const T* part = reinterpret_cast<const T*>(bytes);
  T* sum = static_cast<T*>(to);
  for (std::size_t i = 0; i < count; ++i) sum[i] = first ? part[i] : sum[i] + part[i];
}

}  // namespace

std::size_t bytes_of(ncclDataType_t type) {
  if (type == ncclFloat64) return 8;
  if (type == ncclUint8) return 1;
  return type == ncclFloat32 ? 4 : 0;
}

}  // namespace cnnplan::emulation

using namespace cnnplan::emulation;

ncclComm::ncclComm(SharedFile meeting_file, std::string name)
    : meeting_file_(std::move(meeting_file)), name_(std::move(name)) {}

Meeting& ncclComm::meeting() const {
  return *reinterpret_cast<Meeting*>(meeting_file_.data());
}

std::string ncclComm::file_of(std::size_t operation, int of_rank) const {
  const auto run = runs_.find(operation);
  const int runs = run == runs_.end() ? 0 : run->second;
  return name_ + "." + std::to_string(operation) + "." + std::to_string(runs) + "." +
         std::to_string(of_rank);
}

void ncclComm::publish(std::size_t operation, const Values& from) {
  ++runs_[operation];
  const std::size_t bytes = from.count * bytes_of(from.type);
  const SharedFile file = SharedFile::create(file_of(operation, rank), data_offset + bytes);
  std::memcpy(file.data() + data_offset, from.data, bytes);
  MessageHeader& header = header_of(file);
  header.count = from.count;
  header.type = from.type;
  header.complete = true;
}

bool ncclComm::complete(std::size_t operation) const {
  for (int other = 0; other < ranks; ++other) {
    const auto file = SharedFile::open(file_of(operation, other));
    if (!file || !header_of(*file).complete) return false;
  }
  return true;
}

void ncclComm::wait_for_parts(std::size_t operation) {
  const auto others = [] { machine().scheduler.progress(); };
  try {
    wait_until([&] { return complete(operation); }, is_aborted, others);
  } catch (...) {
    remove_shared_file(file_of(operation, rank));
    throw;
  }
}

void ncclComm::wait_for_abort() {
  wait_until([] { return false; }, is_aborted, [] {});
}

void ncclComm::take(const SharedFile& part, int of_rank, Collective kind, void* to) const {
  const MessageHeader& header = header_of(part);
  const auto type = static_cast<ncclDataType_t>(header.type);
  const std::byte* values = part.data() + data_offset;
  if (kind == Collective::all_gather) {
    const std::size_t bytes = header.count * bytes_of(type);
    std::memmove(
        static_cast<std::byte*>(to) + static_cast<std::size_t>(of_rank) * bytes, values, bytes);
    return;
  }
  const bool shares = kind == Collective::reduce_scatter;
  const std::size_t count = header.count / (shares ? static_cast<std::size_t>(ranks) : 1);
  if (shares) values += static_cast<std::size_t>(rank) * count * bytes_of(type);
  if (type == ncclFloat64) return add<double>(values, count, of_rank == 0, to);
  add<float>(values, count, of_rank == 0, to);
}

void ncclComm::collect(std::size_t operation, Collective kind, void* to) {
  wait_for_parts(operation);
  const auto own = SharedFile::open(file_of(operation, rank));
  const std::size_t count = header_of(own.value()).count;
  const int type = header_of(own.value()).type;
  for (int other = 0; other < ranks; ++other) {
    const std::string name = file_of(operation, other);
    const auto file = SharedFile::open(name);
    MessageHeader& header = header_of(file.value());
    if (header.count != count || header.type != type) {
      throw std::runtime_error("ranks reduce different counts or types");
    }
    take(*file, other, kind, to);
    if (++header.readers == ranks) remove_shared_file(name);
  }
}
