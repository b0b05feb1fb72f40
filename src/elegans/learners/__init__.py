"""Who learns without gradients: elimination, searches, forests. They run as calculations."""
