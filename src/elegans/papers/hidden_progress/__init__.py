"""Hidden Progress: networks learn sparse parities near the computational limit, and make progress before it shows."""
