// Tests which devices count as the one that a plan was made for.
#include "planner/platform/same_device.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/folder.hpp"

namespace cnnplan::test {
namespace {

std::string other(const std::string& fingerprint, const std::string& own) {
  return other_model({.fingerprint = fingerprint, .inputs = {}}, own);
}

}  // namespace

TEST_CASE("other_model: threads and clock rates do not make another model") {
  const std::string plan = "AMD EPYC 9654, 1 thread; onednn (oneDNN 2.6.3); 2 busy ranks";
  CHECK(other(plan, "AMD EPYC 9654").empty());
  CHECK(other(plan, "AMD EPYC 9654, 4 threads").empty());
  CHECK(other(plan, "AMD EPYC 965") == "AMD EPYC 9654");
  CHECK(other("NVIDIA H200, 1980 MHz, memory 3201 MHz; cudnn (9.1); 1 busy rank",
              "NVIDIA H200 NVL") == "NVIDIA H200");
}

TEST_CASE("other_model: an unknown model is no other one") {
  CHECK(other("", "AMD EPYC 9654").empty());
  CHECK(other("NVIDIA H200; cudnn (9.1); 1 busy rank", "").empty());
}

}  // namespace cnnplan::test
