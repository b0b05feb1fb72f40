"""Feature Emergence: networks that compose group elements come to use the group's irreducible representations."""
