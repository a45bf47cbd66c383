"""The parts of tools/bench/kernel_peers.py. Without torch go those that know problems, shapes and
configurations and compile: `problem`, `shapes`, `drawing`, `configurations`, `driver`."""
