"""Page text cut into passages, sentences and keyword tokens."""
