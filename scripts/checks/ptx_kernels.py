"""Reads from PTX and from the output of `ptxas -v` what the kernels of a source cost, and finds what is slow."""

import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field

VECTOR_BYTES = 16
ELEMENT_BYTES = {"BFloat16": 2, "Float16": 2, "float": 4, "double": 8}
# A kernel of floats reads this many numbers per channel one by one: sums, scale, shift and running values.
MOST_SINGLE_NUMBERS = 12
# A kernel may read one byte, which says whether the step trains.
FLAG = ("ld", 1)
# These kernels of batch norm access the bits of eight channels as a byte.
BITS = re.compile(r"\b(ForwardRow|GradientTerm)<")

ENTRY = re.compile(r"^\s*(?:\.visible |\.weak )*\.entry (\w+)\(", re.MULTILINE)
ACCESS = re.compile(r"\b(ld|st)((?:\.(?!param|shared|local|const)\w+)*)\s")
TYPE = re.compile(r"\.[busf](8|16|32|64)$")
INSTRUCTION = re.compile(r"^\s*(?:@!?%p\d+\s+)?[a-z][\w.:]*\s.*;$", re.MULTILINE)
COMPILED = re.compile(r"Compiling entry function '(\w+)'")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
# A template with an element type and a number of channels, such as Row<cnnplan::BFloat16, 8>, and a vector of an array.
CHANNELS = re.compile(r"\b(BFloat16|Float16|float|double), (?:\(int\))?(\d+)\b")
ARRAY = re.compile(r"\bEachOfArray<(?:\(int\))?(\d+),")


@dataclass
class KernelCode:
    """Describes a compiled kernel. An access is a pair of ("ld" or "st") and its bytes; it goes to global memory."""

    name: str
    instructions: int = 0
    registers: int = 0
    stack_bytes: int = 0
    spill_bytes: int = 0
    accesses: Counter = field(default_factory=Counter)

    def bytes_of(self, operation):
        return sorted(size for kind, size in self.accesses if kind == operation)


def access_bytes(suffixes):
    """Returns the bytes of an access, such as `.global.nc.v4.u32`, or None if it has no type."""
    kind = TYPE.search(suffixes)
    if kind is None:
        return None
    vector = re.search(r"\.v([248])\b", suffixes)
    return int(kind[1]) // 8 * (int(vector[1]) if vector else 1)


def read_ptx(text):
    """Returns the kernels of a PTX file by their mangled names."""
    kernels = {}
    starts = list(ENTRY.finditer(text))
    for entry, following in zip(starts, starts[1:] + [None]):
        body = text[entry.end() : following.start() if following else len(text)]
        code = KernelCode(entry[1], instructions=len(INSTRUCTION.findall(body)))
        for operation, suffixes in ACCESS.findall(body):
            size = access_bytes(suffixes)
            if size is not None:
                code.accesses[operation, size] += 1
        kernels[code.name] = code
    return kernels


def read_log(text, kernels):
    """Adds registers, stack and spills to the kernels of read_ptx() from the output of `ptxas -v`."""
    code = None
    for line in text.splitlines():
        if found := COMPILED.search(line):
            code = kernels.get(found[1])
        elif code and (found := STACK.search(line)):
            code.stack_bytes, code.spill_bytes = int(found[1]), int(found[2]) + int(found[3])
        elif code and (found := REGISTERS.search(line)):
            code.registers = int(found[1])


def demangle(kernels):
    """Replaces the names of kernels by those of the source."""
    names = "\n".join(code.name for code in kernels)
    plain = subprocess.run(["c++filt", "-p"], input=names, capture_output=True, text=True, check=True).stdout
    for code, name in zip(kernels, plain.splitlines()):
        code.name = re.sub(r"\(anonymous namespace\)::|_GLOBAL__N_\w+::|cnnplan::|cudnn::", "", name)


def full_vector(name):
    """Returns the bytes of an element where the kernel takes 16 bytes of channels at once, else None.

    The first element and width of the name are those of memory. Others are those of sums.
    """
    found = CHANNELS.search(name)
    size = ELEMENT_BYTES[found[1]] if found else 0
    return size if found and size * int(found[2]) == VECTOR_BYTES else None


def findings(code):
    """Returns what is wrong with a kernel, one text each."""
    found = []
    if code.spill_bytes or code.stack_bytes:
        found.append(f"{code.spill_bytes} bytes are spilled, and {code.stack_bytes} bytes lie on the stack; want 0")
    element = full_vector(code.name)
    array = ARRAY.search(code.name)
    if element is None and (array is None or array[1] == "1"):
        return found
    widest = max([size for _, size in code.accesses], default=0)
    if widest < VECTOR_BYTES:
        found.append(f"the widest access has {widest} bytes; want {VECTOR_BYTES}")
    # The elements after the last vector of an array are accessed one by one. Sums are doubles in every precision.
    if element is None or element == ELEMENT_BYTES["double"]:
        return found
    narrow = {(kind, size): count for (kind, size), count in code.accesses.items() if size <= element}
    if narrow.get(FLAG) == 1:
        del narrow[FLAG]
    if BITS.search(code.name):
        narrow = {(kind, size): count for (kind, size), count in narrow.items() if size > 1}
    if element == ELEMENT_BYTES["float"] and sum(narrow.values()) <= MOST_SINGLE_NUMBERS:
        narrow = {}
    for (kind, size), count in sorted(narrow.items()):
        found.append(f"{count} accesses {kind} have {size} bytes; want vectors of {VECTOR_BYTES}")
    return found
