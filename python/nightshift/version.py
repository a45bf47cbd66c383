"""The version of the module and of the programs, which CMake and pip read here."""

__version__ = "0.1.0"
