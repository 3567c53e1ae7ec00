// Tests whether a device still answers: it does where it finishes new work after all earlier work.
#include "executor/backend/cudnn/first_run.hpp"

namespace cnnplan::cudnn {
namespace {

bool answers(Device& device) {
  try {
    device.synchronize();
    device.make_event()->record();
    device.synchronize();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string first_run_of(const std::string& engine, const KernelSpec& spec) {
  return "first run of " + (engine.empty() ? "" : engine + " for ") + to_text(spec);
}

void require_answer(Device& device, const std::string& what, const Error& error) {
  const auto* const lost = dynamic_cast<const DeviceLostError*>(&error);
  if (lost != nullptr && !lost->culprit().empty()) throw DeviceLostError(*lost);
  if (lost == nullptr && answers(device)) return;
  throw DeviceLostError(std::string(error.what()) + ", in the " + what +
                            "; this process cannot use the device any more",
                        what);
}

}  // namespace cnnplan::cudnn
