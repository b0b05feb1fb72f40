"""The ground floor: errors that teach, configuration with declared ranges, discovery, and the one random stream."""
