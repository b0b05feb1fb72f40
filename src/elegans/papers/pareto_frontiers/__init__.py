"""Pareto Frontiers: feature learning can be paid for in data, compute, width or luck, and sparse starts make it cheaper."""
