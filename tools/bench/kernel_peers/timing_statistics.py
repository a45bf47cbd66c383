"""The interval of a median. Needs no torch."""

import math
import statistics


def interval_of_median(values, level=0.95):
    """(median, low, high): the k-th smallest and the k-th largest value, with the largest k for which
    they hold the median of the distribution with probability `level`, whatever the distribution:
    1 - 2 P(Binomial(n, 1/2) < k) (David and Nagaraja, Order Statistics, 2003, section 7.1). That is
    the whole range of 6 to 8 values, whose level is 97 to 99 %; of fewer too, at a lower level.
    """
    values = sorted(values)
    n = len(values)
    outside, k = 0.0, 1
    for below in range(n // 2):
        outside += 2 * math.comb(n, below) / 2 ** n
        if outside > 1 - level:
            break
        k = below + 1
    return statistics.median(values), values[k - 1], values[n - k]
