"""The only place where the parts are joined; a module for each thing that a command may need."""
