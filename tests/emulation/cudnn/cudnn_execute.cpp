// Runs a plan of cuDNN as work of the handle's stream.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/emulation/cudnn/cudnn_convolution.hpp"
#include "tests/emulation/cudnn/cudnn_descriptor.hpp"
#include "tests/emulation/cudnn/cudnn_engines.hpp"
#include "tests/emulation/machine.hpp"
#include "tests/emulation/submit.hpp"

using namespace cnnplan::emulation;

namespace {

using Values = std::map<std::int64_t, Dense>;  // of tensors, by id

// Says where the tensors of a graph that are not virtual lie.
std::map<std::int64_t, Tensor> real_tensors(const Graph& graph) {
  std::map<std::int64_t, Tensor> found;
  for (const Operation& operation : graph.operations) {
    for (const Tensor* tensor : operation.inputs()) found.emplace(tensor->uid, *tensor);
    for (const Tensor* tensor : operation.outputs()) found.emplace(tensor->uid, *tensor);
  }
  std::erase_if(found, [](const auto& entry) { return entry.second.is_virtual; });
  return found;
}

// Returns the tensors that a graph writes to memory.
std::vector<const Tensor*> written_tensors(const Graph& graph) {
  std::vector<const Tensor*> found;
  for (const Operation& operation : graph.operations) {
    for (const Tensor* tensor : operation.outputs()) {
      if (!tensor->is_virtual) found.push_back(tensor);
    }
  }
  return found;
}

bool overlap(const void* a, std::int64_t a_bytes, const void* b, std::int64_t b_bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  return first < second + static_cast<std::uintptr_t>(b_bytes) &&
         second < first + static_cast<std::uintptr_t>(a_bytes);
}

void check_tensor(const Tensor& tensor, const VariantPack& pack) {
  const std::string name = "tensor " + std::to_string(tensor.uid);
  const auto found = pack.pointers.find(tensor.uid);
  require(found != pack.pointers.end(), name + " is not in the variant pack");
  const void* pointer = found->second;
  require(pointer != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, name + " is null");
  const auto alignment = static_cast<std::uintptr_t>(tensor.alignment);
  require(reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0,
          CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER,
          name + " is not aligned as its descriptor says");
  require(machine().memory.holds(pointer, static_cast<std::size_t>(extent_bytes(tensor))),
          CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND,
          name + " does not lie in an allocation of device memory");
}

void check_pack(const Plan& plan, const VariantPack& pack) {
  const Graph& graph = *plan.config.engine.graph;
  const auto tensors = real_tensors(graph);
  const std::vector<const Tensor*> results = written_tensors(graph);
  for (const auto& [uid, tensor] : tensors) check_tensor(tensor, pack);
  for (const auto& [uid, tensor] : tensors) {
    for (const Tensor* result : results) {
      require(uid == result->uid || !overlap(pack.pointers.at(uid),
                                             extent_bytes(tensor),
                                             pack.pointers.at(result->uid),
                                             extent_bytes(*result)),
              "a result overlaps tensor " + std::to_string(uid));
    }
    require(
        plan.workspace_bytes == 0 ||
            !overlap(
                pack.workspace, plan.workspace_bytes, pack.pointers.at(uid), extent_bytes(tensor)),
        "the workspace overlaps tensor " + std::to_string(uid));
  }
  if (plan.workspace_bytes == 0) return;
  require(machine().memory.holds(pack.workspace, static_cast<std::size_t>(plan.workspace_bytes)),
          CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND,
          "the workspace does not lie in an allocation of device memory, or is too small");
}

double apply(const Pointwise& pointwise, double value) {
  if (pointwise.mode != CUDNN_POINTWISE_RELU_FWD) return value;
  if (std::isnan(value)) return pointwise.propagates_nan ? value : pointwise.lower;
  if (value < pointwise.lower) return pointwise.lower + pointwise.slope * (value - pointwise.lower);
  return std::min(value, pointwise.upper);
}

Dense run_pointwise(const Operation& operation, const Dense& x, const Dense& b) {
  Dense result;
  result.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = operation.alpha * x[i];
    if (operation.has_w) {
      std::size_t rest = i;
      std::size_t offset = 0;
      std::size_t step = 1;
      for (std::size_t dim = operation.x.dims.size(); dim-- > 0;) {
        const auto extent = static_cast<std::size_t>(operation.x.dims[dim]);
        const auto own = static_cast<std::size_t>(operation.w.dims[dim]);
        if (own > 1) offset += rest % extent * step;
        step *= own;
        rest /= extent;
      }
      sum += operation.beta * b[offset];
    }
    result.push_back(apply(operation.pointwise, sum));
  }
  return result;
}

Dense run_convolution(const Operation& operation, Values& values, std::int64_t engine) {
  const auto input = [&](const Tensor& tensor) {
    if (&tensor == &operation.output()) return Dense{};
    Dense loaded = values.at(tensor.uid);
    if (engine == tensor_core) round_to_tf32(tensor, loaded);
    return loaded;
  };
  Dense result = convolve(operation, input(operation.x), input(operation.w), input(operation.y));
  for (double& value : result) value *= operation.alpha;
  return result;
}

// Returns the sums of all values of each channel of x, of their first power or of their second.
Dense run_statistics(const Operation& operation, const Dense& x, int power) {
  const auto channels = static_cast<std::size_t>(operation.x.dims[1]);
  const std::size_t samples = static_cast<std::size_t>(operation.x.dims[0]);
  const std::size_t positions = x.size() / (samples * channels);
  Dense sums(channels, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    sums[i / positions % channels] += power == 1 ? x[i] : x[i] * x[i];
  }
  return sums;
}

// Returns the results of an operation, in the order of its outputs.
std::vector<Dense> results_of(const Operation& operation, Values& values, std::int64_t engine) {
  if (operation.is_convolution()) return {run_convolution(operation, values, engine)};
  const Dense& x = values.at(operation.x.uid);
  if (operation.kind == OperationKind::statistics) {
    return {run_statistics(operation, x, 1), run_statistics(operation, x, 2)};
  }
  return {run_pointwise(operation, x, operation.has_w ? values.at(operation.w.uid) : Dense{})};
}

// Rounds differently in every run, by about the last bit of a float.
void disturb(Dense& values) {
  static std::uint64_t runs = 0;
  const double factor = 1.0 + (++runs % 2 == 0 ? 1e-7 : -1e-7);
  for (double& value : values) value *= factor;
}

// Keeps a result for the operations that follow, and stores it unless it is virtual.
void put(const Operation& operation,
         const Tensor& output,
         Dense result,
         std::int64_t engine,
         const VariantPack& pack,
         Values& values) {
  if (engine == nondeterministic) disturb(result);
  if (operation.is_convolution() && operation.beta != 0.0) {
    const Dense old = load(output, pack.pointers.at(output.uid));
    for (std::size_t i = 0; i < old.size(); ++i) result[i] += operation.beta * old[i];
  }
  if (!output.is_virtual) store(output, result, pack.pointers.at(output.uid));
  values[output.uid] = std::move(result);
}

void run(const Plan& plan, const VariantPack& pack) {
  ++machine().counters.kernels;
  if (plan.workspace_bytes > 0) {
    std::memset(pack.workspace, 0xff, static_cast<std::size_t>(plan.workspace_bytes));
  }
  const std::int64_t engine = plan.config.engine.index;
  Values values;
  for (const Operation& operation : plan.config.engine.graph->operations) {
    for (const Tensor* tensor : operation.inputs()) {
      if (!tensor->is_virtual) values[tensor->uid] = load(*tensor, pack.pointers.at(tensor->uid));
    }
    std::vector<Dense> results = results_of(operation, values, engine);
    for (std::size_t i = 0; i < results.size(); ++i) {
      put(operation, *operation.outputs()[i], std::move(results[i]), engine, pack, values);
    }
  }
}

// Like run, unless a test asked for this run of an engine to fail.
void run_unless_failed(const Plan& plan, const VariantPack& pack) {
  Machine& all = machine();
  if (const int error = all.injections.next("engine"); error != 0) {
    all.sticky = static_cast<cudaError_t>(error);
    return;
  }
  run(plan, pack);
}

}  // namespace

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle,
                                  cudnnBackendDescriptor_t plan_handle,
                                  cudnnBackendDescriptor_t pack_handle) {
  return cudnn_call(__func__, [&] {
    const cudnnContext& context = context_of(handle);
    require(context.device == thread_state().device, "another device is current than the handle's");
    const DescriptorPtr plan = descriptor_of(plan_handle);
    const DescriptorPtr pack = descriptor_of(pack_handle);
    require(plan->finalized && pack->finalized,
            CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
            "plan and variant pack have to be finalized");
    require(std::holds_alternative<Plan>(plan->content) &&
                std::holds_alternative<VariantPack>(pack->content),
            CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE,
            "not a plan and a variant pack");
    const Plan what = std::get<Plan>(plan->content);
    const VariantPack where = std::get<VariantPack>(pack->content);
    check_pack(what, where);
    const cudaError_t error =
        submit(context.stream, [what, where] { run_unless_failed(what, where); });
    require(error == cudaSuccess,
            CUDNN_STATUS_EXECUTION_FAILED_CUDART,
            std::string("cannot enqueue: ") + cudaGetErrorName(error));
  });
}
