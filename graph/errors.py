"""Every exception that this product raises on purpose.

AgentError
├── InputError                what the caller sent cannot be worked on
│   └── UnsupportedType         a file of a type that is not read
├── ConfigError               a setting or a file of the owner is wrong
├── KnowledgeError            documents and their index
│   ├── IndexMissing            nothing was ever ingested here
│   ├── IndexEmpty              the index exists and holds no passage
│   ├── IndexMismatch           made with another embedder, chunker or version
│   ├── IndexLocked             another process owns the embedded index
│   ├── EmbedderUnavailable     no vectors can be made right now
│   │   └── TextRefused           not of this text, now or later
│   └── RerankerUnavailable     no reranker's scores right now
├── ModelError                the model server, seen from the client
│   ├── ModelUnavailable        not reachable, or answers 5xx          (retried)
│   ├── ModelRateLimited        answers 429                            (retried)
│   ├── ModelTimeout            took longer than the call may take
│   ├── ModelRejected           answers another 4xx: a repeat is no use
│   ├── ContextOverflow         the prompt does not fit the model's window
│   └── ModelOutputUnusable     empty, or not what the schema asked for
├── PlanInvalid               a plan breaks the contract of graph.plan
├── BudgetExceeded            the task's own bounds
│   ├── DeadlineExceeded
│   ├── CallLimitExceeded
│   └── TokenLimitExceeded
├── ServiceError              the REST service
│   ├── Unauthenticated         no key or token, or one that does not hold
│   ├── Forbidden               known, but not allowed to do this
│   ├── NotFound                there is no such thing for this tenant
│   ├── Conflict                not in this state
│   ├── TooLarge                more than may be sent or kept
│   ├── TooMuch                 not now: `retry_after_s` says when
│   │   ├── QuotaExceeded         the tokens of a day or month are used up
│   │   ├── RateLimited           too many requests, or tasks at a time
│   │   └── Overloaded            the whole server has too much to do
│   ├── ShuttingDown            no new work is taken
│   ├── IdentityUnavailable     the server of the tokens' keys does not answer
│   └── StoreUnavailable        the database does not answer
└── EngineError               starting and stopping the model server
    ├── EngineNotInstalled
    ├── PortInUse
    ├── ModelMissing
    ├── NotEnoughMemory
    ├── EngineDied              carries the last lines of its log
    └── EngineStartTimeout

A message says what happened and what to do next; it is written for the person who asked.
"""


class AgentError(RuntimeError):
    """Root of the tree; never raised itself.

    A `RuntimeError`, since LangGraph's server shows the message of few classes and hides others'.
    """


class InputError(AgentError):
    pass


class UnsupportedType(InputError):
    pass


class ConfigError(AgentError):
    pass


class KnowledgeError(AgentError):
    pass


class IndexMissing(KnowledgeError):
    pass


class IndexEmpty(KnowledgeError):
    pass


class IndexMismatch(KnowledgeError):
    pass


class IndexLocked(KnowledgeError):
    pass


class EmbedderUnavailable(KnowledgeError):
    pass


class TextRefused(EmbedderUnavailable):
    pass


class RerankerUnavailable(KnowledgeError):
    pass


class ModelError(AgentError):
    pass


class ModelUnavailable(ModelError):
    pass


class ModelRateLimited(ModelError):
    pass


class ModelTimeout(ModelError):
    pass


class ModelRejected(ModelError):
    pass


class ContextOverflow(ModelError):
    pass


class ModelOutputUnusable(ModelError):
    pass


class PlanInvalid(AgentError):
    pass


class BudgetExceeded(AgentError):
    pass


class DeadlineExceeded(BudgetExceeded):
    pass


class CallLimitExceeded(BudgetExceeded):
    pass


class TokenLimitExceeded(BudgetExceeded):
    pass


class ServiceError(AgentError):
    pass


class Unauthenticated(ServiceError):
    pass


class Forbidden(ServiceError):
    pass


class NotFound(ServiceError):
    pass


class Conflict(ServiceError):
    pass


class TooLarge(ServiceError):
    pass


class TooMuch(ServiceError):
    def __init__(self, message: str, *, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class QuotaExceeded(TooMuch):
    pass


class RateLimited(TooMuch):
    pass


class Overloaded(TooMuch):
    pass


class ShuttingDown(ServiceError):
    pass


class IdentityUnavailable(ServiceError):
    pass


class StoreUnavailable(ServiceError):
    pass


class EngineError(AgentError):
    pass


class EngineNotInstalled(EngineError):
    pass


class PortInUse(EngineError):
    pass


class ModelMissing(EngineError):
    pass


class NotEnoughMemory(EngineError):
    pass


class EngineDied(EngineError):
    pass


class EngineStartTimeout(EngineError):
    pass
