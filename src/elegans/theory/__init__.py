"""What must hold: exact mathematics in NumPy and SciPy, double precision. Importable without JAX; knows nobody."""
