"""How fast the lab trains, against the usual ways of training many small networks. `make bench` runs it."""
