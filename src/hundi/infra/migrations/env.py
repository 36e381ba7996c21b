"""Alembic's entry: runs the versions on the connection of `hundi.infra.postgres.migrate`."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"], transaction_per_migration=True
)
with context.begin_transaction():
    context.run_migrations()
