"""Allow-lists of imports for import-linter: every unlisted import is forbidden.

Its own "forbidden" contract is a deny-list, which does not know tomorrow's packages.
"""

import sys

import grimp
from importlinter import Contract, ContractCheck, fields, output


class AllowedImports(Contract):
    """A package imports only the standard library, itself, and its contract's packages.

    source: the package, with everything below it. allowed: packages, ours and others', each with
    everything below it.
    """

    type_name = "allowed"

    source = fields.StringField()
    allowed = fields.ListField(subfield=fields.StringField(), required=False)

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002, FBT001 (the base's)
        """Return every import that no entry allows."""
        source = str(self.source)
        modules = {source, *graph.find_descendants(source)}
        allowed = (source, *(str(each) for each in self.allowed or ()))
        imports = sorted(
            f"{importer} imports {imported}"
            for importer in modules
            for imported in graph.find_modules_directly_imported_by(importer)
            if imported.split(".")[0] not in sys.stdlib_module_names
            and not any(imported == each or imported.startswith(f"{each}.") for each in allowed)
        )
        return ContractCheck(kept=not imports, metadata={"found": imports})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print one line for each import."""
        for line in check.metadata["found"]:
            output.print_error(line)
        output.new_line()
