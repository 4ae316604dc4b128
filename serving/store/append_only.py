"""Tables to which rows are added, and of which the database itself changes and deletes none."""

from sqlalchemy import DDL, Table, event

SQLITE = (
    """
    CREATE TRIGGER {name}_no_update BEFORE UPDATE ON {name}
    BEGIN SELECT RAISE(ABORT, '{name} is append-only'); END
    """,
    """
    CREATE TRIGGER {name}_no_delete BEFORE DELETE ON {name}
    BEGIN SELECT RAISE(ABORT, '{name} is append-only'); END
    """,
    # INSERT OR REPLACE deletes without a trigger.
    """
    CREATE TRIGGER {name}_no_replace BEFORE INSERT ON {name}
    WHEN EXISTS (SELECT 1 FROM {name} WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, '{name} is append-only'); END
    """,
)
POSTGRESQL = (
    """
    CREATE FUNCTION {name}_refuse() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''{name} is append-only''; END'
    """,
    """
    CREATE TRIGGER {name}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {name}
    FOR EACH STATEMENT EXECUTE FUNCTION {name}_refuse()
    """,
)


def append_only(table: Table) -> None:
    """For a table with the key `id`: its triggers are made with it."""
    for dialect, statements in (("sqlite", SQLITE), ("postgresql", POSTGRESQL)):
        for statement in statements:
            ddl = DDL(statement.format(name=table.name))  # type: ignore[no-untyped-call]  # its own
            ddl = ddl.execute_if(dialect=dialect)
            event.listen(table, "after_create", ddl)
