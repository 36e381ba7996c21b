"""The languages that have an SDK in `sdks`, and how each one's test program is started."""

PROGRAMS = {
    "node": ("node", "sdks/node/test/peer.mjs"),
    "go": ("env", "HUNDI_PEER=1", "sdks/go/build/peer"),
}
"""The test program of each language, built by `make -C sdks LANGUAGE`."""
