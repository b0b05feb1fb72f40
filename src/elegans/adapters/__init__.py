"""Who else plays: the place for bridges to other libraries, such as trackers. None is here, because none is needed so far:
parameters leave as safetensors, tables as Polars frames, data as NumPy arrays. A bridge is one file with one extra of its
own, imported by nobody, and `elegans` runs without it."""
