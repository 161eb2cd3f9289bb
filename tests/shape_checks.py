"""Check the shapes of arrays while the tests run: every annotated array, at every call.

All rooms but `kernels`, which numba types, are checked. Arrays are checked everywhere, and other
types in the rooms of `TYPES_TOO`: elsewhere bad input shall reach the library, which refuses it in
its own words.
"""

import functools
import sys
import types
import typing
from importlib.machinery import PathFinder, SourceFileLoader

from beartype import beartype
from jaxtyping import AbstractArray, jaxtyped

TYPES_TOO = (
    "wordrbm.models",
    "wordrbm.sampling",
    "wordrbm.training.pcd_gradient",
    "wordrbm.likelihood",
    "wordrbm.inference.precision",
    "wordrbm.inference.text_model",
    "wordrbm.inference.whitening",
    "wordrbm.run.in_memory",
    "wordrbm.classification",
    "wordrbm.estimators.table",
    "wordrbm.tagging.crf",
    "wordrbm.tagging.features",
    "wordrbm.tagging.finetune",
    "wordrbm.tagging.tagger",
)


def is_in(module, rooms):
    return any(module == room or module.startswith(f"{room}.") for room in rooms)


class Finder:
    """Finds the package's modules, to be checked once they are executed."""

    def find_spec(self, name, path=None, target=None):
        if not is_in(name, ["wordrbm"]) or is_in(name, ["wordrbm.kernels"]):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None:
            spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


class Loader(SourceFileLoader):
    def exec_module(self, module):
        super().exec_module(module)
        check_members(module, module.__name__)


def check_members(owner, module):
    """Check the functions that a module or a class defines, and those of its classes."""
    for name, member in list(vars(owner).items()):
        if isinstance(member, type):
            if member.__module__ == module and member is not owner:
                check_members(member, module)
        elif (checked := check_member(name, member, module)) is not member:
            setattr(owner, name, checked)


def check_member(name, member, module):
    if isinstance(member, staticmethod | classmethod):
        function = check_member(name, member.__func__, module)
        return member if function is member.__func__ else type(member)(function)
    if isinstance(member, property) and isinstance(member.fget, types.FunctionType):
        return property(check_member(name, member.fget, module))
    if not isinstance(member, types.FunctionType) or member.__module__ != module:
        return member
    function = check_function(member, types_too=is_in(module, TYPES_TOO))
    # A NamedTuple has its fields' types as those of `__new__`, which is a static method.
    return staticmethod(function) if name == "__new__" and function is not member else function


def check_function(function, types_too):
    """The function with its annotated arrays checked; itself if it has none."""
    if hasattr(function, "__wrapped__"):
        return function  # a decorator has changed what it returns
    arrays = {name for name, hint in function.__annotations__.items() if holds_array(hint)}
    if not arrays:
        return beartype(function) if types_too else function
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        function.__closure__,
    )  # fmt: skip
    functools.update_wrapper(copy, function)
    del copy.__wrapped__
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__annotations__ = {
        name: hint for name, hint in function.__annotations__.items() if types_too or name in arrays
    }
    return functools.update_wrapper(jaxtyped(typechecker=beartype)(copy), function)


def holds_array(hint):
    """Whether a hint is of arrays; "an array or texts" is not: either may be given in error."""
    if isinstance(hint, type) and issubclass(hint, AbstractArray):
        return True
    parts = [part for part in typing.get_args(hint) if part is not type(None)]
    is_union = isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
    return bool(parts) and (all if is_union else any)(map(holds_array, parts))


def install():
    sys.meta_path.insert(0, Finder())
