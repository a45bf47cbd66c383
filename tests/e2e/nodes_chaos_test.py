"""nodes_chaos.py for a study and a batch, a few seconds of faults each."""

import unittest

import harness
from nodes_chaos import Chaos


class NodesChaos(unittest.TestCase):
    def test_a_study_and_a_batch_under_random_faults_come_out_as_undisturbed_ones(self):
        chaos = Chaos(seed=1, window=6)
        chaos.storm(0, least=2)
        self.assertEqual(chaos.failures, [])
        self.assertEqual(chaos.counts["runs that came out as undisturbed ones"], 2)


if __name__ == "__main__":
    harness.main()
