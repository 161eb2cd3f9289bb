"""Studies of trained models and of training runs."""

# The proposals that a mixing study knows, by name; `mixing.OPERATORS` builds them. The names are
# here so that the help of a command can list them without loading a kernel.
OPERATOR_NAMES = ("unigram", "power", "uniform", "paper", "clusters", "fine")
