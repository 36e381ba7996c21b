"""The site's style sheet: the product's tokens, held to one scheme on wish, then its own."""

import re

_LIGHT = re.compile(r"^:root \{\n(.*?)^\}\n", re.MULTILINE | re.DOTALL)
_DARK = re.compile(
    r"^@media \(prefers-color-scheme: dark\) \{\n  :root \{\n(.*?)^  \}\n\}\n",
    re.MULTILINE | re.DOTALL,
)


def stylesheet(tokens: str, own: str) -> str:
    """Return the style sheet.

    tokens: `infra/look/tokens.css`, whose dark colours follow the system. own: `site.css`.
    `data-scheme` of the document, `light` or `dark`, decides against the system.
    """
    light, dark = _LIGHT.search(tokens), _DARK.search(tokens)
    if light is None or dark is None:
        message = "tokens.css has no :root, or no dark :root, where the site's style sheet looks"
        raise ValueError(message)
    chosen = (
        "@media (prefers-color-scheme: dark) {\n"
        f'  :root:not([data-scheme="light"]) {{\n{dark[1]}  }}\n}}\n'
        ':root[data-scheme="light"] { color-scheme: light; }\n'
        f':root[data-scheme="dark"] {{\n  color-scheme: dark;\n{dark[1]}}}\n'
    )
    return tokens.replace(dark[0], chosen) + "\n" + own
