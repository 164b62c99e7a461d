"""Generated programs on disk: one readable file each, in a folder of the user's alone.

    key = "loss-2c26b46b68ffc68ff99b453c1d304134"
    store(key, Entry(text, {"entry": "loss_grad"}))      writes ~/.cache/srcad/<key>.py
    load(key)                                            None unless that file is whole

`SRCAD_CACHE_DIR` names another folder, `SRCAD_CACHE=0` does without.
"""

from srcad.cache.entries import CacheFolder, Entry, clear, info, load, store
from srcad.cache.modules import module_file

__all__ = ["CacheFolder", "Entry", "clear", "info", "load", "module_file", "store"]
