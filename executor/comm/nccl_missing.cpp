// Replaces nccl_communicator.cpp in builds that did not find NCCL.
#include "executor/comm/nccl_communicator.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {

struct NcclCommunicator::Handle {};

bool has_nccl() {
  return false;
}

void look_for_nccl_errors() {}

void abort_nccl() {}

NcclCommunicator::NcclCommunicator(const Communicator&) {
  throw EnvironmentError("this program was built without NCCL: leave --nccl out");
}

NcclCommunicator::NcclCommunicator(NcclCommunicator&&) noexcept = default;
NcclCommunicator& NcclCommunicator::operator=(NcclCommunicator&&) noexcept = default;
NcclCommunicator::~NcclCommunicator() = default;

void NcclCommunicator::allreduce(Device&, const NcclValues&) const {}
void NcclCommunicator::reduce_scatter(Device&, const NcclValues&) const {}
void NcclCommunicator::allgather(Device&, const NcclValues&) const {}

}  // namespace cnnplan
