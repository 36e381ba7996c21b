"""The server for assistants: tools that read the books, and propose what a person decides.

An assistant may have read a hostile text before it calls. So no tool moves money or sends anything:
a proposal is a request for a second person (`hundi.staff.approvals`). A text that others wrote is
returned as `OutsideText`, and nothing else in a reply can hold one.
"""
