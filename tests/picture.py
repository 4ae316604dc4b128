"""The graph as a Mermaid picture, for the README."""

from langchain_core.runnables.graph import Graph

NAMES = {"__start__": "start([question])", "__end__": "end_([answer, refusal or plan])"}


def mermaid(drawn: Graph) -> str:
    """A line an edge, in a stable order: solid where it is always taken, dotted where the state
    decides, with a label where a failure takes it. LangGraph's error handlers are no nodes of ours:
    a fallback is the edge between the nodes themselves."""
    lines = ["graph TD"]
    for edge in sorted(drawn.edges, key=lambda edge: (edge.source, edge.target)):
        arrow = "-.->" if edge.conditional else "-->"
        label = f"|{edge.data}|" if edge.data and edge.data != edge.target else ""
        lines.append(f"  {_name(edge.source)} {arrow}{label} {_name(edge.target)}")
    return "\n".join(lines) + "\n"


def _name(node: str) -> str:
    return NAMES.get(node, node)
