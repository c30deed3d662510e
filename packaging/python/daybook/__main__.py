"""Become the command that was installed beside this module."""

import os
import sys
import sysconfig


def command() -> str:
    """Where an installer has put the command: with this Python, with this user, or beside a folder given as --target."""
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")) if sys.version_info >= (3, 10) else "",
        os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"),
    ]
    for folder in folders:
        path = os.path.join(folder, "daybook")
        if folder and os.access(path, os.X_OK):
            return path
    sys.exit("error: the command 'daybook' is not where the package 'daybook' was installed; install it again")


path = command()
os.execv(path, [path, *sys.argv[1:]])
