"""What the agent is: contracts and topology, no input or output."""
