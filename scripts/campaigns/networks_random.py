"""Computes the random order of samples and the masks of dropouts, as a training with a given seed draws them."""

import numpy

DROPOUT, ORDER = 2, 5  # uses of random numbers
GOLDEN = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def mixed(bits):
    """Computes what SplitMix64 makes of its state (Steele, Lea, Flood 2014), for numbers and arrays of uint64."""
    if isinstance(bits, int):
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
        return bits ^ (bits >> 31)
    bits = (bits ^ (bits >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> numpy.uint64(31))


def key_of(seed, use, stream, step):
    key = mixed((seed + GOLDEN) & MASK)
    for number in (use, stream + 1, step + 1):
        key = mixed((key + GOLDEN * number) & MASK)
    return key


def drawn(keys, index):
    """Returns number `index` of the sequences with these keys."""
    if isinstance(keys, int):
        return mixed((keys + GOLDEN * (index + 1)) & MASK)
    return mixed(keys + numpy.uint64(GOLDEN) * (index + numpy.uint64(1)))


def dropout_mask(shape, rate, seed, layer, step):
    """Returns which elements of a tensor (N, C, D, H, W) a dropout keeps in a step."""
    places = numpy.indices(shape, dtype=numpy.uint64)
    keys = numpy.full(shape, key_of(seed, DROPOUT, layer, step), dtype=numpy.uint64)
    for dim in (0, 2, 3, 4):
        keys = drawn(keys, places[dim])
    return (drawn(keys, places[1]) >> numpy.uint64(11)).astype(float) * 2.0**-53 >= rate


def sample_order(count, seed, number_of_pass):
    """Returns the order in which a pass reads `count` samples: a Feistel network of 6 rounds, walked in cycles."""
    key = key_of(seed, ORDER, 0, number_of_pass)
    half = max(1, ((count - 1).bit_length() + 1) // 2)
    mask = (1 << half) - 1
    order = []
    for index in range(count):
        value = index
        while True:
            high, low = value >> half, value & mask
            for number in range(6):
                high, low = low, high ^ (drawn((key + number) & MASK, low) & mask)
            value = high << half | low
            if value < count:
                break
        order.append(value)
    return order
