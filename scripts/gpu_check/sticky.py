"""Finds CUDA errors after which a process can do nothing more on the device, and the engine that ran then.

Before a cuDNN engine first runs, the programs name it on stderr. The last one named before the error is
the suspect; another kernel can be at fault, since errors are noticed late."""

import re

STICKY = re.compile(
    r"misaligned address|illegal (?:memory access|address|instruction)|unspecified launch failure|"
    r"launch failure|launch timed out|device-side assert|hardware stack error|invalid program counter|"
    r"uncorrectable ECC error|"
    r"cudaError(?:MisalignedAddress|Illegal(?:Address|Instruction)|Launch(?:Failure|Timeout)|Assert|"
    r"HardwareStackError|InvalidPc|InvalidAddressSpace|ECCUncorrectable)", re.IGNORECASE)
FIRST_RUN = re.compile(r"cudnn: first run of (.+?) for (.+)")


def found_in(results):
    """Describes the first sticky error in the outputs of programs; None if there is no such error."""
    for result in results:
        text = result.stderr
        error = STICKY.search(text) if result.code != 0 else None
        if error:
            named = FIRST_RUN.findall(text[:error.start()])
            engine, kernel = named[-1] if named else ("", "")
            return {"error": error.group(0), "engine": engine, "kernel": kernel.strip(), "program": result.name,
                    "outputs": [result.out.name, result.err.name]}
    return None


def sentence(found):
    if not found["engine"]:
        return f"{found['error']}, and no engine was named before"
    return f"{found['error']} after the first run of {found['engine']} for {found['kernel']}"
