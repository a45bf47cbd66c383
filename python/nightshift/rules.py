"""When a kernel is warm, and when it has been sampled often enough.

They are those of evaluator/sampling/warm_up_rule.h and stopping_rule.h; neither has a clock."""

import math
from statistics import NormalDist

LEAST_SAMPLES = 3  # before an evaluation is cut short
_BATCHES, _BATCH_SECONDS, _AGREEMENT, _TICKS = 3, 1e-3, 0.02, 1000
_QUANTILE = NormalDist().inv_cdf(0.975)  # no quantile of Student's t is less


def student_quantile(freedom):
    """The upper 2.5 % quantile of Student's t for any real freedom > 0.

    By inverting the distribution, an incomplete beta function (continued fraction, Numerical
    Recipes 6.4), by bisection."""
    low, high = _QUANTILE, 1e6
    while high - low > 1e-9 * high:
        middle = math.sqrt(low * high)
        tail = 0.5 * _beta(freedom / (freedom + middle * middle), freedom / 2, 0.5)
        low, high = (middle, high) if tail > 0.025 else (low, middle)
    return high


def _beta(x, a, b):
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
                     + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x, a, b):
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 500):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / c
            c = c if abs(c) > tiny else tiny
            result *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return result


class StoppingRule:
    """Told of each sample; says "go_on", "complete", "capped" or "given_up".

    least, most: samples; exactly `least` where precision is 0
    precision: half of the 95 % interval of the mean, over the mean
    give_up_above: in the unit of the samples, lower being better; None: never
    max_seconds: sampling ends then, with three samples at least"""

    def __init__(self, least, most, precision, max_seconds, give_up_above=None):
        self.least = max(1, least)
        self.most = max(self.least, most) if precision > 0 else self.least
        self.precision, self.max_seconds, self.give_up_above = precision, max_seconds, give_up_above
        self.values = []

    def add(self, value, elapsed):
        self.values.append(value)
        count = len(self.values)
        if count >= self.least and (self.precision <= 0 or self._is_precise()):
            return "complete"
        if count >= self.most or (count >= LEAST_SAMPLES and elapsed >= self.max_seconds):
            return "capped"
        if (count == LEAST_SAMPLES and self.give_up_above is not None
                and min(self.values) > self.give_up_above):
            return "given_up"
        return "go_on"

    def lag1(self):
        """Autocorrelation of successive samples; 0 where it is negative or nothing is known."""
        mean = math.fsum(self.values) / len(self.values)
        squares = math.fsum((v - mean) ** 2 for v in self.values)
        products = math.fsum((a - mean) * (b - mean) for a, b in zip(self.values, self.values[1:]))
        return min(max(products / squares, 0.0), 1.0) if squares > 0 else 0.0

    def half_width(self):
        """Over the mean; infinite where too few samples, or samples too alike, say nothing."""
        error, freedom = self._error()
        return error if error == math.inf else student_quantile(freedom) * error

    def _is_precise(self):
        # A quantile costs as much as a call of a short kernel, and is asked behind each sample.
        error, freedom = self._error()
        return _QUANTILE * error <= self.precision and student_quantile(freedom) * error <= self.precision

    def _error(self):
        """(the standard error of the mean, over the mean; degrees of freedom)."""
        n = len(self.values)
        mean = math.fsum(self.values) / n
        if n < 2 or mean <= 0:
            return math.inf, 0.0
        r = self.lag1()
        effective = n * (1 - r) / (1 + r)
        if effective <= 1:
            return math.inf, 0.0
        squares = math.fsum((v - mean) ** 2 for v in self.values)
        return math.sqrt(squares / (n - 1) / n * (1 + r) / (1 - r)) / mean, effective - 1


class WarmUpRule:
    """Told of each warm-up sample of `calls` calls; says how many calls make the next one.

    runs, seconds: warming up takes so much at least; ten times `seconds`, 0.1 s, or thirty batches
        at most
    sample_seconds: a sample lasts so long at least, and a thousand ticks of the timer
    single: a sample is one call, however short
    batch_seconds: three batches of so long agree within 2 % at the end"""

    def __init__(self, runs, seconds, sample_seconds=0.0, tick=0.0, single=False,
                 batch_seconds=_BATCH_SECONDS):
        self.runs, self.seconds = runs, seconds
        self.batch_for(batch_seconds)
        self.sample_seconds = 0.0 if single or sample_seconds <= 0 else max(sample_seconds,
                                                                            _TICKS * tick)
        self.calls, self.total, self.elapsed = 1, 0, 0.0
        self._long_enough, self._means = False, []
        self._begin(0.0)

    def batch_for(self, seconds):
        """Batches last so long from now on."""
        self.batch_seconds = seconds
        self.most_seconds = max(10 * self.seconds, 0.1, 30 * seconds)

    def _begin(self, elapsed):
        self._start, self._batch_seconds, self._batch_calls = elapsed, 0.0, 0

    def add(self, seconds, elapsed):
        """A sample of `calls` calls took `seconds` and ended `elapsed` s after the beginning."""
        self.total += self.calls
        self.elapsed = elapsed
        self._long_enough = seconds >= self.sample_seconds or self.calls >= 1e9
        if not self._long_enough:
            wanted = (math.ceil(self.calls * 1.2 * self.sample_seconds / seconds) if seconds > 0
                      else self.calls * 10)
            self.calls = int(min(max(wanted, self.calls + 1), self.calls * 10, 1e9))
            self._means.clear()
            self._begin(elapsed)
            return
        self._batch_seconds += seconds
        self._batch_calls += self.calls
        if elapsed - self._start < self.batch_seconds:
            return
        self._means = self._means[1 - _BATCHES:] + [self._batch_seconds / self._batch_calls]
        self._begin(elapsed)

    def settled(self):
        return (len(self._means) >= _BATCHES
                and max(self._means) - min(self._means) <= _AGREEMENT * min(self._means))

    def done(self):
        return (self._long_enough and self.total >= self.runs and self.elapsed >= self.seconds
                and (self.settled() or self.elapsed >= self.most_seconds))
