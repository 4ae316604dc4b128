"""One Markdown file per prompt; `nodes.prompt` lays them out."""
