// Tests of planner/report/operation_id.
#include "planner/report/operation_id.hpp"

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("part_of: the last whole word that names a part decides") {
  struct Row {
    const char* id;
    OperationPart part;
  };
  const Row rows[] = {
      {"conv1/forward", OperationPart::forward},
      {"conv1/backward_data", OperationPart::backward_data},
      {"conv1/backward_filter", OperationPart::backward_filter},
      {"conv2/forward/halo", OperationPart::halo},
      {"conv2/backward/halo", OperationPart::halo},
      {"res2a/forward/shuffle", OperationPart::shuffle},
      {"bn1/forward_statistics", OperationPart::statistics},
      {"bn1/backward_statistics", OperationPart::statistics},
      {"bn1/forward_statistics/allreduce", OperationPart::allreduce},
      {"loss/allreduce", OperationPart::allreduce},
      {"data/load", OperationPart::other},
      {"reduce/0", OperationPart::other},
      {"forward/load", OperationPart::other},
      {"join/forward/copy/conv1", OperationPart::copy},
      {"join/backward/copy/conv1/2", OperationPart::copy},
      // Names of layers say nothing.
      {"join/forward/copy/halo", OperationPart::copy},
      {"join/forward/shuffle/copy", OperationPart::shuffle},
      {"add1/forward/shuffle/forward_conv", OperationPart::shuffle},
      {"add1/forward/halo/shuffle", OperationPart::halo},
      {"add1/backward/shuffle/allreduce", OperationPart::shuffle},
      {"add1/forward/halo/forward/2", OperationPart::halo},
      {"halo/forward", OperationPart::forward},
      {"allreduce/load", OperationPart::other},
      // Whole words only.
      {"conv1/forwarding", OperationPart::other},
      {"conv1/my_statistics", OperationPart::other},
  };
  for (const Row& row : rows) {
    CAPTURE(row.id);
    CHECK(to_text(part_of(row.id)) == to_text(row.part));
  }
}

TEST_CASE("group_of: the first word") {
  CHECK(group_of("conv1/forward/halo") == "conv1");
  CHECK(group_of("conv10/forward") == "conv10");
  CHECK(group_of("reduce/12") == "reduce");
  CHECK(group_of("alone") == "alone");
}

}  // namespace cnnplan
