"""Starting, watching and stopping a model server, with a stand-in for vLLM."""
