// Says which instructions the loops of this folder use: those that oneDNN uses, too. So a run that
// DNNL_MAX_CPU_ISA caps computes what a smaller machine would compute.
#pragma once

namespace cnnplan::onednn {

// Names sets of instructions, each of which contains the ones before it.
enum class InstructionSet {
  baseline,  // what every processor of the architecture has, as on x86-64 SSE2
  avx2,      // x86-64-v3: AVX2 and FMA
  avx512,    // x86-64-v4: AVX-512 F, BW, CD, DQ and VL
};

// Returns the largest set that the processor has and that oneDNN may use. It does not change while
// the program runs.
InstructionSet instruction_set();

}  // namespace cnnplan::onednn
