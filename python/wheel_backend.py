"""Makes the wheel of the module for `pip install` (PEP 517 and PEP 660), without setuptools: nothing is
fetched, and nothing is written into this folder, which may be an installed one."""

import base64
import contextlib
import hashlib
import io
import os
import re
import tarfile
import zipfile

_HERE = os.path.dirname(os.path.abspath(__file__))
_TAG = "py3-none-any"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _wheel(wheel_directory, dict(_sources()))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _wheel(wheel_directory, {"nightshift.pth": _HERE.encode() + b"\n"})


def build_sdist(sdist_directory, config_settings=None):
    top, files = f"nightshift-{_version()}", dict(_sources())
    for name in ("pyproject.toml", os.path.basename(__file__)):
        files[name] = _read(os.path.join(_HERE, name))
    files["PKG-INFO"] = _metadata()
    with tarfile.open(os.path.join(sdist_directory, top + ".tar.gz"), "w:gz") as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return top + ".tar.gz"


def _sources():
    package = os.path.join(_HERE, "nightshift")
    for folder, folders, names in os.walk(package):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(folder, name)
            yield os.path.relpath(path, _HERE).replace(os.sep, "/"), _read(path)


def _wheel(folder, files):
    own = f"nightshift-{_version()}.dist-info"
    name = f"nightshift-{_version()}-{_TAG}.whl"
    files[own + "/METADATA"] = _metadata()
    files[own + "/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: nightshift\nRoot-Is-Purelib: true\n"
                             f"Tag: {_TAG}\n").encode()
    record = "".join(f"{path},sha256={_digest(content)},{len(content)}\n"
                     for path, content in files.items())
    files[own + "/RECORD"] = (record + own + "/RECORD,,\n").encode()
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    _leave_no_bytecode()
    return name


def _metadata():
    said = _read(os.path.join(_HERE, "pyproject.toml")).decode()

    def value(key):
        return re.search(rf'^{key} = "(.*)"$', said, re.MULTILINE).group(1)

    return (f"Metadata-Version: 2.1\nName: nightshift\nVersion: {_version()}\n"
            f"Summary: {value('description')}\nLicense: Apache-2.0\n"
            f"Requires-Python: {value('requires-python')}\n").encode()


def _version():
    text = _read(os.path.join(_HERE, "nightshift", "version.py")).decode()
    return re.search(r'__version__ = "(.*)"', text).group(1)


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _leave_no_bytecode():
    """Of this file, which Python has kept in this folder."""
    with contextlib.suppress(OSError, TypeError):
        os.remove(__spec__.cached)
        os.rmdir(os.path.dirname(__spec__.cached))
