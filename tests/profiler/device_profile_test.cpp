// Profiles on the emulated device, where calls and kernels fail on the way.
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "profiler/kernel_profile.hpp"
#include "profiler/step_overhead.hpp"
#include "tests/emulation/device.hpp"

namespace cnnplan::test {
namespace {

Network small_network() {
  Convolution convolution{.filters = 3, .bias = true};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  return Network("small",
                 {{"data", {}, Input{.channels = 2, .size = {1, 5, 6}}},
                  {"conv1", {"data"}, convolution},
                  {"bn1", {"conv1"}, BatchNorm{}},
                  {"conv2", {"bn1"}, convolution},
                  {"fc", {"conv2"}, FullyConnected{.outputs = 4}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

// Hands every call to another backend, and calls a hook before the first step and before kernels
// are made.
class HookedBackend final : public Backend {
 public:
  explicit HookedBackend(const BackendOptions& options) : inner_(make_backend("cudnn", options)) {}

  std::function<void()> before_first_step = {};
  std::function<void(const KernelSpec& spec)> before_kernel = {};

  DeviceFingerprint fingerprint() const override { return inner_->fingerprint(); }
  bool supports(Precision precision) const override { return inner_->supports(precision); }
  Device& device() override { return inner_->device(); }
  void begin_step(const StepState& state) override {
    if (before_first_step) std::exchange(before_first_step, {})();
    inner_->begin_step(state);
  }
  void reserve_workspace(std::int64_t bytes) override { inner_->reserve_workspace(bytes); }
  std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                      const KernelConstants& constants,
                                      const std::string& implementation) override {
    if (before_kernel) before_kernel(spec);
    return inner_->make_kernel(spec, constants, implementation);
  }
  std::int64_t weight_elements(const KernelSpec& convolution) const override {
    return inner_->weight_elements(convolution);
  }
  std::int64_t filter_block(const KernelSpec& convolution) const override {
    return inner_->filter_block(convolution);
  }
  void import_filters(const KernelSpec& convolution,
                      Range filters,
                      std::span<const double> plain,
                      void* weight) const override {
    inner_->import_filters(convolution, filters, plain, weight);
  }
  void export_filters(const KernelSpec& convolution,
                      Range filters,
                      const void* weight,
                      std::span<double> plain) const override {
    inner_->export_filters(convolution, filters, weight, plain);
  }

 private:
  std::unique_ptr<Backend> inner_;
};

// A profile of the plans for several ranks, which takes several rounds on one rank.
struct Profiling {
  int ranks = 1;
  Profile profile = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> saved = {};  // JSON, by round
  std::set<KernelSpec> failed = {};
  std::vector<Axis> axes = search_axes();
  std::function<void()> before_first_step = {};
  std::function<void(const KernelSpec& spec)> before_kernel = {};
  int engine_trials = 1;
  std::function<void(const std::string& line)> on_engine = {};  // what the backend notes
  std::function<void()> after_first_pass = {};
  std::function<void()> after_first_save = {};

  void run(const Communicator& world) {
    const ProfileRequest request{.networks = {small_network()},
                                 .ranks = ranks,
                                 .batch = 2,
                                 .axes = axes,
                                 .uniform = {},
                                 .plans = {},
                                 .walk = {.repetitions = 2, .warmup = 2}};
    HookedBackend backend({.engine_trials = engine_trials, .note = on_engine});
    backend.before_first_step = before_first_step;
    backend.before_kernel = before_kernel;
    const ProfileCallbacks callbacks{
        .progress =
            [this](const ProfileProgress& progress) {
              if (progress.passes == 1 && after_first_pass) after_first_pass();
            },
        .save =
            [this](const Profile& current) {
              saved.push_back(to_json(current));
              if (saved.size() == 1 && after_first_save) after_first_save();
            },
        .note = [this](const std::string& text) { notes.push_back(text); }};
    failed = profile_kernels(request, backend, world, profile, callbacks);
  }
};

// Returns a profile in which nothing fails.
Profiling whole_profile(int ranks, const Communicator& world) {
  emulation::reset();
  Profiling whole{.ranks = ranks};
  whole.run(world);
  return whole;
}

std::set<KernelSpec> kernels_in(const Profile& profile) {
  std::set<KernelSpec> kernels;
  for (const auto& [spec, timing] : profile.kernels) kernels.insert(spec);
  return kernels;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The backend's note on a failed trial begins with this text and then names the first run.
const std::string failed_in = "cudnn: failed in the ";

std::string first_run_in(const std::string& line) {
  return line.substr(line.find("first run of"));
}

Communicator one_rank() {
  const Communicator world = Communicator::world();
  return Communicator::group(world, {world.rank()});
}

}  // namespace

TEST_CASE("profile_kernels: the time of events between kernels does not count") {
  constexpr double event_s = 2e-3;  // is far longer than each kernel without sanitizers
  const auto times_with = [](double seconds) {
    emulation::reset({.event_s = seconds});
    Profiling profiling;
    profiling.run(one_rank());
    std::vector<double> times_s;
    for (const auto& [spec, timing] : profiling.profile.kernels) times_s.push_back(timing.median_s);
    return times_s;
  };
  const auto sum_of = [](const std::vector<double>& times_s) {
    return std::accumulate(times_s.begin(), times_s.end(), 0.0);
  };
  const std::vector<double> without_s = times_with(0.0);
  REQUIRE(!without_s.empty());
  const double of_events_s = event_s * static_cast<double>(without_s.size());
  CHECK(sum_of(times_with(event_s)) < 1.25 * sum_of(without_s) + 0.5 * of_events_s);
}

TEST_CASE("step_overhead_s: the host's part of a step, without its operations and their events") {
  constexpr double synchronise_s = 5e-3;
  constexpr double event_s = 2e-3;
  emulation::reset({.event_s = event_s, .synchronise_s = synchronise_s});
  const auto backend = make_backend("cudnn", {.engine_trials = 1});
  const double overhead_s = step_overhead_s(*backend, Communicator::world());
  CHECK(overhead_s > synchronise_s);
  CHECK(overhead_s < synchronise_s + 2 * event_s);
}

TEST_CASE("profile_kernels: kernels that cannot be captured are timed one by one, which is told") {
  const Communicator self = one_rank();
  const Profiling whole = whole_profile(1, self);
  CHECK(whole.notes.empty());
  CHECK(whole.failed.empty());
  REQUIRE(whole.saved.size() == 1);
  for (const std::string function : {"cudaStreamBeginCapture",
                                     "cudaStreamEndCapture",
                                     "cudaGraphInstantiate",
                                     "cudaGraphLaunch"}) {
    CAPTURE(function);
    emulation::reset();
    // The second pass is the first one with graphs.
    Profiling profiling;
    profiling.after_first_pass = [&function] { emulation::fail(function, 1, cudaErrorUnknown); };
    profiling.run(self);
    CHECK(kernels_in(profiling.profile) == kernels_in(whole.profile));
    CHECK(profiling.failed.empty());
    REQUIRE(profiling.notes.size() == 1);
    CHECK(contains(profiling.notes[0], "kernels start one by one"));
    CHECK(contains(profiling.notes[0], function));
  }
}

TEST_CASE("profile_kernels: a kernel that cannot be made is left out, and the others are timed") {
  const Communicator self = one_rank();
  const Profiling whole = whole_profile(1, self);
  int left_out = 0;
  for (int nth = 1; nth <= 60; ++nth) {
    CAPTURE(nth);
    emulation::reset();
    emulation::fail("cudaMalloc", nth, cudaErrorMemoryAllocation);
    Profiling profiling;
    try {
      profiling.run(self);
    } catch (const InfeasibleError&) {
      continue;  // The step itself finds no memory.
    }
    CHECK(profiling.notes.size() == profiling.failed.size());
    std::set<KernelSpec> all = kernels_in(profiling.profile);
    for (const KernelSpec& spec : profiling.failed) {
      ++left_out;
      CHECK(contains(profiling.notes.front(), " fails and is left out: "));
      CHECK_FALSE(all.contains(spec));
      all.insert(spec);
    }
    CHECK(all == kernels_in(whole.profile));
    CHECK(profiling.saved.back() == to_json(profiling.profile));
  }
  CHECK(left_out > 0);
}

TEST_CASE(
    "profile_kernels: a kernel that cannot be started is left out, and the others are timed") {
  const Communicator self = one_rank();
  const Profiling whole = whole_profile(1, self);
  int left_out = 0;
  for (int nth = 1; nth <= 12; ++nth) {
    CAPTURE(nth);
    emulation::reset();
    Profiling profiling;
    profiling.before_first_step = [nth] { emulation::fail("kernel", nth, cudaErrorInvalidValue); };
    profiling.run(self);
    REQUIRE(profiling.notes.size() == 1);
    CHECK(contains(profiling.notes[0], " fails and is left out: "));
    left_out += static_cast<int>(profiling.failed.size());
    std::set<KernelSpec> all = kernels_in(profiling.profile);
    all.insert(profiling.failed.begin(), profiling.failed.end());
    CHECK(all == kernels_in(whole.profile));
  }
  CHECK(left_out > 0);
}

TEST_CASE(
    "profile_kernels: an engine that fails in its trial leaves the kernel to another engine") {
  const Communicator self = one_rank();
  const Profiling whole = whole_profile(1, self);
  emulation::reset();
  std::vector<std::string> lines;
  Profiling profiling;
  profiling.engine_trials = 8;
  profiling.on_engine = [&lines](const std::string& line) {
    lines.push_back(line);
    if (lines.size() > 1) return;
    emulation::fail("cudnnBackendExecute", 1, cudaErrorUnknown);
  };
  profiling.run(self);
  REQUIRE(lines.size() > 1);
  CHECK(lines[1].starts_with(failed_in + first_run_in(lines[0])));
  CHECK(profiling.notes.empty());
  CHECK(profiling.failed.empty());
  CHECK(kernels_in(profiling.profile) == kernels_in(whole.profile));
  int others = 0;
  for (const auto& [spec, timing] : profiling.profile.kernels) {
    if (!lines[0].ends_with(" for " + to_text(spec))) continue;
    ++others;
    CHECK_FALSE(timing.implementation.empty());
    CHECK(lines[0] != "cudnn: first run of " + timing.implementation + " for " + to_text(spec));
  }
  CHECK(others == 1);
}

TEST_CASE(
    "profile_kernels: a kernel whose engines all fail is left out, and the others are timed") {
  const Communicator self = one_rank();
  const Profiling whole = whole_profile(1, self);
  emulation::reset();
  std::string kernel;  // of the first trial
  int trials = 0;
  Profiling profiling;
  profiling.engine_trials = 8;
  profiling.on_engine = [&kernel, &trials](const std::string& line) {
    if (line.starts_with(failed_in)) return;
    if (kernel.empty()) kernel = line.substr(line.find(" for "));
    if (!line.ends_with(kernel)) return;
    ++trials;
    emulation::fail("cudnnBackendExecute", 1, cudaErrorUnknown);
  };
  profiling.run(self);
  CHECK(trials > 1);
  REQUIRE(profiling.failed.size() == 1);
  CHECK(kernel == " for " + to_text(*profiling.failed.begin()));
  REQUIRE(profiling.notes.size() == 1);
  CHECK(contains(profiling.notes[0], " fails and is left out: cudnn: no engine" + kernel));
  std::set<KernelSpec> all = kernels_in(profiling.profile);
  CHECK_FALSE(all.contains(*profiling.failed.begin()));
  all.merge(profiling.failed);
  CHECK(all == kernels_in(whole.profile));
}

TEST_CASE("profile_kernels: what one rank cannot run, another one times") {
  const Communicator world = Communicator::world();
  const int ranks = world.size();
  const bool fails = world.rank() == ranks - 1;
  emulation::reset();
  Profiling profiling{.ranks = ranks};
  profiling.axes = {Axis::n};
  profiling.before_kernel = [fails](const KernelSpec& spec) {
    if (fails && spec.kind == KernelKind::sgd) throw BackendError("no such kernel here");
  };
  profiling.run(world);
  CHECK(profiling.notes.empty() == !fails);
  CHECK(profiling.failed.empty() == (ranks > 1));
  CHECK(world.broadcast(to_json(profiling.profile), 0) == to_json(profiling.profile));
}

TEST_CASE("profile_kernels: a device that is lost ends it, and a later run goes on from there") {
  constexpr int ranks = 2;
  const Communicator self = one_rank();
  const Profiling whole = whole_profile(ranks, self);
  REQUIRE(whole.saved.size() > 1);
  for (int nth : {1, 60, 200}) {
    CAPTURE(nth);
    emulation::reset();
    Profiling profiling{.ranks = ranks};
    profiling.after_first_save = [nth] { emulation::fail("work", nth, cudaErrorIllegalAddress); };
    CHECK_THROWS_AS(profiling.run(self), DeviceLostError);
    CHECK(profiling.notes.empty());
    REQUIRE(profiling.saved.size() == 1);
    emulation::reset();
    Profiling resumed{.ranks = ranks};
    resumed.profile = parse_profile(profiling.saved.back(), "profile.json");
    resumed.run(self);
    CHECK(resumed.saved.size() == whole.saved.size() - 1);
    CHECK(kernels_in(resumed.profile) == kernels_in(whole.profile));
  }
}

}  // namespace cnnplan::test
