"""The parts of tools/bench/kernel_peers.py. Only `contestants`, `data`, `rows` and `timing` need torch."""
