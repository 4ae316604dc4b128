"""The tables. Times are seconds since 1970, UTC; ids are 32 hex digits."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from serving.store.append_only import append_only

SCHEMA = 2
"""Raised with every change of a table."""

ID_CHARS = 32
TENANT_CHARS = 48
NAME_CHARS = 100
OBJECT_CHARS = 255

metadata = MetaData()

schema = Table("ka_schema", metadata, Column("version", Integer, primary_key=True))

tenants = Table(
    "ka_tenants",
    metadata,
    Column("name", String(TENANT_CHARS), primary_key=True),
    Column("created_s", Double, nullable=False),
    # What the owner allows this tenant; null: what the settings say.
    Column("tokens_per_day", BigInteger),
    Column("tokens_per_month", BigInteger),
    Column("requests_per_minute", Integer),
    Column("concurrent_tasks", Integer),
    Column("priority", String(8)),
)

api_keys = Table(
    "ka_api_keys",
    metadata,
    Column("id", String(12), primary_key=True),
    Column("tenant", ForeignKey(tenants.c.name), nullable=False, index=True),
    Column("name", String(NAME_CHARS), nullable=False),
    Column("secret_sha256", String(64), nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("created_s", Double, nullable=False),
    Column("expires_s", Double),
    Column("revoked_s", Double),
)

threads = Table(
    "ka_threads",
    metadata,
    Column("id", String(ID_CHARS), primary_key=True),
    Column("tenant", ForeignKey(tenants.c.name), nullable=False),
    Column("created_s", Double, nullable=False),
    Column("deleted_s", Double),  # its tasks and then itself are dropped when none runs any more
    Index("ka_threads_by_age", "tenant", "created_s", "id"),
)

OPEN = "status IN ('running', 'awaiting_review')"
"""A task that has not ended."""

tasks = Table(
    "ka_tasks",
    metadata,
    Column("id", String(ID_CHARS), primary_key=True),
    Column("tenant", ForeignKey(tenants.c.name), nullable=False),
    Column("thread", ForeignKey(threads.c.id)),
    Column("asked", JSON, nullable=False),
    Column("status", String(16), nullable=False),
    Column("result", JSON),
    Column("attached", Boolean, nullable=False),
    Column("cancel_asked", Boolean, nullable=False, default=False),
    Column("idempotency_key", String(255)),
    Column("instance", String(ID_CHARS), nullable=False),
    Column("created_s", Double, nullable=False),
    Column("waiting_since_s", Double),  # for its review
    Column("ended_s", Double),
    Column("trace_id", String(ID_CHARS)),
    UniqueConstraint("tenant", "idempotency_key"),
    # One task of a thread at a time.
    Index(
        "ka_tasks_open", "thread", unique=True, sqlite_where=text(OPEN), postgresql_where=text(OPEN)
    ),
    Index("ka_tasks_by_thread", "thread", "created_s", "id"),
    Index("ka_tasks_by_wait", "waiting_since_s"),
    Index("ka_tasks_by_end", "ended_s"),
    Index("ka_tasks_by_age", "tenant", "created_s", "id"),
    Index("ka_tasks_by_instance", "instance", "status"),
)

secrets = Table(
    "ka_secrets",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", String(64), nullable=False),
)

events = Table(
    "ka_events",
    metadata,
    Column("task_id", ForeignKey(tasks.c.id, ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("type", String(16), nullable=False),
    Column("data", Text, nullable=False),
)

instances = Table(
    "ka_instances",
    metadata,
    Column("id", String(ID_CHARS), primary_key=True),
    Column("name", String(255), nullable=False),
    Column("seen_s", Double, nullable=False),
)

quotas = Table(
    "ka_quotas",
    metadata,
    Column("tenant", ForeignKey(tenants.c.name), primary_key=True),
    Column("period", String(10), primary_key=True),  # 2026-11-30 or 2026-11
    Column("used", BigInteger, nullable=False, default=0),
    Column("reserved", BigInteger, nullable=False, default=0),
)

reservations = Table(
    "ka_reservations",
    metadata,
    Column("task_id", ForeignKey(tasks.c.id), primary_key=True),
    Column("tenant", String(TENANT_CHARS), nullable=False),
    Column("day", String(10), nullable=False),
    Column("tokens", BigInteger, nullable=False),
    # What calls that run had taken when it was last written down: the bill of a process that died.
    Column("running", JSON, nullable=False, default=list),
)

model_calls = Table(
    "ka_model_calls",
    metadata,
    Column("id", String(ID_CHARS), primary_key=True),
    # No foreign key: the bill outlives the task.
    Column("task_id", String(ID_CHARS), nullable=False, index=True),
    Column("tenant", String(TENANT_CHARS), nullable=False),
    Column("day", String(10), nullable=False),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("cached_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_e12", BigInteger),  # in 10⁻¹² of the currency; null: no price is known
    Column("currency", String(3)),
    Column("record", JSON, nullable=False),
    Index("ka_model_calls_by_day", "tenant", "day"),
)

jobs = Table(
    "ka_jobs",
    metadata,
    Column("id", String(ID_CHARS), primary_key=True),
    Column("tenant", ForeignKey(tenants.c.name), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("instance", String(ID_CHARS)),
    Column("progress", JSON),
    Column("result", JSON),
    Column("created_s", Double, nullable=False),
    Column("started_s", Double),
    Column("ended_s", Double),
    Index("ka_jobs_by_age", "tenant", "created_s"),
    Index("ka_jobs_by_status", "status", "created_s"),
)
for _status in ("waiting", "running"):  # of each, a tenant has one at a time
    Index(
        f"ka_jobs_{_status}",
        jobs.c.tenant,
        unique=True,
        sqlite_where=jobs.c.status == _status,
        postgresql_where=jobs.c.status == _status,
    )
# Names and ids alone, no foreign keys: an entry outlives what it tells of.
audit = Table(
    "ka_audit",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("at_s", Double, nullable=False),
    Column("tenant", String(TENANT_CHARS), nullable=False),
    Column("subject", String(255), nullable=False),
    Column("action", String(32), nullable=False),
    Column("object_id", String(OBJECT_CHARS), nullable=False),
    Column("trace_id", String(ID_CHARS)),
    Column("details", JSON, nullable=False),
    Index("ka_audit_by_tenant", "tenant", "id"),
    sqlite_autoincrement=True,
)
append_only(audit)
