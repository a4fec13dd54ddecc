"""Embedding models, the service that holds one, and the vectors it makes."""
