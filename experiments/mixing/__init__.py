"""Figure 2 of the paper: operators compared at equal time."""
