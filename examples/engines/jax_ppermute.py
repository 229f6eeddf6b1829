"""Carries out with JAX what `sluice plan --export ppermute FILE` wrote:

    XLA_FLAGS=--xla_force_host_platform_device_count=8 python3 jax_ppermute.py FILE

The flag makes as many devices of a CPU. JAX runs one program on all devices, with arrays of one shape. If devices do
different things in a step, a table has an entry for each device. A device that gets less than the longest piece of a
step, or nothing, keeps what it had.
"""

import json
import sys

import numpy

AXIS = "device"


def steps_of(plan):
    """Yields for each step its pairs, the size of its blocks, and by device: the offset that it sends from, the one
    that it receives at, and how many elements it gets. Pairs are None for what devices have for themselves."""
    devices = range(plan["devices"])
    copies = [[each for each in plan.get("copies", []) if each["device"] == device] for device in devices]
    steps = [(None, [(each[i]["device"], each[i]["device"], each[i]) for each in copies if i < len(each)])
             for i in range(max(map(len, copies)))]
    for step in plan["steps"]:
        pieces = [(*pair, piece) for pair, piece in zip(step["pairs"], step["slices"])]
        steps.append(([tuple(pair) for pair in step["pairs"]], pieces))
    for pairs, pieces in steps:
        sends_from, receives_at, gets = numpy.zeros((3, len(devices)), dtype=numpy.int32)
        for source, destination, piece in pieces:
            sends_from[source] = piece["send_offset"]
            receives_at[destination] = piece["receive_offset"]
            gets[destination] = piece["size"]
        yield pairs, int(gets.max()), sends_from, receives_at, gets


def longest(plan):
    """The size of the longest block. Buffers are longer by it, as a slice has to lie in its array as a whole."""
    return max((size for _, size, *_ in steps_of(plan)), default=0)


def exchange(plan, send, received, lax, jnp):
    """What each device does, inside of shard_map: `received`, with what it gets of the `send` of all."""
    device = lax.axis_index(AXIS)
    for pairs, size, sends_from, receives_at, gets in steps_of(plan):
        block = lax.dynamic_slice(send, (jnp.asarray(sends_from)[device],), (size,))
        if pairs is not None:
            block = lax.ppermute(block, AXIS, pairs)
        at = (jnp.asarray(receives_at)[device],)
        is_own = jnp.arange(size) < jnp.asarray(gets)[device]
        block = jnp.where(is_own, block, lax.dynamic_slice(received, at, (size,)))
        received = lax.dynamic_update_slice(received, block, at)
    return received


def main(path):
    import jax
    from jax.experimental.shard_map import shard_map

    with open(path) as file:
        plan = json.load(file)
    devices, margin = plan["devices"], longest(plan)
    send = numpy.zeros((devices, max(plan["send_sizes"]) + margin), dtype=numpy.int32)
    for device, size in enumerate(plan["send_sizes"]):
        send[device, :size] = numpy.arange(size) + 1000 * device
    received = numpy.full((devices, max(plan["receive_sizes"]) + margin), -1, dtype=numpy.int32)
    mesh = jax.sharding.Mesh(jax.devices()[:devices], (AXIS,))
    rows = jax.sharding.PartitionSpec(AXIS)
    run = shard_map(lambda out, into: exchange(plan, out[0], into[0], jax.lax, jax.numpy)[None], mesh=mesh,
                    in_specs=(rows, rows), out_specs=rows)
    for device, (size, got) in enumerate(zip(plan["receive_sizes"], numpy.asarray(jax.jit(run)(send, received)))):
        print(f"device {device}: {size} elements, {numpy.count_nonzero(got[:size] == -1)} missing")


if __name__ == "__main__":
    main(sys.argv[1])
