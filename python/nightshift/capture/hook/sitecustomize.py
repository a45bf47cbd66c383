"""What Python imports when it starts, where PYTHONPATH names this folder: has launches noted or answered, and
then does what the next `sitecustomize` on the path would have done alone.

The module of Nightshift is found by this file's place, under a name of its own: neither the program's path nor
what it may have installed under the name `nightshift` is touched."""


def _begin():
    import os
    import sys
    import types
    here = os.path.dirname(os.path.realpath(__file__))
    package = types.ModuleType("_nightshift")
    package.__path__ = [os.path.dirname(os.path.dirname(here))]
    sys.modules["_nightshift"] = package
    from _nightshift.capture import begun
    begun.begin()


def _go_on():
    """Executes the sitecustomize that this one stands before."""
    import importlib.machinery
    import importlib.util
    import os
    import sys
    here = os.path.dirname(os.path.realpath(__file__))
    path = [one for one in sys.path if os.path.realpath(one or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


try:
    _begin()
except Exception as _error:
    import sys as _sys
    _sys.stderr.write(f"nightshift: nothing is noted or applied: {type(_error).__name__}: {_error}\n")
_go_on()
