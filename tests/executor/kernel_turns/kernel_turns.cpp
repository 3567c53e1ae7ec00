// Times oneDNN's convolutions and convolutions over packed panels in turns, for scripts/bench.
//
//   usage: kernel_turns PLAN [ROUNDS]
//
// The program takes the kernels of the first rank that both can run. It prints a line of values for
// each, separated by tabs: phase, kind ("window", "strided window", "pointwise"), number of such
// kernels on the rank, median seconds of oneDNN, median seconds of panels, median of their ratios,
// and the kernel.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "executor/backend/memory_block.hpp"
#include "executor/backend/onednn/convolution/convolution.hpp"
#include "planner/plan/plan.hpp"
#include "planner/run/statistics.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan::onednn {
namespace {

std::string kind_of(const KernelSpec& spec) {
  if (spec.window == Window{}) return "pointwise";
  const auto& dims = spec.window.dims;
  const bool is_strided =
      std::any_of(dims.begin(), dims.end(), [](const WindowDim& dim) { return dim.stride > 1; });
  return is_strided ? "strided window" : "window";
}

// Returns the specification that is timed. It leaves out the bias, which costs both alike. A
// pointwise kernel gets all positions in one dim, as the backend runs it after it has gathered the
// inputs.
KernelSpec as_timed(KernelSpec spec) {
  spec.bias = spec.relu = false;
  const auto& dims = spec.window.dims;
  if (std::any_of(dims.begin(), dims.end(), [](const WindowDim& dim) { return dim.kernel > 1; })) {
    return spec;
  }
  const std::int64_t positions = volume(spec.out) / spec.out[Dim::c];
  spec.in = {{1, spec.in[Dim::c], 1, 1, positions}};
  spec.out = {{1, spec.out[Dim::c], 1, 1, positions}};
  spec.window = Window{};
  return spec;
}

std::map<KernelSpec, int> kernels_of(const std::string& plan_file) {
  std::map<KernelSpec, int> kernels;
  for (const Operation& operation : lower(read_plan(plan_file), 0).operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (!kernel || kernel->spec.kind != KernelKind::convolution) continue;
    if (kernel->spec.algorithm != KernelAlgorithm::direct) continue;
    if (volume(kernel->spec.in) * volume(kernel->spec.out) == 0) continue;
    const KernelSpec spec = as_timed(kernel->spec);
    if (has_packed_kernel(spec)) ++kernels[spec];
  }
  return kernels;
}

// Fills memory with values that are neither zero nor denormal.
MemoryBlock filled(std::int64_t floats) {
  MemoryBlock block(floats * static_cast<std::int64_t>(sizeof(float)));
  auto* const values = reinterpret_cast<float*>(block.data());
  for (std::int64_t i = 0; i < floats; ++i) values[i] = static_cast<float>(i % 7 + 1) / 8.0F;
  return block;
}

class Timed {
 public:
  explicit Timed(const KernelSpec& spec)
      : x_(filled(volume(spec.in))),
        weight_(filled(weight_volume(spec))),
        y_(filled(volume(spec.out))) {
    const auto view = [](MemoryBlock& block) { return TensorView{.data = block.data()}; };
    if (spec.phase == KernelPhase::forward) operands_ = {view(x_), view(weight_), view(y_)};
    if (spec.phase == KernelPhase::backward_data) operands_ = {view(y_), view(weight_), view(x_)};
    if (spec.phase == KernelPhase::backward_filter) operands_ = {view(x_), view(y_), view(weight_)};
  }
  double seconds(Kernel& kernel) const {
    const auto begin = std::chrono::steady_clock::now();
    kernel.run(operands_, {});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  MemoryBlock x_, weight_, y_;
  std::vector<TensorView> operands_;
};

void print(const Library& library, const KernelSpec& spec, int count, int rounds) {
  const auto theirs = make_convolution_primitive(library, spec);
  const auto ours = make_packed_kernel(spec);
  const Timed timed(spec);
  timed.seconds(*theirs);
  timed.seconds(*ours);
  std::vector<double> library_s, packed_s, ratios;
  for (int round = 0; round < rounds; ++round) {
    library_s.push_back(timed.seconds(*theirs));
    packed_s.push_back(timed.seconds(*ours));
    ratios.push_back(packed_s.back() / library_s.back());
  }
  std::cout << to_text(spec.phase) << '\t' << kind_of(spec) << '\t' << count << '\t'
            << median(library_s) << '\t' << median(packed_s) << '\t' << median(ratios) << '\t'
            << to_text(spec) << std::endl;
}

void print_all(const std::string& plan_file, int rounds) {
  make_backend("onednn")->prepare_thread();
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const Library library{.engine = engine, .stream = dnnl::stream(engine)};
  for (const auto& [spec, count] : kernels_of(plan_file)) print(library, spec, count, rounds);
}

}  // namespace
}  // namespace cnnplan::onednn

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "kernel_turns PLAN [ROUNDS]\n";
    return 2;
  }
  try {
    cnnplan::onednn::print_all(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 9);
  } catch (const std::exception& error) {
    std::cerr << "kernel_turns: " << error.what() << '\n';
    return 1;
  }
}
