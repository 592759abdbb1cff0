"""An import-linter contract: an underscored module is imported only inside its own package."""

from __future__ import annotations

from importlinter import Contract, ContractCheck, fields, output


class PrivateModulesContract(Contract):
    """Refuse imports of underscored modules from outside the package that they lie in.

    ``rarelabels._random`` lies in the root package, so all of it may import it;
    ``rarelabels.learners._rakel`` is for ``rarelabels.learners`` alone.
    """

    type_name = "private"

    package = fields.StringField()

    def check(self, graph, verbose):
        """Collect the imports that reach into another package."""
        illegal = sorted(
            (importer, imported)
            for imported in graph.modules
            if (owner := owner_of(imported)) is not None and owner.startswith(self.package)
            for importer in graph.find_modules_that_directly_import(imported)
            if not (importer == owner or importer.startswith(f"{owner}."))
        )
        return ContractCheck(kept=not illegal, metadata={"illegal": illegal})

    def render_broken_contract(self, check):
        """Name each of them."""
        for importer, imported in check.metadata["illegal"]:
            output.print_error(f"{importer} imports {imported}", bold=False)
        output.print("Promote the name to a module without underscore, or move it.")


def owner_of(module: str) -> str | None:
    """Return the package that an underscored module is private to, None for a public module.

    >>> owner_of("rarelabels.datasets.tables._csv"), owner_of("rarelabels._random")
    ('rarelabels.datasets.tables', 'rarelabels')
    >>> owner_of("rarelabels.learners") is None
    True
    """
    parts = module.split(".")
    private = [place for place, part in enumerate(parts) if part.startswith("_")]
    return ".".join(parts[: private[0]]) if private else None
