"""Lets scripts decide in a home of a bench: without a terminal nothing may that changes who decides."""
import os


def let_scripts_decide(config_home):
    """Writes the one key that a person would set at a terminal, in a home of its own."""
    folder = os.path.join(config_home, "taffrail")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, "config.toml")
    if not os.path.exists(path):
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write("[control]\nscripts = true\n")
