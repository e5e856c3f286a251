// What Debian's HIP runtime (5.2) mistakes in the metadata of a code object, changed.
#pragma once

#include <cstddef>
#include <span>

namespace geak::emulator {

// True when something was changed, in place.
//  - hidden_dynamic_lds_size: the runtime doesn't know it, and then drops all of the kernel's
//    arguments. It becomes hidden_none; the loader finds it by its size (disguise_marks.h).
//  - hidden_default_queue, hidden_completion_action: HIP has no queue for kernels that launch
//    kernels, but the runtime uses it unset. They become hidden_none, and stay 0.
//  - .uses_dynamic_stack (recursion, calls through pointers): the runtime would cut the stack down
//    to a few bytes. It becomes a fixed size, that of code objects of version 4.
bool adapt_kernel_metadata(std::span<std::byte> elf);

}  // namespace geak::emulator
