"""Ways of working: folders with a `SKILL.md`, read by `chat.skills.reading`."""
