"""What is to be done when a module is imported, by whomever."""

import importlib.abc
import importlib.util
import sys


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name, then):
        self.name, self.then = name, then

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_go_on(module):
            execute(module)
            self.then(module)

        spec.loader.exec_module = execute_and_go_on
        return spec


def after(name, then):
    """Has then(module) called once the module of that name is imported; at once where it is.
    Returns a function after which it is not called any more. Another call for the same module is in
    vain until then."""
    if name in sys.modules:
        then(sys.modules[name])
    elif not any(isinstance(one, _Finder) and one.name == name for one in sys.meta_path):
        finder = _Finder(name, then)
        sys.meta_path.insert(0, finder)
        return lambda: sys.meta_path.remove(finder) if finder in sys.meta_path else None
    return lambda: None
