// Implements the owners of oneDNN objects.
#include "executor/backend/onednn/library.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "executor/backend/onednn/workspace.hpp"

namespace cnnplan::onednn {
namespace {

// Brings the ports into the order of the kernel's operands.
const std::vector<Port>& sort_by_operand(std::vector<Port>& ports, const KernelSpec& spec) {
  const OperandPositions positions(spec);
  if (ports.size() != positions.count()) throw std::logic_error("wrong number of ports");
  std::sort(ports.begin(), ports.end(), [&positions](const Port& a, const Port& b) {
    return positions[a.role] < positions[b.role];
  });
  return ports;
}

std::vector<Argument> inside_arguments(const std::vector<Port>& ports) {
  std::vector<Argument> arguments;
  for (const Port& port : ports) arguments.push_back({port.id, port.inside});
  return arguments;
}

dnnl::memory::desc scratchpad_format(const dnnl::primitive& primitive) {
  const_dnnl_primitive_desc_t description = nullptr;
  dnnl::error::wrap_c_api(dnnl_primitive_get_primitive_desc(primitive.get(), &description),
                          "a primitive has no description");
  const auto* format = dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
  return format ? dnnl::memory::desc(*format) : dnnl::memory::desc();
}

}  // namespace

void throw_named(const dnnl::error& error, const std::string& kernel) {
  const std::string text = std::string("onednn: ") + error.what() + ": " + kernel;
  if (error.status == dnnl_out_of_memory) throw DeviceMemoryError(text + ": memory ran out");
  throw BackendError(text);
}

bool has_avx2_alone() {
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  return isa == dnnl::cpu_isa::avx2 || isa == dnnl::cpu_isa::avx2_vnni;
}

bool is_slow(const std::string& implementation) {
  return implementation.find("ref") != std::string::npos;
}

void require_full_speed(const std::string& implementation, const KernelSpec& spec) {
  if (!is_slow(implementation)) return;
  throw BackendError("onednn: only a slow implementation (" + implementation + ") of " +
                     to_text(spec));
}

Primitive::Primitive(const Library& library,
                     const dnnl::primitive& primitive,
                     const std::vector<Argument>& arguments)
    : stream_(library.stream), primitive_(primitive) {
  for (const Argument& argument : arguments) {
    memories_.push_back({argument.format, library.engine, DNNL_MEMORY_NONE});
    arguments_.push_back({argument.id, memories_.back().get()});
  }
  memories_.push_back({scratchpad_format(primitive), library.engine, DNNL_MEMORY_NONE});
  arguments_.push_back({DNNL_ARG_SCRATCHPAD, memories_.back().get()});
}

void Primitive::execute() {
  const dnnl_status_t status = dnnl_primitive_execute(
      primitive_.get(), stream_.get(), static_cast<int>(arguments_.size()), arguments_.data());
  dnnl::error::wrap_c_api(status, "a primitive failed");
  stream_.wait();
}

PrimitiveKernel::PrimitiveKernel(const Library& library,
                                 const KernelSpec& spec,
                                 const dnnl::primitive& primitive,
                                 std::string implementation,
                                 std::vector<Port> ports)
    : kernel_(to_text(spec)),
      implementation_(std::move(implementation)),
      primitive_(library, primitive, inside_arguments(sort_by_operand(ports, spec))) {
  for (std::size_t operand = 0; operand < ports.size(); ++operand) {
    const Port& port = ports[operand];
    direct_.push_back(port.outside == port.inside && !port.needs_alignment);
    if (!direct_.back()) add_reorder(library, operand, port);
  }
  workspace_bytes_ = needed_bytes();
}

void PrimitiveKernel::add_reorder(const Library& library, std::size_t operand, const Port& port) {
  const auto& [from, to] =
      port.written ? std::pair(port.inside, port.outside) : std::pair(port.outside, port.inside);
  const dnnl::reorder::primitive_desc description(
      library.engine, from, library.engine, to, attributes());
  Reordered reordered{
      .operand = operand,
      .inside_bytes = port.inside.get_size(),
      .reorder = Primitive(
          library, dnnl::reorder(description), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}})};
  (port.written ? after_ : before_).push_back(std::move(reordered));
}

// Places the reordered operands in the order in which needed_bytes() counts. Does nothing where
// they are placed already: setting an address clears the padding of blocks, which reorders write,
// too.
void PrimitiveKernel::place_in(std::byte* workspace) {
  if (workspace == placed_) return;
  placed_ = workspace;
  const auto next = [&workspace](std::size_t bytes) {
    return std::exchange(workspace, workspace + whole_lines(bytes));
  };
  primitive_.set_scratchpad(next(primitive_.scratchpad_bytes()));
  for (auto* list : {&before_, &after_}) {
    for (Reordered& reordered : *list) {
      std::byte* const inside = next(reordered.inside_bytes);
      reordered.reorder.bind(list == &after_ ? 0 : 1, inside);
      primitive_.bind(reordered.operand, inside);
      reordered.reorder.set_scratchpad(next(reordered.reorder.scratchpad_bytes()));
    }
  }
}

void PrimitiveKernel::run(Operands operands, const StepState&) {
  if (operands.size() != direct_.size()) throw std::logic_error("wrong number of operands");
  const Workspace workspace(workspace_bytes_);
  try {
    place_in(workspace.data());
    run_primitives(operands);
  } catch (const dnnl::error& error) {
    throw_named(error, kernel_);
  }
}

void PrimitiveKernel::run_primitives(Operands operands) {
  for (Reordered& reordered : before_) {
    reordered.reorder.bind(0, operands[reordered.operand].data);
    reordered.reorder.execute();
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (direct_[i]) primitive_.bind(i, operands[i].data);
  }
  primitive_.execute();
  for (Reordered& reordered : after_) {
    reordered.reorder.bind(1, operands[reordered.operand].data);
    reordered.reorder.execute();
  }
}

std::size_t PrimitiveKernel::needed_bytes() const {
  std::size_t bytes = whole_lines(primitive_.scratchpad_bytes());
  for (const auto* list : {&before_, &after_}) {
    for (const Reordered& reordered : *list) {
      bytes +=
          whole_lines(reordered.inside_bytes) + whole_lines(reordered.reorder.scratchpad_bytes());
    }
  }
  return bytes;
}

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

}  // namespace cnnplan::onednn
