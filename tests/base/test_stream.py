"""The random stream is pinned: an upgrade that changed it would silently change every experiment."""

import jax
import jax.numpy as jnp
import numpy as np

from elegans.base import stream
from elegans.base.stream import Purpose


def test_known_values() -> None:
    key = stream.key(7, Purpose.DATA)
    assert np.asarray(stream.words(key, 4)).tolist() == [884754664, 1109997517, 154528444, 4205852361]
    assert np.asarray(stream.words(stream.fold(key, 3), 2)).tolist() == [1409794802, 2677355790]
    assert np.asarray(stream.words(stream.key(7, Purpose.INIT), 1)).tolist() == [2899676959]
    uniform = stream.uniform(key, (3,), -1.0, 1.0, jnp.dtype("float32"))
    np.testing.assert_array_equal(
        np.asarray(uniform), np.array([-0.5880041122436523, -0.48311734199523926, -0.9280421733856201], np.float32)
    )
    normal = stream.normal(key, (3,), 0.5, jnp.dtype("float32"))
    np.testing.assert_allclose(
        np.asarray(normal), np.array([-0.4101930856704712, -0.3240790367126465, -0.899692177772522]), rtol=1e-6
    )


def test_a_prefix_is_the_same_words() -> None:
    key = stream.key(1, Purpose.EVAL)
    np.testing.assert_array_equal(stream.words(key, 8, 2)[:3], stream.words(key, 3, 2))


def test_the_same_key_gives_the_same_words_in_64_bit_mode() -> None:
    plain = np.asarray(stream.words(stream.key(3, Purpose.DATA), 5))
    with jax.enable_x64(True):
        np.testing.assert_array_equal(np.asarray(stream.words(stream.key(3, Purpose.DATA), 5)), plain)


def test_purposes_and_seeds_are_unrelated() -> None:
    keys = [stream.key(seed, p) for seed in (0, 1, 2**32 - 1) for p in Purpose]
    assert len({int(stream.words(k, 1)[0]) for k in keys}) == len(keys)


def test_bit_zero_is_plus_one_and_bit_order_is_little_endian() -> None:
    packed = jnp.array([[0b101, 1]], jnp.uint32)
    signs = np.asarray(stream.signs_of(packed, 40, jnp.dtype("float32")))[0]
    assert signs[:4].tolist() == [-1, 1, -1, 1]
    assert signs[32] == -1 and (signs[3:32] == 1).all() and signs.shape == (40,)
