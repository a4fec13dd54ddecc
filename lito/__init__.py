"""Lito's composition root: settings, addresses, workers, services. Imports all, nobody imports it."""
