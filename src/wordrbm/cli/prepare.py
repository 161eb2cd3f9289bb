"""`wordrbm prepare`: text files in, a prepared corpus out."""


def prepare() -> None:
    """Turn text files into a prepared corpus."""
