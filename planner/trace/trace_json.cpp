// Writes events one to a line, and compresses them on the way.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "planner/base/error.hpp"
#include "planner/trace/gzip.hpp"
#include "planner/trace/trace_file.hpp"

namespace cnnplan {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string microseconds(std::int64_t nanoseconds) {
  constexpr std::int64_t per_microsecond = 1000;
  std::string decimals = std::to_string(per_microsecond + nanoseconds % per_microsecond);
  decimals[0] = '.';
  return std::to_string(nanoseconds / per_microsecond) + decimals;
}

// Collects text, and refuses more than a number of bytes.
class Sink {
 public:
  Sink(bool compressed, std::int64_t most_bytes) : most_bytes_(most_bytes) {
    if (compressed) gzip_.emplace();
  }

  void add(const std::string& text) {
    constexpr std::size_t piece_bytes = 1 << 20;
    pending_ += text;
    if (pending_.size() >= piece_bytes) pass_on();
  }

  std::string end() {
    pass_on();
    if (gzip_) gzip_->end(output_);
    check();
    return std::move(output_);
  }

 private:
  void pass_on() {
    gzip_ ? gzip_->add(pending_, output_) : void(output_ += pending_);
    pending_.clear();
    check();
  }

  void check() const {
    if (std::ssize(output_) <= most_bytes_) return;
    throw InfeasibleError(
        "bytes of the trace, which fewer ranks (--ranks 0:8) or fewer traced steps make smaller",
        std::ssize(output_),
        most_bytes_);
  }

  std::int64_t most_bytes_;
  std::optional<Gzip> gzip_;
  std::string pending_;
  std::string output_;
};

std::string thread_text(int process, int thread) {
  return ",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(thread);
}

std::string metadata(const char* what, const std::string& place, const std::string& value) {
  return std::string("{\"ph\":\"M\",\"name\":\"") + what + "\"" + place + ",\"args\":{" + value +
         "}}";
}

// Returns the events that name a process and its threads. Perfetto finds the thread of a name by
// its number alone, and takes the process that had a thread of this number last. So the names of
// one process follow each other.
std::vector<std::string> names_of(const EventTrace& trace, int process, const std::string& name) {
  const std::string place = ",\"pid\":" + std::to_string(process);
  std::vector<std::string> texts{
      metadata("process_name", place, "\"name\":" + quoted(name)),
      metadata("process_sort_index", place, "\"sort_index\":" + std::to_string(process))};
  for (const auto& [thread, thread_name] : trace.threads()) {
    if (thread.process != process) continue;
    const std::string where = thread_text(process, thread.thread);
    const std::string order = "\"sort_index\":" + std::to_string(thread.thread);
    texts.push_back(metadata("thread_name", where, "\"name\":" + quoted(thread_name)));
    texts.push_back(metadata("thread_sort_index", where, order));
  }
  return texts;
}

// Returns the end of a slice's object: what is the same for all slices of one name.
std::string constant_text(const SliceName& name) {
  return ",\"name\":" + quoted(name.name) + ",\"cat\":" + quoted(name.category);
}

std::string arguments(const SliceName& name, std::int64_t sent_bytes) {
  std::string text;
  if (!name.layer.empty()) text += "\"layer\":" + quoted(name.layer);
  if (sent_bytes > 0) {
    text += (text.empty() ? "" : ",");
    text += "\"sent bytes\":" + std::to_string(sent_bytes);
  }
  return text.empty() ? "" : ",\"args\":{" + text + "}";
}

std::string event_text(const EventTrace& trace, const TraceEvent& event) {
  const std::string place =
      thread_text(event.process, event.thread) + ",\"ts\":" + microseconds(event.time_ns);
  const std::string flow =
      ",\"name\":\"message\",\"cat\":\"message\",\"id\":" + std::to_string(event.value) + "}";
  switch (event.kind) {
    case EventKind::flow_begin:
      return "{\"ph\":\"s\"" + place + flow;
    case EventKind::flow_end:
      return "{\"ph\":\"f\",\"bp\":\"e\"" + place + flow;
    case EventKind::counter:
      return "{\"ph\":\"C\"" + place +
             ",\"name\":\"memory\",\"args\":{\"bytes\":" + std::to_string(event.value) + "}}";
    case EventKind::slice:
      break;
  }
  const SliceName& name = trace.name(event.name);
  return "{\"ph\":\"X\"" + place + ",\"dur\":" + microseconds(event.duration_ns) +
         constant_text(name) + arguments(name, event.value) + "}";
}

}  // namespace

std::string trace_text(const EventTrace& trace, bool compressed, std::int64_t most_bytes) {
  Sink sink(compressed, most_bytes);
  sink.add("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"generator\":\"cnnplan " CNNPLAN_VERSION
           "\"},\"traceEvents\":[\n");
  std::string before;
  const auto add = [&](const std::string& text) {
    sink.add(before + text);
    before = ",\n";
  };
  for (const auto& [process, name] : trace.processes()) {
    for (const std::string& text : names_of(trace, process, name)) add(text);
  }
  for (const TraceEvent& event : trace.sorted_events()) add(event_text(trace, event));
  sink.add("\n]}\n");
  return sink.end();
}

}  // namespace cnnplan
