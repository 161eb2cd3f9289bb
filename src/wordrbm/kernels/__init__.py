"""Compiled loops. What was compiled before any file of this room changed is forgotten first.

numba keeps compiled code beside its source and makes it anew when that one file has changed, but a
compiled function holds the code of those it calls, from other files: without this, a user who
updates the package in place would go on with parts of the old one.
"""

from wordrbm.kernels.stale import drop_stale_cache

drop_stale_cache()
