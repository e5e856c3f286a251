"""What each sample's kernel must move and do, from its arguments: bytes that must cross the device's
memory once, and arithmetic operations. Data-dependent early ends count as nothing done.

floor_ns() gives the larger of both times; bandwidth is what the worker measured for a copy, the
arithmetic rate is the data sheet's for float32 outside of the matrix units."""
import struct

OPERATIONS_PER_NS = 67e3  # NVIDIA H200 data sheet, FP32

SIZES = {"int": (4, "<i"), "unsigned int": (4, "<I"), "unsigned": (4, "<I"), "float": (4, "<f"),
         "bool": (1, "<?"), "uint2": (8, "<II"), "size_t": (8, "<Q"), "int64_t": (8, "<q")}


def arguments(types, kernarg):
    """Values of the parameters in the kernarg bytes; pointers as None."""
    raw, at, values = bytes.fromhex(kernarg), 0, []
    for name in types:
        if "*" in name:
            size, form = 8, None
        else:
            size, form = SIZES[name.replace("const ", "").strip()]
        at = (at + size - 1) // size * size
        if form is None:
            values.append(None)
        else:
            value = struct.unpack_from(form, raw, at)
            values.append(value[0] if len(value) == 1 else value)
        at += size
    return values


def items(launch):
    grid, block = launch.get("grid", [1, 1, 1]), launch.get("block", [1, 1, 1])
    count = 1
    for g, b in zip(grid, block):
        count *= g * b
    return count


def groups(launch):
    grid = launch.get("grid", [1, 1, 1])
    return grid[0] * grid[1] * grid[2]


def _prefix(a, launch):
    count = min(a[1] // a[2], items(launch) * 2)
    return 8 * count, 2 * count


# kernel: (arguments, launch) -> (bytes, operations)
FLOORS = {
    "bitonic_sort": lambda a, l: (16 * items(l), 3 * items(l)),
    "convolution": lambda a, l: (8 * a[2][0] * a[2][1], 50 * a[2][0] * a[2][1]),
    "floyd_warshall": lambda a, l: (4 * a[2] ** 2, 2 * a[2] ** 2),
    "histogram": lambda a, l: (items(l) * a[2] + groups(l) * 1024, items(l) * a[2]),
    "sample_points": lambda a, l: (4 * groups(l), 10 * items(l) * a[2]),
    "sum_counts": lambda a, l: (4 * a[1] + 8, a[1]),
    "block_prefix_sum": _prefix,
    "device_prefix_sum": lambda a, l: (8 * min(a[1] // a[2], items(l)), min(a[1] // a[2], items(l))),
    "assign_score_withk": lambda a, l: (
        4 * a[0] * (a[2] * a[4] * (a[3] + 2 + a[5]) + 2 * a[1] * a[3] * a[5]),
        3 * a[0] * a[5] * a[2] * a[4] * a[3]),
    "ball_query": lambda a, l: (a[0] * (12 * a[1] + 12 * a[2] + 4 * a[2] * a[5]), 0),
    "furthest_point_sample": lambda a, l: (a[0] * (12 * a[1] + 4 * a[2]),
                                           9 * a[0] * a[1] * a[2]),
    "gather_points": lambda a, l: (8 * a[0] * a[1] * a[3] + 4 * a[0] * a[3], 0),
    "knn": lambda a, l: (a[0] * (12 * a[1] + 12 * a[2] + 8 * a[2] * a[3]),
                         8 * a[0] * a[1] * a[2]),
    "points_in_boxes_part": lambda a, l: (a[0] * (16 * a[2] + 28 * a[1]), 0),
    "points_in_boxes_all": lambda a, l: (a[0] * (12 * a[2] + 4 * a[1] * a[2]),
                                         3 * a[0] * a[1] * a[2]),
    "generate_pts_mask": lambda a, l: (4 * a[0] * a[1] + 12 * a[1], 3 * a[0] * a[1]),
    "collect_inside_pts": lambda a, l: (4 * a[0] * a[1], a[0] * a[1]),
    "roiaware_maxpool3d": lambda a, l: (a[0] * a[3] * (8 * a[1] + 4), 0),
    "roiaware_avgpool3d": lambda a, l: (a[0] * a[3] * (4 * a[1] + 4), 0),
    "assign_pts_to_box3d": lambda a, l: (a[0] * (4 * a[1] * a[2] + 12 * a[1]),
                                         3 * a[0] * a[1] * a[2]),
    "get_pooled_idx": lambda a, l: (4 * a[0] * a[2] * a[3], 0),
    "roipoint_pool3d": lambda a, l: (8 * a[0] * a[2] * a[4] * (3 + a[3]), 0),
    "three_interpolate": lambda a, l: (4 * a[0] * (a[1] * (a[3] + a[2]) + 6 * a[3]),
                                       5 * a[0] * a[1] * a[3]),
    "three_nn": lambda a, l: (a[0] * (12 * a[1] + 12 * a[2] + 24 * a[1]), 8 * a[0] * a[1] * a[2]),
    "point_to_voxelidx": lambda a, l: (20 * a[5], 0),
    "silu_and_mul": lambda a, l: (6 * groups(l) * a[2], 4 * groups(l) * a[2]),
}


def work_of(kernel, types, launches):
    """(bytes, operations, [(bytes, operations) of each launch with its weight]) of one run; None where
    the kernel is not known."""
    make = FLOORS.get(kernel.split("<")[0].split("::")[-1])
    if make is None:
        return None
    each = [(*make(arguments(types, one["kernarg"]), one["launch"]), one["weight"])
            for one in launches]
    return sum(b * w for b, _, w in each), sum(o * w for _, o, w in each), each


def floor_ns(kernel, types, launches, bytes_per_ns):
    """Of all launches of one run; 0 where it is not known."""
    work = work_of(kernel, types, launches)
    if work is None:
        return 0.0
    return sum(w * max(b / bytes_per_ns, o / OPERATIONS_PER_NS) for b, o, w in work[2])
