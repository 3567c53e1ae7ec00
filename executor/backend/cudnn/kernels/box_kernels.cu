// Runs one thread for each word of a run: the widest one that all runs are aligned to. Where zeros
// follow runs, a thread writes a run with its zeros.
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "executor/backend/cudnn/kernels/box_kernels.hpp"
#include "executor/backend/cudnn/kernels/launch.hpp"
#include "executor/backend/cudnn/kernels/positions.hpp"
#include "executor/backend/cudnn/kernels/vectors.hpp"

namespace cnnplan::cudnn {
namespace {

// Says where word `index` of a copy lies, in words.
struct Runs {
  Divider run;
  Divider counts[3];  // of the inner loops, from the innermost
  std::int64_t to[4];
  std::int64_t from[4];

  Runs(const BoxCopy& copy, std::int64_t elements_per_word)
      : run(copy.run_elements / elements_per_word),
        counts{Divider(copy.counts[3]), Divider(copy.counts[2]), Divider(copy.counts[1])} {
    for (int i = 0; i < 4; ++i) {
      to[i] = copy.destination_strides[3 - i] / elements_per_word;
      from[i] = copy.source_strides[3 - i] / elements_per_word;
    }
  }

  struct Offsets {
    std::int64_t to = 0;
    std::int64_t from = 0;
  };
  CNNPLAN_HOST_DEVICE Offsets at(std::uint32_t index) const {
    Quotient rest = divide(index, run);
    Offsets offsets{rest.remainder, rest.remainder};
    for (int i = 0; i < 3; ++i) {
      rest = divide(rest.quotient, counts[i]);
      offsets.to += rest.remainder * to[i];
      offsets.from += rest.remainder * from[i];
    }
    offsets.to += rest.quotient * to[3];
    offsets.from += rest.quotient * from[3];
    return offsets;
  }
};

template <typename Word>
struct CopyWords {
  Word* destination;
  const Word* source;
  Runs runs;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const Runs::Offsets offsets = runs.at(index);
    destination[offsets.to] = source[offsets.from];
  }
};

// Copies a run that is shorter than a word, and fills the rest of the word with zeros.
struct FillWords {
  static constexpr int width = 8;
  std::uint16_t* destination;
  const std::uint16_t* source;
  int run_elements;
  Runs runs;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const Runs::Offsets offsets = runs.at(index);
    Vector<std::uint16_t, width> word{};
    for (int i = 0; i < width; ++i) {
      if (i < run_elements) word.values[i] = fetch<1>(source + offsets.from + i).values[0];
    }
    put<width>(destination + offsets.to, word);
  }
};

template <typename T, int width>
struct AddWords {
  T* destination;
  const T* source;
  Runs runs;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const Runs::Offsets offsets = runs.at(index);
    T* const to = destination + offsets.to * width;
    auto sum = load<width>(to);
    const auto added = load<width>(source + offsets.from * width);
    for (int i = 0; i < width; ++i) sum.values[i] += added.values[i];
    store<width>(to, sum);
  }
};

std::int64_t element_count(const BoxCopy& copy) {
  std::int64_t count = copy.run_elements;
  for (std::int64_t places : copy.counts) count *= places;
  return count;
}

bool is_aligned(const BoxCopy& copy, std::int64_t word_bytes) {
  const std::int64_t element_bytes = bytes_of(copy.element);
  const auto address = [](const void* memory) -> std::int64_t {
    return reinterpret_cast<std::uintptr_t>(memory);
  };
  std::int64_t bits =
      address(copy.destination) | address(copy.source) | copy.run_elements * element_bytes;
  for (std::size_t dim = 0; dim < copy.counts.size(); ++dim) {
    if (copy.counts[dim] < 2) continue;
    bits |= (copy.destination_strides[dim] | copy.source_strides[dim]) * element_bytes;
  }
  return bits % word_bytes == 0;
}

template <typename Word>
void copy_words(const BoxCopy& copy, cudaStream_t stream) {
  constexpr std::int64_t word_bytes = sizeof(Word);
  const std::int64_t per_word = word_bytes / bytes_of(copy.element);
  launch(
      stream,
      element_count(copy) / per_word,
      CopyWords<Word>{copy.destination_as<Word>(), copy.source_as<Word>(), Runs(copy, per_word)});
}

// True where every run and its zeros are one word of the destination.
bool fills_words(const BoxCopy& copy) {
  const std::int64_t run = copy.run_elements + copy.zeros;
  const BoxCopy words{.destination = copy.destination,
                      .source = copy.destination,
                      .element = copy.element,
                      .run_elements = run,
                      .counts = copy.counts,
                      .destination_strides = copy.destination_strides,
                      .source_strides = copy.destination_strides};
  return run == FillWords::width && bytes_of(copy.element) == sizeof(std::uint16_t) &&
         is_aligned(words, FillWords::width * sizeof(std::uint16_t));
}

// Every thread copies a whole run, so the offsets are those of runs of one element.
void fill_words(const BoxCopy& copy, cudaStream_t stream) {
  if (!fills_words(copy)) throw std::logic_error("zeros after runs do not fill words of 16 bytes");
  BoxCopy places = copy;
  places.run_elements = 1;
  launch(stream,
         element_count(places),
         FillWords{copy.destination_as<std::uint16_t>(),
                   copy.source_as<std::uint16_t>(),
                   static_cast<int>(copy.run_elements),
                   Runs(places, 1)});
}

template <typename T, int widest = full_width<T>>
void add_words(const BoxCopy& copy, cudaStream_t stream) {
  if constexpr (widest > 1) {
    if (!is_aligned(copy, widest * bytes_of(copy.element))) {
      return add_words<T, widest / 2>(copy, stream);
    }
  }
  launch(stream,
         element_count(copy) / widest,
         AddWords<T, widest>{copy.destination_as<T>(), copy.source_as<T>(), Runs(copy, widest)});
}

}  // namespace

void copy_runs(const BoxCopy& copy, cudaStream_t stream) {
  if (copy.destination == copy.source || element_count(copy) == 0) return;
  if (copy.zeros > 0) return fill_words(copy, stream);
  const std::int64_t element_bytes = bytes_of(copy.element);
  if (is_aligned(copy, 16)) {
    copy_words<Vector<std::uint64_t, 2>>(copy, stream);
  } else if (is_aligned(copy, 8)) {
    copy_words<std::uint64_t>(copy, stream);
  } else if (element_bytes == 4 || is_aligned(copy, 4)) {
    copy_words<std::uint32_t>(copy, stream);
  } else {
    copy_words<std::uint16_t>(copy, stream);
  }
}

void add_runs(const BoxCopy& copy, cudaStream_t stream) {
  if (element_count(copy) == 0) return;
  with_type_of(copy.element, [&]<typename T>(T) { add_words<T>(copy, stream); });
}

}  // namespace cnnplan::cudnn
