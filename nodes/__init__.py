"""What each step of a task does: one module, one async function, named like the file."""
