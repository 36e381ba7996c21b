"""The languages that have an SDK in `sdks`, and how each one's test program is started."""

PROGRAMS = {
    "node": ("node", "sdks/node/test/peer.mjs"),
}
"""The test program of each language, built by `make -C sdks LANGUAGE`."""
