"""Ranks for Spearman's correlation."""


def ranks(values):
    """Of each value its place from the least on; equal ones share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda n: values[n])
    result = [0.0] * len(values)
    n = 0
    while n < len(order):
        end = n
        while end + 1 < len(order) and values[order[end + 1]] == values[order[n]]:
            end += 1
        for k in range(n, end + 1):
            result[order[k]] = (n + end) / 2
        n = end + 1
    return result
