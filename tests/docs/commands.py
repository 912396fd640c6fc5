# SPDX-License-Identifier: Apache-2.0
"""Commands in a page and what they print. In the page,

    <!-- commands -->
    ```sh
    kindred info
    ```
    ```text
    …
    ```

The blocks of a page run one after the other in one shell, in a home folder that contains `examples/` of the repository and the command
where `./run install ~/.local` installs it; a page that sets no PATH finds it there. Only standard output is shown."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

COMMANDS = re.compile(r"<!-- commands -->\n```sh\n(.*?)```\n((?:(?!```).)*?)```text\n(.*?)```\n", re.S)
INSTALLED = ".local/bin/kindred"
END = "\x1e"  # between the outputs of blocks


def printed_by(blocks, root, command):
    """What each block prints. ValueError if one fails."""
    with tempfile.TemporaryDirectory(prefix="kindred-docs-") as name:
        folder = Path(name)
        shutil.copytree(root / "examples", folder / "examples")
        (folder / INSTALLED).parent.mkdir(parents=True)
        (folder / "build").mkdir()  # in which the command was built
        (folder / INSTALLED).symlink_to(Path(command).resolve())
        script = "set -e\n" + "".join(f"{block}printf '\\036'\n" for block in blocks)
        environment = dict(os.environ, HOME=name, KINDRED_PROFILE="/nonexistent/profile.json")
        if "export PATH=" not in script:
            environment["PATH"] = f"{(folder / INSTALLED).parent}:{environment['PATH']}"
        ran = subprocess.run(["bash", "--norc", "-c", script], cwd=folder, env=environment, capture_output=True, timeout=300)
        outputs = ran.stdout.decode().split(END)
        if ran.returncode != 0:
            raise ValueError(f"a command failed: {blocks[len(outputs) - 1]}{ran.stderr.decode(errors='backslashreplace')}")
        return outputs[:-1]


def with_outputs(text, root, command):
    """The page with what its commands print."""
    blocks = [match[1] for match in COMMANDS.finditer(text)]
    if not blocks:
        return text
    outputs = iter(printed_by(blocks, root, command))
    return COMMANDS.sub(lambda match: f"<!-- commands -->\n```sh\n{match[1]}```\n{match[2]}```text\n{next(outputs)}```\n", text)


def block_breaches(text):
    """Every marked block must be one of commands with its output."""
    if text.count("<!-- commands -->\n") != len(COMMANDS.findall(text)):
        yield "a block of commands has no output (<!-- commands -->, ```sh, ```text)"


def output_breaches(text, root, command):
    try:
        changed = with_outputs(text, root, command) != text
    except ValueError as error:
        yield str(error)
        return
    if changed:
        yield "commands print something else than the page shows: tests/docs/check_docs.py . --write --command KINDRED"
