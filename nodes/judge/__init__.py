"""Whether passages bear what was written, and which of their sentences to quote; no model."""
