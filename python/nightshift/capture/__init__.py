"""Launches of Triton's kernels in a program that nobody edits: recorded, made problems of, and answered
with what was tuned. docs/free_wins.md is the manual.

What runs in the program itself (hook/, begun.py and what they import) needs the standard library alone and imports
neither torch nor Triton before the program does."""
