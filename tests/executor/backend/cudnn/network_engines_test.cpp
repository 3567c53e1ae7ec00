// Tests that engines exist for the convolutions of the project's networks, split in several ways.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <variant>

#include <doctest/doctest.h>

#include "planner/schedule/schedule.hpp"
#include "tests/executor/backend/cudnn/described_gpu.hpp"
#include "tests/executor/backend/cudnn/found_engines.hpp"

namespace cnnplan::test {
namespace {

constexpr std::array phases{
    KernelPhase::forward, KernelPhase::backward_data, KernelPhase::backward_filter};

void add_convolutions(const Plan& plan, std::set<KernelSpec>& kernels) {
  for (int rank = 0; rank < plan.ranks; ++rank) {
    for (const Operation& operation : lower(plan, rank).operations) {
      const auto* kernel = std::get_if<KernelOperation>(&operation.body);
      if (kernel == nullptr || kernel->spec.kind != KernelKind::convolution) continue;
      if (volume(kernel->spec.in) > 0) kernels.insert(canonical(kernel->spec));
    }
  }
}

// Holds the canonical kernels, each once.
std::set<KernelSpec> config_convolutions() {
  struct Row {
    const char* network;
    std::vector<std::int64_t> batches;
  };
  std::set<KernelSpec> kernels;
  for (const Row& row : std::vector<Row>{{"lenet", {32}},
                                         {"alexnet", {32}},
                                         {"vgg16", {32}},
                                         {"resnet50", {32}},
                                         {"mesh-1k", {1, 4}},
                                         {"mesh-2k", {1, 4}}}) {
    const Network network = read_network("configs/networks/" + std::string(row.network) + ".json");
    for (const char* mesh : {"1", "n2", "h2", "w2", "n4", "h4", "w4", "n2h2"}) {
      for (std::int64_t batch : row.batches) {
        const Plan plan = uniform_plan(network, batch, parse_mesh(mesh));
        if (plan.layers.front().mesh.size(Axis::n) <= batch) add_convolutions(plan, kernels);
      }
    }
  }
  return kernels;
}

// Returns at most `count` kernels of each phase, half of them with padding on one side.
std::vector<KernelSpec> sample(std::size_t count) {
  static const std::set<KernelSpec> all = config_convolutions();
  std::vector<KernelSpec> shuffled(all.begin(), all.end());
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(11));
  std::vector<KernelSpec> taken;
  for (KernelPhase phase : phases) {
    for (bool one_sided : {false, true}) {
      std::size_t left = count / 2;
      for (const KernelSpec& spec : shuffled) {
        const bool fits =
            spec.phase == phase && (cudnn::mirror_images(spec).size() > 1) == one_sided;
        if (left == 0 || !fits) continue;
        taken.push_back(spec);
        --left;
      }
    }
  }
  return taken;
}

bool computes_mirror_images(const cudnn::EngineTarget& target,
                            const KernelSpec& spec,
                            const FoundEngine& found) {
  const std::vector<KernelSpec> images = cudnn::mirror_images(spec);
  return std::all_of(images.begin(), images.end(), [&](const KernelSpec& image) {
    return planned_workspace_bytes(target, image, found.variant, found.engine) >= 0;
  });
}

void check_kernels(const std::string& gpu,
                   const std::vector<Precision>& precisions,
                   std::size_t count) {
  const cudnn::EngineTarget target(gpu);
  for (KernelSpec spec : sample(count)) {
    for (Precision precision : precisions) {
      spec.precision = precision;
      INFO(to_text(spec));
      const std::vector<FoundEngine> found = find_engines(target, spec, false);
      CHECK_FALSE(found.empty());
      CHECK(std::any_of(found.begin(), found.end(), [&](const FoundEngine& engine) {
        return computes_mirror_images(target, spec, engine);
      }));
      CHECK_FALSE(find_engines(target, spec, true).empty());
    }
  }
}

}  // namespace

TEST_CASE("Engines: the networks run on an H100 in every precision, mirrored blocks alike") {
  check_kernels(h100, {Precision::fp32, Precision::tf32, Precision::bf16, Precision::fp16}, 24);
}

TEST_CASE("Engines: and on an A100") {
  check_kernels(a100, {Precision::fp32, Precision::tf32, Precision::bf16, Precision::fp16}, 6);
}

TEST_CASE("Engines: and on a T4, whose tensor cores know fp16 alone") {
  check_kernels(t4, {Precision::fp32, Precision::fp16}, 6);
}

}  // namespace cnnplan::test
