"""Whether the processes of a run read one space from a file: lists may depend on what a process
finds when it imports it, such as a GPU."""

import hashlib
import json

from .errors import UserError, one_line

_MOST_BYTES = 4096  # of all lists; where they are longer, each is known by a hash


def space_text(space):
    """The lists of a space, for the process that serves it."""
    text = json.dumps({name: parameter.labels for name, parameter in space.parameters.items()})
    return text if len(text) <= _MOST_BYTES else json.dumps(
        {name: _hash(parameter.labels) for name, parameter in space.parameters.items()})


def _hash(labels):
    return hashlib.sha256(json.dumps(labels).encode()).hexdigest()[:16]


def expect_same(space, text, role):
    """Raises UserError where a space is not the one whose space_text() this is. role: of this
    process, "build" or "measure"."""
    if not text or text == space_text(space):
        return
    there, here = json.loads(text), json.loads(space_text(space))
    names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    differences = [f"{name} is {_told(here.get(name))} in the process that {role}s, and was "
                   f"{_told(there.get(name))} in the one that read it first" for name in names]
    raise UserError("the file's space is not the same in each process that imports it: "
                    f"{'; '.join(differences)}. Its lists must not depend on when or where it is "
                    "imported")


def _told(labels):
    if labels is None:
        return "no parameter"
    return one_line(labels if isinstance(labels, list) else f"another list ({labels})", 200)
