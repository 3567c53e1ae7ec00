// Tests which stream is selected, and that a capture that fails leaves its stream usable.
#include "executor/backend/cudnn/cuda/cuda_streams.hpp"

#include <stdexcept>

#include <doctest/doctest.h>

#include "executor/backend/cudnn/cuda/stream_work.hpp"
#include "tests/emulation/device.hpp"

namespace cnnplan::test {

TEST_CASE("CudaStreams: lane 0 is Queue::compute, and each other lane has a stream of its own") {
  emulation::reset();
  cudnn::CudaStreams streams;
  const cudaStream_t compute = streams.selected();
  streams.select(Queue::halo);
  const cudaStream_t halo = streams.selected();
  CHECK(halo != compute);
  CHECK(streams.lane() == 0);
  streams.select_lane(0);
  CHECK(streams.selected() == compute);
  CHECK_THROWS_AS(streams.select_lane(1), std::logic_error);
  streams.reserve_lanes(3);
  for (int repetition = 0; repetition < 2; ++repetition) streams.select_lane(2);
  CHECK(streams.lane() == 2);
  CHECK(streams.selected() != halo);
  CHECK(streams.selected() != compute);
}

TEST_CASE("capture_graph: after an exception the stream works, and no graph is left") {
  emulation::reset();
  {
    cudnn::CudaStreams streams;
    const auto refuse = [] { throw std::runtime_error("refused"); };
    CHECK_THROWS_WITH(cudnn::capture_graph(streams, refuse), "refused");
    const auto event = cudnn::make_cuda_event(streams);
    event->record();
    event->synchronize();
    cudnn::capture_graph(streams, [] {})->launch();
    streams.synchronize();
  }
  CHECK(emulation::leaks().empty());
}

}  // namespace cnnplan::test
