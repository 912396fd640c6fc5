# SPDX-License-Identifier: Apache-2.0
"""MkDocs: what differs between a forge and the site."""
import re

# Material loads this script from the network, so that the search works from a disk; ours does the same.
LOADED = "https://unpkg.com/iframe-worker/shim"


def on_page_markdown(markdown, page, config, files):
    """In the code of a table, forges need \\| for |, and Python-Markdown prints the backslash."""
    return re.sub(r"(?m)^\|.*$", lambda row: re.sub(r"`[^`]+`", lambda code: code[0].replace("\\|", "|"), row[0]), markdown)


def on_post_page(output, page, config):
    return output.replace(LOADED, "../" * page.url.count("/") + "site/worker.js")


def on_post_template(output, template_name, config):
    return output.replace(LOADED, "/site/worker.js")
