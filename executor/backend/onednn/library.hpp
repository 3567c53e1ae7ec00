// Holds what every oneDNN kernel is made of: engine, checked calls, memory, and a primitive with
// reorders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <dnnl.hpp>

#include "executor/backend/backend.hpp"
#include "planner/base/error.hpp"
#include "planner/kernel/kernel_operands.hpp"

namespace cnnplan::onednn {

// Holds the objects of oneDNN that the backend's kernels are made with.
struct Library {
  dnnl::engine engine;
  dnnl::stream stream;
};

// Throws the error of a call that oneDNN refused: a DeviceMemoryError where it lacks memory, else a
// BackendError. Both name the kernel.
[[noreturn]] void throw_named(const dnnl::error& error, const std::string& kernel);

// Returns the result of `call`. A dnnl::error that it throws becomes an error of throw_named().
template <typename Call>
auto checked_call(const KernelSpec& spec, Call call) {
  try {
    return call();
  } catch (const dnnl::error& error) {
    throw_named(error, to_text(spec));
  }
}

// Returns true if oneDNN uses its kernels for AVX2, and not those for AVX-512. The fastest way to
// run a convolution then differs.
bool has_avx2_alone();

// Returns true if `implementation`, as oneDNN calls it, is one of oneDNN's plain loops, which are
// hundreds of times slower than its other code.
bool is_slow(const std::string& implementation);
// Checks the implementation that oneDNN chose for a kernel. @throws BackendError when the
// implementation is slow
void require_full_speed(const std::string& implementation, const KernelSpec& spec);

// Names an argument of a primitive by the id that oneDNN gives it, with its format.
struct Argument {
  int id = 0;
  dnnl::memory::desc format;
};

// Binds a primitive to its arguments, of which it owns no memory. execute() allocates nothing.
class Primitive {
 public:
  // @throws dnnl::error
  Primitive(const Library& library,
            const dnnl::primitive& primitive,
            const std::vector<Argument>& arguments);
  // Sets the memory of an argument. `argument` is a position in the list given to the constructor.
  void bind(std::size_t argument, void* data) { memories_.at(argument).set_data_handle(data); }
  // Sets the scratch memory of the primitive, which has scratchpad_bytes().
  void set_scratchpad(void* data) { memories_.back().set_data_handle(data); }
  // Runs the primitive, and blocks until it is done. @throws dnnl::error
  // @pre all arguments are bound, and the scratchpad where it has any bytes
  void execute();
  std::size_t scratchpad_bytes() const { return memories_.back().get_desc().get_size(); }

 private:
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;  // the arguments, then the scratchpad
  std::vector<dnnl_exec_arg_t> arguments_;
};

// Describes one operand of a kernel: the format of the caller's memory and the format that the
// primitive wants.
struct Port {
  OperandRole role = OperandRole::x;
  int id = 0;                    // of the argument, as oneDNN numbers it
  dnnl::memory::desc outside;    // the format of the caller's memory
  dnnl::memory::desc inside;     // the format that the primitive wants
  bool written = false;          // false if the kernel only reads it
  bool needs_alignment = false;  // its stores fault on unaligned memory
};

// Runs a primitive. Operands pass through the workspace where their formats differ, or where the
// primitive needs them aligned.
class PrimitiveKernel final : public Kernel {
 public:
  // @throws std::logic_error for another number of ports than operands of `spec`, or a port for a
  // role that `spec` lacks; dnnl::error where oneDNN has no reorder
  // @pre no two ports have one role
  PrimitiveKernel(const Library& library,
                  const KernelSpec& spec,
                  const dnnl::primitive& primitive,
                  std::string implementation,
                  std::vector<Port> ports);
  // @throws BackendError where a primitive fails; else as Kernel::run()
  void run(Operands operands, const StepState& state) override;
  std::int64_t workspace_bytes() const override { return workspace_bytes_; }
  std::string implementation() const override { return implementation_; }

 private:
  struct Reordered {
    std::size_t operand = 0;
    std::size_t inside_bytes = 0;
    Primitive reorder;
  };
  void add_reorder(const Library& library, std::size_t operand, const Port& port);
  std::size_t needed_bytes() const;
  void place_in(std::byte* workspace);
  void run_primitives(Operands operands);

  std::string kernel_;  // for messages
  std::string implementation_;
  Primitive primitive_;
  std::vector<bool> direct_;
  std::vector<Reordered> before_;
  std::vector<Reordered> after_;
  std::size_t workspace_bytes_;
  std::byte* placed_ = nullptr;  // where in memory the last workspace was
};

// Returns the attributes that every primitive is created with. They say that the caller gives the
// primitive its scratch memory.
dnnl::primitive_attr attributes();

}  // namespace cnnplan::onednn
