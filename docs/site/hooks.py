# SPDX-License-Identifier: Apache-2.0
"""MkDocs: the script that Material loads from the network, so that the search works from a disk, is our own."""

LOADED = "https://unpkg.com/iframe-worker/shim"


def on_post_page(output, page, config):
    return output.replace(LOADED, "../" * page.url.count("/") + "site/worker.js")


def on_post_template(output, template_name, config):
    return output.replace(LOADED, "/site/worker.js")
