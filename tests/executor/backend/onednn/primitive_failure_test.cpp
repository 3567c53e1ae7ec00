// Tests that a primitive which fails while it runs is reported with its kernel and the exit code.
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/onednn/formats.hpp"
#include "executor/backend/onednn/library.hpp"
#include "planner/base/error.hpp"

namespace cnnplan::onednn {
namespace {

KernelSpec average_pooling() {
  KernelSpec spec;
  spec.kind = KernelKind::pooling;
  spec.pooling = PoolingMode::average;
  spec.in = spec.out = {.extents = {1, 8, 1, 4, 4}};
  return spec;
}

// Makes a kernel whose output has the name `output`. oneDNN looks at names when the primitive runs.
PrimitiveKernel kernel_with(const KernelSpec& spec, int output) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const Library library{.engine = engine, .stream = dnnl::stream(engine)};
  const dnnl::memory::desc format = activation_format(spec, spec.in);
  const dnnl::pooling_v2_forward::desc description(dnnl::prop_kind::forward_inference,
                                                   dnnl::algorithm::pooling_avg_exclude_padding,
                                                   format,
                                                   format,
                                                   {1, 1},
                                                   {1, 1},
                                                   {0, 0},
                                                   {0, 0},
                                                   {0, 0});
  const dnnl::pooling_v2_forward::primitive_desc chosen(description, attributes(), engine);
  return {library,
          spec,
          dnnl::pooling_v2_forward(chosen),
          chosen.impl_info_str(),
          {{.role = OperandRole::x, .id = DNNL_ARG_SRC, .outside = format, .inside = format},
           {.role = OperandRole::y,
            .id = output,
            .outside = format,
            .inside = format,
            .written = true}}};
}

}  // namespace

TEST_CASE("onednn: a primitive that fails names its kernel, and is no internal error") {
  const KernelSpec spec = average_pooling();
  std::vector<float> x(volume(spec.in), 1.0F);
  std::vector<float> y(volume(spec.out));
  const std::array<TensorView, 2> operands{TensorView{.data = x.data()},
                                           TensorView{.data = y.data()}};
  kernel_with(spec, DNNL_ARG_DST).run(operands, {});
  CHECK(y == x);
  try {
    kernel_with(spec, DNNL_ARG_SRC_1).run(operands, {});
    FAIL("the primitive ran");
  } catch (const BackendError& error) {
    CHECK(error.exit_code() == ExitCode::environment);
    CHECK(std::string(error.what()) == "onednn: a primitive failed: " + to_text(spec));
  }
}

TEST_CASE("onednn: a call that lacks memory ends as memory that ran out") {
  CHECK_THROWS_AS(throw_named({dnnl_out_of_memory, "no reorder"}, "kernel"), DeviceMemoryError);
  CHECK_THROWS_WITH(throw_named({dnnl_out_of_memory, "no reorder"}, "kernel"),
                    "onednn: no reorder: kernel: memory ran out");
  CHECK_THROWS_WITH(throw_named({dnnl_unimplemented, "no reorder"}, "kernel"),
                    "onednn: no reorder: kernel");
}

}  // namespace cnnplan::onednn
