// Writes actions as text.
#include "planner/simulate/trace.hpp"

#include <cstdio>
#include <limits>

namespace cnnplan {
namespace {

// SMPI gives these numbers to the types of elements in a trace.
constexpr int type_double = 0;
constexpr int type_byte = 6;

// Returns "count type". Counts have 32 bits, so longer messages are counted in elements of 8 bytes.
std::string size_text(std::int64_t bytes) {
  const bool fits = bytes <= std::numeric_limits<int>::max();
  const std::int64_t count = fits ? bytes : (bytes + 7) / 8;
  return std::to_string(count) + ' ' + std::to_string(fits ? type_byte : type_double);
}

std::string message_text(const TraceMessage& message) {
  return std::to_string(message.process) + ' ' + std::to_string(message.tag) + ' ' +
         size_text(message.bytes);
}

std::string flops_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", seconds * host_flops_per_s);
  return text;
}

}  // namespace

Trace::Trace(int process) : process_(process) {
  add("init");
}

void Trace::add(const std::string& action) {
  flush_work();
  text_ += std::to_string(process_) + ' ' + action + '\n';
}

void Trace::flush_work() {
  if (pending_s_ <= 0.0) return;
  const std::string flops = flops_text(pending_s_);
  pending_s_ = 0.0;
  add("compute " + flops);
}

void Trace::isend(const TraceMessage& message) {
  receivers_.insert(message.process);
  ++messages_;
  add("isend " + message_text(message));
}

void Trace::irecv(const TraceMessage& message) {
  add("irecv " + message_text(message));
}

void Trace::signal(int process, int tag) {
  receivers_.insert(process);
  add("send " + message_text({.process = process, .tag = tag}));
}

void Trace::await(int process, int tag) {
  add("recv " + message_text({.process = process, .tag = tag}));
}

std::string Trace::text() const {
  Trace whole = *this;
  whole.add("finalize");
  return whole.text_;
}

}  // namespace cnnplan
