"""What can go wrong with a service, said in one line that a person can act on."""


class ServiceError(Exception):
    """A service could not be started; the message says what to do."""
