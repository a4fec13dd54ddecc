"""The composition root: settings, addresses, workers, services. Imports all, none imports it."""
