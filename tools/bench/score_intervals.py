"""Intervals of the scores of autotuning_methodology, for official_score.py: percentiles of bootstrap samples of
the repeats.

The package's curve is the mean of as many isotonic regressions as there are repeats, each of a few of the
points. A bootstrap sample has one regression of all its points instead, which costs a hundredth; what the two
differ by is added to the percentiles.
"""


def interval(samples, bootstrap_estimate, score, level=0.95):
    """Percentiles of bootstrap samples, moved to where the score is: samples estimate bootstrap_estimate."""
    ordered = sorted(samples)
    last = len(ordered) - 1
    low, high = (ordered[round(last * part)] for part in ((1 - level) / 2, (1 + level) / 2))
    return low + score - bootstrap_estimate, high + score - bootstrap_estimate


def quick_curve(curve, repeats):
    """A curve of the package of some of its repeats, each any number of times."""
    import numpy

    chosen = object.__new__(type(curve))
    chosen.__dict__.update(vars(curve), _x_time=curve._x_time[:, repeats], _y=curve._y[:, repeats])

    def isotonic(x, y, x_test, **_):
        fitted = curve.get_isotonic_curve(x, y, x_test, ymin=y.min(), ymax=y.max())
        return numpy.stack([fitted] * 3, axis=1)

    chosen._get_prediction_interval_bagging = isotonic
    return chosen


def score_of(space, curve):
    """The score of one curve in one space, by the package."""
    from autotuning_methodology.report_experiments import get_strategies_aggregated_performance

    baseline, _, statistics, times, evaluations = space
    return float(get_strategies_aggregated_performance(
        [(baseline, [curve], statistics, times, evaluations)], 0.95)[0][0].mean())


def bootstrap(space, curve, resamples, seed):
    """(the estimate of all repeats, those of samples of them)."""
    import numpy

    generator, repeats = numpy.random.default_rng(seed), curve._y.shape[1]
    samples = [score_of(space, quick_curve(curve, generator.integers(repeats, size=repeats)))
               for _ in range(resamples)]
    return score_of(space, quick_curve(curve, numpy.arange(repeats))), samples


def joined(parts):
    """The arrays of several files of the package as those of one: repeats are the last axis, and
    evaluations, the one before it, are filled up with NaN."""
    import numpy

    most = max(part.shape[-2] for part in parts)
    filled = []
    for part in parts:
        padding = [(0, 0)] * (part.ndim - 2) + [(0, most - part.shape[-2]), (0, 0)]
        filled.append(numpy.pad(part, padding, constant_values=numpy.nan))
    return numpy.concatenate(filled, axis=-1)
