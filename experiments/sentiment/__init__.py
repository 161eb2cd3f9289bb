"""Table 2: free energies of class models as features of documents, Large Movie Review data."""
