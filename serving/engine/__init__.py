"""The model server: profiles, installation, launch, readiness."""
