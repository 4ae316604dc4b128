"""Every setting of the product, and the only reader of the environment.

A setting `name` is read from the variable `KA_NAME`, or from a file `.env` in the folder where the
product is started. The variables of LangSmith (`LANGSMITH_…`) and OpenTelemetry (`OTEL_…`) keep
their names.
"""

import re
from pathlib import Path
from socket import gethostname
from typing import Annotated, Literal

from pydantic import Field, HttpUrl, Json, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from graph.errors import ConfigError
from graph.ports import Limits
from serving.prices import Price, Prices

JWT_ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="KA_", env_file=".env", extra="ignore", frozen=True
    )

    home: Path = Field(
        default=Path(".knowledge-agent"), description="index, engine state, logs, models"
    )

    tenant: str = Field(
        default="default",
        pattern=r"^[a-z0-9][a-z0-9-]{1,40}[a-z0-9]$",
        description="whose documents: each has an index of its own",
    )

    chroma_url: str | None = Field(
        default=None, description="a Chroma server that holds the vectors; unset: files in `home`"
    )

    engine_url: str | None = Field(
        default=None,
        description="an OpenAI-compatible server, with its /v1; unset: the engine of this machine",
    )
    engine_model: str | None = Field(
        default=None, description="the model's name there; unset: the only one that it serves"
    )
    engine_api_key: SecretStr | None = None
    engine_priorities: bool | None = Field(
        default=None,
        description="the server is a vLLM that schedules by priority; unset: by the profile of the "
        "engine of this machine",
    )
    engine_profile: str | None = Field(
        default=None, description="a name from serving/engine/profiles; unset: by this machine"
    )
    engine_port: int = Field(default=8100, ge=1, le=65_535)
    engine_venv: Path = Path(".venv-engine")
    engine_start_timeout_s: float = Field(default=900, gt=0)
    pip_find_links: str | None = Field(
        default=None,
        validation_alias="PIP_FIND_LINKS",
        description="pip's own: where package files lie besides the index",
    )

    ocr: bool = Field(default=False, description="read pages without text with Tesseract")
    passwords_file: Path | None = Field(
        default=None, description="one password a line, to be tried on encrypted files"
    )

    embed_url: str | None = Field(
        default=None,
        description="an OpenAI-compatible /v1 with embeddings; unset: built in",
    )
    embed_model: str | None = None
    embed_api_key: SecretStr | None = None

    rerank_url: str | None = Field(
        default=None,
        description="a server whose /rerank orders the best passages, with its /v1; unset: none",
    )
    rerank_model: str | None = None
    rerank_api_key: SecretStr | None = None
    neighbours: int = Field(
        default=0, ge=0, le=3, description="passages before and behind a hit that are joined to it"
    )

    false_refusals: float = Field(
        default=0.02,
        ge=0.001,
        le=0.2,
        description="share of the documents' own questions that the gate may refuse; more of them, "
        "and more foreign questions are refused too",
    )

    deadline_s: float = Field(default=120, gt=0)
    call_timeout_s: float = Field(default=60, gt=0)
    model_calls: int = Field(default=12, ge=1)
    tokens: int = Field(default=60_000, ge=1_000)
    evidence_tokens: int = Field(default=2_400, ge=200)
    output_tokens: int = Field(default=256, ge=16)

    database_url: SecretStr | None = Field(
        default=None, description="PostgreSQL of the service; unset: SQLite in `home`"
    )
    api_host: str = Field(default="127.0.0.1", description="where `knowledge-agent serve` listens")
    api_port: int = Field(default=8000, ge=0, le=65_535)
    api_auth: bool = Field(
        default=True, description="false: no keys are asked for, on this machine alone"
    )
    prices: Json[dict[str, Price]] = Field(
        default={},
        validate_default=False,
        description="by model, of a million tokens: input, cached_input and output, as JSON",
    )
    currency: str = Field(default="USD", pattern="^[A-Z]{3}$", description="of the prices")
    tokens_per_day: int | None = Field(
        default=None, ge=1, description="a tenant's quota, where it has none of its own"
    )
    tokens_per_month: int | None = Field(default=None, ge=1)
    requests_per_minute: int = Field(default=600, ge=1, description="of a tenant, likewise")
    concurrent_tasks: int = Field(default=100, ge=1, description="of a tenant, likewise")
    jwt_issuer: str | None = Field(
        default=None, description="who makes tokens; unset: API keys alone"
    )
    jwt_audience: str | None = Field(default=None, description="this service's name in them")
    jwt_jwks_url: str | None = Field(default=None, description="where the issuer's keys are")
    jwt_public_key_file: Path | None = Field(
        default=None, description="the issuer's one key, in PEM, instead of `jwt_jwks_url`"
    )
    jwt_algorithms: Annotated[tuple[str, ...], NoDecode] = Field(
        default=("RS256", "ES256"), description="of signatures, with commas between them"
    )
    jwt_tenant_claim: str = Field(default="tenant", min_length=1)
    jwt_leeway_s: float = Field(
        default=30, ge=0, le=300, description="by how much clocks may differ"
    )
    running_tasks: int = Field(default=200, ge=1, description="of this process, at a time")
    queued_tasks: int = Field(
        default=400, ge=0, description="that wait for their turn; beyond, tasks are sent away"
    )
    redis_url: str | None = Field(
        default=None, description="counts requests for all replicas; unset: in the process"
    )
    instance: str | None = Field(
        default=None,
        min_length=1,
        max_length=255,
        description="this server's name among its replicas, the same after a restart; unset: the "
        "host's name and the port",
    )
    review_days: float = Field(
        default=7, gt=0, description="for a plan to be approved before its task is cancelled"
    )
    retention_days: float = Field(
        default=90, gt=0, description="that a task is kept after its end; what it used stays"
    )
    shutdown_grace_s: float = Field(
        default=30, ge=0, description="for running tasks to end before they are cancelled"
    )

    upload_file_bytes: int = Field(default=64 * 1024**2, ge=1, description="of one document")
    upload_files: int = Field(default=100, ge=1, description="documents in one request")
    upload_bytes: int = Field(default=256 * 1024**2, ge=1, description="of one request")
    stored_bytes: int = Field(default=10 * 1024**3, ge=1, description="of a tenant's documents")
    stored_documents: int = Field(default=10_000, ge=1, description="of a tenant")
    index_jobs: int = Field(default=1, ge=1, description="that run at once on this server")
    otlp_endpoint: str | None = Field(
        default=None,
        validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT",
        description="a collector of traces, over HTTP; unset: none is sent",
    )
    otlp_headers: SecretStr | None = Field(
        default=None, validation_alias="OTEL_EXPORTER_OTLP_HEADERS"
    )
    otel_service_name: str = Field(default="knowledge-agent", validation_alias="OTEL_SERVICE_NAME")
    metrics_token: SecretStr | None = Field(
        default=None, description="/metrics asks for it; unset: only this machine may read them"
    )
    log_format: Literal["json", "text"] | None = Field(
        default=None, description="of `serve`; unset: text on a terminal, else json"
    )
    log_content: bool = Field(
        default=False, description="also log what questions, documents and answers say"
    )
    audit_questions: bool = Field(
        default=False, description="keep the text of questions in the audit log"
    )

    langsmith_api_key: SecretStr | None = Field(
        default=None, validation_alias="LANGSMITH_API_KEY", description="set: traces are sent"
    )
    langsmith_endpoint: str | None = Field(default=None, validation_alias="LANGSMITH_ENDPOINT")
    langsmith_project: str = Field(default="knowledge-agent", validation_alias="LANGSMITH_PROJECT")
    trace_content: bool = Field(
        default=False, description="also send questions, passages, prompts and answers"
    )

    @field_validator(
        "chroma_url",
        "database_url",
        "redis_url",
        "jwt_issuer",
        "jwt_audience",
        "jwt_jwks_url",
        "jwt_public_key_file",
        "passwords_file",
        "engine_url",
        "engine_model",
        "engine_profile",
        "embed_url",
        "embed_model",
        "rerank_url",
        "rerank_model",
        "otlp_endpoint",
        "metrics_token",
        "log_format",
        mode="before",
    )
    @classmethod
    def _empty_is_unset(cls, value: object) -> object:
        return None if value == "" else value

    @field_validator("jwt_algorithms", mode="before")
    @classmethod
    def _are_asymmetric(cls, value: str | tuple[str, ...]) -> tuple[str, ...]:
        """A secret that signs and verifies (HS256) would have to be kept here; `none` is none."""
        names = tuple(re.split(r"[\s,]+", value.strip())) if isinstance(value, str) else value
        if unknown := [name for name in names if name not in JWT_ALGORITHMS]:
            raise ValueError(f"{unknown[0]!r} is none of {', '.join(JWT_ALGORITHMS)}")
        return names

    @field_validator(
        *("chroma_url", "engine_url", "embed_url", "rerank_url"),
        *("jwt_jwks_url", "otlp_endpoint"),
    )
    @classmethod
    def _is_a_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            url = HttpUrl(value)
        except ValidationError as error:
            raise ValueError("name an address like http://127.0.0.1:8000/v1") from error
        return str(url).rstrip("/")

    @property
    def index_dir(self) -> Path:
        return self.home / "index"

    @property
    def documents_dir(self) -> Path:
        return self.home / "documents"

    @property
    def instance_name(self) -> str:
        """Two servers on one host have two ports: with one name each would take the other for its
        own dead predecessor."""
        return self.instance or f"{gethostname()}:{self.api_port}"

    @property
    def database_address(self) -> str | None:
        return self.database_url.get_secret_value() if self.database_url else None

    @property
    def engine_dir(self) -> Path:
        return self.home / "engine"

    @property
    def price_list(self) -> Prices:
        return Prices(self.currency, self.prices)

    @property
    def limits(self) -> Limits:
        return Limits(
            deadline_s=self.deadline_s,
            model_calls=self.model_calls,
            tokens=self.tokens,
            evidence_tokens=self.evidence_tokens,
            output_tokens=self.output_tokens,
            call_timeout_s=self.call_timeout_s,
        )


def load_settings() -> Settings:
    """Read the settings, or raise `ConfigError` that names the variable at fault."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = "KA_" + "_".join(str(part) for part in first["loc"]).upper()
        raise ConfigError(f"{name}: {first['msg']}") from error
