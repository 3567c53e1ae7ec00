// Writes the texts that name processors, and reads from texts of devices whether they are GPUs.
#pragma once

#include <string>
#include <string_view>

namespace cnnplan {

// This is the name of the backend that runs kernels on GPUs.
inline constexpr std::string_view gpu_backend = "cudnn";

// True for the text of a fingerprint of a GPU, as to_text(DeviceFingerprint) writes it.
bool names_gpu(std::string_view fingerprint_text);

// Returns the words that name a processor with this number of threads, as fingerprints and
// platforms have them: "AMD EPYC, 2 threads".
std::string device_text(std::string_view processor, int threads);
// Returns the number of threads of such a text, or of a fingerprint that begins with it. It is 1
// for other devices, and never more than 4096.
int threads_in(std::string_view device);

}  // namespace cnnplan
