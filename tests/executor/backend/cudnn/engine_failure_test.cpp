// Engines that fail while they are tried, on the emulated device.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/cudnn/backend.hpp"
#include "executor/backend/cudnn/kernels/check.hpp"
#include "planner/base/error.hpp"
#include "tests/emulation/device.hpp"

namespace cnnplan::test {
namespace {

KernelSpec convolution_spec() {
  KernelSpec spec;
  spec.precision = Precision::tf32;
  spec.in = {{2, 4, 1, 6, 7}};
  spec.out = {{2, 3, 1, 6, 7}};
  spec.window.dims[1] = spec.window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  spec.bias = true;
  return spec;
}

// One choice of an engine on a new device, where a call may fail.
struct Trial {
  std::vector<std::string> lines;        // that the backend passes to its note
  std::vector<std::int64_t> executions;  // of engines, when each line came
  std::optional<std::string> device_lost;
  std::optional<std::string> other_error;
};

struct Failure {
  std::string function;
  int nth = 1;
  int error = cudaErrorUnknown;
};

Trial choose(const std::optional<Failure>& failure = {},
             const KernelSpec& spec = convolution_spec()) {
  emulation::reset();
  Trial trial;
  const auto backend = cudnn::make_backend({.note = [&trial](const std::string& line) {
    trial.lines.push_back(line);
    trial.executions.push_back(emulation::calls("cudnnBackendExecute"));
  }});
  if (failure) emulation::fail(failure->function, failure->nth, failure->error);
  try {
    backend->make_kernel(spec, {}, {});
  } catch (const DeviceLostError& error) {
    trial.device_lost = error.what();
  } catch (const Error& error) {
    trial.other_error = error.what();
  }
  return trial;
}

// Calls of a choice in which nothing fails.
int calls_of_choice(const std::string& function) {
  choose();
  return static_cast<int>(emulation::calls(function));
}

}  // namespace

TEST_CASE("Engine failure: every engine is named once, before it first runs") {
  const Trial trial = choose();
  const std::set<std::string> different(trial.lines.begin(), trial.lines.end());
  CHECK(different.size() == trial.lines.size());
  REQUIRE(trial.lines.size() >= 3);
  for (const std::string& line : trial.lines) {
    CHECK(line.starts_with("cudnn: first run of engine "));
    CHECK(line.ends_with(" for " + to_text(convolution_spec())));
  }
  CHECK(trial.executions.front() == 0);
  for (std::size_t i = 1; i < trial.executions.size(); ++i) {
    CHECK(trial.executions[i - 1] < trial.executions[i]);
  }
}

TEST_CASE("Engine failure: an engine that fails in any call of its trial is passed over") {
  for (const std::string function : {"cudnnBackendExecute",
                                     "cudaStreamBeginCapture",
                                     "cudaStreamEndCapture",
                                     "cudaGraphInstantiate",
                                     "cudaGraphLaunch",
                                     "cudaEventRecordWithFlags",
                                     "cudaEventElapsedTime"}) {
    const int calls = calls_of_choice(function);
    REQUIRE(calls > 0);
    for (int nth = 1; nth <= calls; ++nth) {
      CAPTURE(function);
      CAPTURE(nth);
      const Trial trial = choose(Failure{.function = function, .nth = nth});
      CHECK(trial.device_lost.value_or("") == "");
      // Slow engines are timed less often, so this choice may have made fewer calls than the first.
      if (emulation::calls(function) < nth) continue;
      const auto told = std::count_if(
          trial.lines.begin(), trial.lines.end(), [&function](const std::string& line) {
            return line.starts_with("cudnn: failed in the first run of engine ") &&
                   line.find(function) != std::string::npos;
          });
      CHECK(told == 1);
      CHECK(trial.other_error.value_or("") == "");
    }
  }
}

TEST_CASE("Engine failure: an engine that the library cannot describe is passed over") {
  const int attributes = calls_of_choice("cudnnBackendGetAttribute");
  int failed = 0;
  for (int nth = 1; nth <= attributes; ++nth) {
    failed += choose(Failure{.function = "cudnnBackendGetAttribute",
                             .nth = nth,
                             .error = CUDNN_STATUS_INTERNAL_ERROR})
                  .other_error.has_value();
  }
  // The engine that was chosen is built again at the end, where a failure is an error.
  constexpr int calls_to_build = 2;
  CHECK(failed <= calls_to_build);
}

TEST_CASE(
    "Engine failure: work that ends the use of the device names the engine, and no other runs") {
  int blamed = 0;
  for (int nth = 1;; ++nth) {
    CAPTURE(nth);
    const Trial trial =
        choose(Failure{.function = "work", .nth = nth, .error = cudaErrorMisalignedAddress});
    CHECK_FALSE(trial.other_error.has_value());
    if (!trial.device_lost) break;
    const std::string& message = *trial.device_lost;
    CHECK_MESSAGE(message.find("misaligned address") != std::string::npos, message);
    if (trial.lines.empty()) {
      CHECK(message.find("engine") == std::string::npos);
      continue;
    }
    ++blamed;
    const std::string line = trial.lines.back();
    const std::string what = line.substr(line.find("first run of"));
    CHECK_MESSAGE(message.find(what) != std::string::npos, message);
  }
  CHECK(blamed > 3);
}

TEST_CASE("Engine failure: an error that ends the use of the device need not be a known one") {
  int blamed = 0;
  for (int nth = 1;; ++nth) {
    const Trial trial = choose(Failure{.function = "work", .nth = nth});
    if (!trial.device_lost && !trial.other_error) break;
    CHECK(trial.device_lost.has_value() == !trial.lines.empty());
    blamed += trial.device_lost.has_value();
  }
  CHECK(blamed > 3);
}

TEST_CASE("Engine failure: a kernel without any engine is refused by its name") {
  KernelSpec spec = convolution_spec();
  emulation::reset();
  const auto backend = cudnn::make_backend({});
  for (int nth = 1; nth <= 100; ++nth) {
    emulation::fail("cudnnBackendExecute", nth, CUDNN_STATUS_EXECUTION_FAILED);
  }
  try {
    backend->make_kernel(spec, {}, {});
    FAIL("accepted");
  } catch (const BackendError& error) {
    CHECK(std::string(error.what()).find("no engine for " + to_text(spec)) != std::string::npos);
  }
}

TEST_CASE("check_cuda: errors after which the process must end are told from others") {
  CHECK_NOTHROW(cudnn::check_cuda(cudaSuccess, "call"));
  for (cudaError_t sticky : {cudaErrorIllegalAddress,
                             cudaErrorMisalignedAddress,
                             cudaErrorLaunchFailure,
                             cudaErrorLaunchTimeout,
                             cudaErrorIllegalInstruction,
                             cudaErrorHardwareStackError,
                             cudaErrorInvalidAddressSpace,
                             cudaErrorInvalidPc,
                             cudaErrorAssert,
                             cudaErrorExternalDevice,
                             cudaErrorMpsClientTerminated,
                             cudaErrorNvlinkUncorrectable,
                             cudaErrorECCUncorrectable}) {
    CHECK_THROWS_AS(cudnn::check_cuda(sticky, "call"), DeviceLostError);
  }
  for (cudaError_t none : {cudaErrorNoDevice, cudaErrorInsufficientDriver}) {
    CHECK_THROWS_AS(cudnn::check_cuda(none, "call"), EnvironmentError);
  }
  for (cudaError_t other :
       {cudaErrorInitializationError, cudaErrorInvalidValue, cudaErrorUnknown}) {
    CHECK_THROWS_AS(cudnn::check_cuda(other, "call"), BackendError);
  }
}

}  // namespace cnnplan::test
