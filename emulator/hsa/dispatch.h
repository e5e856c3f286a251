// From a kernel dispatch packet to what the executor runs.
#pragma once

#include <hsa/hsa.h>

#include <optional>

#include "emulator/hsa/queue.h"
#include "emulator/wave/dispatch.h"

namespace geak::emulator {

// Checks the packet against the kernel and the device. Nothing, with `error` filled, when it can't
// be run.
std::optional<KernelDispatch> make_dispatch(Queue& queue,
                                            const hsa_kernel_dispatch_packet_t& packet,
                                            std::uint64_t index, PacketError& error);

// What the queue's error callback is told of a kernel that failed.
PacketError packet_error(const KernelDispatch& dispatch, const ExecutionError& error);

}  // namespace geak::emulator
