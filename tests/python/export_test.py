"""What `sluice plan --export` writes is carried out by interpreters of the formats, which know nothing else of Sluice."""

import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy

import msccl_interpreter
import sluice

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples" / "engines"))
import jax_ppermute  # noqa: E402


def command(*arguments):
    return subprocess.run([sys.executable, "-m", "sluice", *arguments], capture_output=True, text=True)


def element(sender, receiver, index):
    """A value that tells where it is from."""
    return (sender * 1000 + receiver) * 10**6 + index


def buffers(traffic, devices, by_receiver=False):
    """What devices send, or what they have to get: one message behind the other."""
    result = []
    for device in range(devices):
        parts = [numpy.zeros(0, dtype=numpy.int64)]
        peers = range(traffic.shape[0] if by_receiver else traffic.shape[1])
        for peer in peers:
            pair = (peer, device) if by_receiver else (device, peer)
            if pair[0] < traffic.shape[0] and pair[1] < traffic.shape[1]:
                parts.append(element(*pair, numpy.arange(traffic[pair])))
        result.append(numpy.concatenate(parts))
    return result


def ppermute(blocks, pairs):
    """As jax.lax.ppermute: no two pairs have a source or a destination in common; who is no destination gets zeros."""
    assert len({source for source, _ in pairs}) == len(pairs) == len({destination for _, destination in pairs})
    result = numpy.zeros_like(blocks)
    for source, destination in pairs:
        result[destination] = blocks[source]
    return result


def run_ppermute(text, sends):
    plan = json.loads(text)
    assert plan["schema"] == "sluice.ppermute/1"
    devices = plan["devices"]
    assert [len(each) for each in sends] == plan["send_sizes"]
    receives = [numpy.full(size, -1) for size in plan["receive_sizes"]]
    for copy in plan.get("copies", []):
        start, to, size = copy["send_offset"], copy["receive_offset"], copy["size"]
        receives[copy["device"]][to:to + size] = sends[copy["device"]][start:start + size]
    for step in plan["steps"]:
        blocks = numpy.zeros((devices, step["size"]), dtype=numpy.int64)  # all of one shape, as JAX has it
        for (source, _), piece in zip(step["pairs"], step["slices"], strict=True):
            at = piece["send_offset"]
            blocks[source, :piece["size"]] = sends[source][at:at + piece["size"]]
        blocks = ppermute(blocks, step["pairs"])
        for (_, destination), piece in zip(step["pairs"], step["slices"], strict=True):
            at = piece["receive_offset"]
            receives[destination][at:at + piece["size"]] = blocks[destination, :piece["size"]]
    return receives


class Lax:
    """What the example for JAX takes of jax.lax, on devices that are threads. As there, a slice that goes beyond its
    array is moved into it."""

    def __init__(self, devices):
        self.here, self.blocks = threading.local(), [None] * devices
        self.barrier = threading.Barrier(devices, timeout=100)

    def axis_index(self, _axis):
        return self.here.device

    def ppermute(self, block, _axis, pairs):
        self.blocks[self.here.device] = block
        self.barrier.wait()
        result = ppermute(numpy.stack(self.blocks), pairs)[self.here.device]
        self.barrier.wait()
        return result

    @staticmethod
    def place(array, at, size):
        return slice(start := min(max(int(at[0]), 0), len(array) - size), start + size)

    def dynamic_slice(self, array, at, sizes):
        return array[self.place(array, at, sizes[0])].copy()

    def dynamic_update_slice(self, array, update, at):
        result = array.copy()
        result[self.place(array, at, len(update))] = update
        return result


def run_jax_example(text, sends):
    """By examples/engines/jax_ppermute.py, with a stand-in for jax.lax and NumPy in place of jax.numpy."""
    plan = json.loads(text)
    devices, margin = plan["devices"], jax_ppermute.longest(plan)
    lax, receives = Lax(devices), [None] * devices

    def run(device):
        lax.here.device = device
        send = numpy.zeros(max(plan["send_sizes"]) + margin, dtype=numpy.int64)
        send[:len(sends[device])] = sends[device]
        room = numpy.full(max(plan["receive_sizes"]) + margin, -1)
        receives[device] = jax_ppermute.exchange(plan, send, room, lax, numpy)[:plan["receive_sizes"][device]]

    threads = [threading.Thread(target=run, args=(device,)) for device in range(devices)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return receives


def run_p2p(text, sends):
    plan = json.loads(text)
    assert plan["schema"] == "sluice.p2p/1"
    assert [len(each) for each in sends] == plan["send_sizes"]
    receives = [numpy.full(size, -1) for size in plan["receive_sizes"]]
    for group in plan["groups"]:
        posted = {}
        for each in group:
            device, kind, size = each["device"], each["kind"], each["size"]
            if kind == "copy":
                receives[device][each["to_offset"]:each["to_offset"] + size] = sends[device][each["offset"]:each["offset"] + size]
                continue
            pair = (device, each["peer"]) if kind == "send" else (each["peer"], device)
            assert device != each["peer"] and (kind, *pair) not in posted
            posted[(kind, *pair)] = each
        assert len(posted) % 2 == 0
        busy = [(kind, pair[0] if kind == "send" else pair[1]) for kind, *pair in posted]
        assert len(set(busy)) == len(busy)  # one per direction
        for (kind, *pair), each in posted.items():
            if kind == "receive":
                sent = posted[("send", *pair)]
                assert sent["size"] == each["size"]
                receives[pair[1]][each["offset"]:each["offset"] + each["size"]] = (
                    sends[pair[0]][sent["offset"]:sent["offset"] + sent["size"]])
    return receives


def run_gloo(text, sends):
    """Over TCP, by examples/engines/gloo_groups.cpp."""
    plan = json.loads(text)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "groups.json").write_text(text)
        for device, elements in enumerate(sends):
            (folder / f"send-{device}").write_bytes(elements.astype(numpy.int64).tobytes())
        done = subprocess.run([GLOO_GROUPS, str(folder / "groups.json"), name], capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        return [numpy.frombuffer((folder / f"receive-{device}").read_bytes(), dtype=numpy.int64)
                for device in range(plan["devices"])]


GLOO_GROUPS = os.environ.get("SLUICE_GLOO_GROUPS")
ENGINES = [("ppermute", run_ppermute), ("ppermute", run_jax_example), ("p2p", run_p2p)]
if GLOO_GROUPS:
    ENGINES.append(("p2p", run_gloo))


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def planned(self, *arguments):
        path = self.folder / "plan.json"
        run = command("plan", *arguments, "--json", str(path))
        self.assertEqual(run.returncode, 0, run.stderr)
        return sluice.read_schedule(path)

    def file_of(self, traffic):
        path = self.folder / "traffic.csv"
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in traffic))
        return str(path)


class Steps(Folder):
    def check(self, traffic, plan):
        devices = max(traffic.shape)
        expected = buffers(traffic, devices, by_receiver=True)
        for form, run in ENGINES:
            found = run(plan.export(form), buffers(traffic, devices))
            self.assertEqual(len(found), devices)
            for ours, theirs in zip(found, expected):
                numpy.testing.assert_array_equal(ours, theirs)

    def test_of_exchanges_bring_all_data(self):
        random = numpy.random.default_rng(7)
        for shape in ((1, 1), (3, 3), (4, 7), (6, 2)):
            traffic = random.integers(0, 60, shape) * (random.random(shape) < 0.7)
            self.check(traffic, sluice.plan_exchange(traffic, max_transfers=min(2, *shape), setup=3))
        self.check(traffic, sluice.plan_exchange(traffic, algorithm="oggp", setup=0))

    def test_cut_messages(self):
        traffic = numpy.array([[7, 2, 0], [4, 5, 0], [0, 0, 9]])
        plan = sluice.plan_exchange(traffic, max_transfers=2, setup=0)
        self.assertGreater(len(plan.transfers), 5)  # messages
        self.check(traffic, plan)

    def test_of_redistributions_bring_all_data(self):
        plan = sluice.plan_redistribution("4:3", "3:5", 60)
        traffic = numpy.zeros((4, 3), dtype=numpy.int64)
        numpy.add.at(traffic, (plan.transfers["sender"], plan.transfers["receiver"]), plan.transfers["size"])
        self.check(traffic, plan)

    def test_of_processes_in_both_grids_copy_what_stays(self):
        arguments = ("redistribute", "--from", "4:3", "--to", "4:5", "--shape", "60", "--same-processes")
        every = sluice.plan_redistribution("4:3", "4:5", 60)
        traffic = numpy.zeros((4, 4), dtype=numpy.int64)
        numpy.add.at(traffic, (every.transfers["sender"], every.transfers["receiver"]), every.transfers["size"])
        plan = self.planned(*arguments)
        self.check(traffic, plan)
        self.assertEqual(len(json.loads(plan.export("ppermute"))["copies"]), len(plan.copies))
        self.assertGreater(len(plan.copies), 0)

    def test_of_relabelled_processes_go_to_who_plays_the_role(self):
        for source, target, length in (("16:3", "16:5", 240), ("4:3", "6:2", 72), ("6:2", "4:3", 72)):
            arguments = ("redistribute", "--from", source, "--to", target, "--shape", str(length), "--relabel")
            plan = self.planned(*arguments)
            roles = json.loads(plan.to_json())["input"]["roles"]
            self.assertNotEqual(roles, list(range(len(roles))))
            every = sluice.plan_redistribution(source, target, length)
            traffic = numpy.zeros((every.senders, every.receivers), dtype=numpy.int64)
            numpy.add.at(traffic, (every.transfers["sender"], every.transfers["receiver"]), every.transfers["size"])
            devices = max(traffic.shape)
            of_receivers = buffers(traffic, devices, by_receiver=True)
            for form, run in ENGINES:
                found = run(plan.export(form), buffers(traffic, devices))
                self.assertEqual(len(found), devices)
                for device, role in enumerate(roles):
                    expected = of_receivers[role] if role < every.receivers else []
                    numpy.testing.assert_array_equal(found[device], expected)


def all_to_all(devices, pieces):
    """A schedule in which device d sends to d + 1, d + 2 and so on, each message in pieces of these sizes."""
    steps, size = [], sum(pieces)
    for distance in range(1, devices):
        offset = 0
        for piece in pieces:
            steps.append({"duration": piece, "transfers": [
                {"from": device, "to": (device + distance) % devices, "offset": offset, "size": piece}
                for device in range(devices)]})
            offset += piece
    cost = {"steps": len(steps), "transmission": (devices - 1) * size, "total": (devices - 1) * size}
    return sluice.schedule_from_json(json.dumps({
        "schema": "sluice.schedule/1", "type": "steps", "problem": "exchange", "algorithm": "by hand", "senders": devices,
        "receivers": devices, "max_transfers": devices, "setup": 0, "steps": steps, "cost": cost, "bound": cost}))


class Msccl(Folder):
    def read(self, plan):
        """What is written, which keeps the limits."""
        algorithm = msccl_interpreter.Algorithm(plan.export("msccl"))
        self.assertEqual(algorithm.exceeded(), [])
        return algorithm

    def check(self, plan, places=(0, 1, 2), seeds=range(3)):
        """Carries out what is written, with messages under way and with none; returns it."""
        algorithm = self.read(plan)
        self.assertEqual((algorithm.collective, algorithm.ways, algorithm.least_bytes), ("alltoall", [False], 0))
        self.assertGreaterEqual(algorithm.most_bytes, 2**40)  # not 0, which MSCCL's own reader takes for a limit
        for run in msccl_interpreter.check(algorithm, places, seeds):
            # The steps of the plan are kept: each device sends and receives in their order.
            for device in range(algorithm.devices):
                for kind, own, other in (("s", "sender", "receiver"), ("r", "receiver", "sender")):
                    moved = [peer for at, what, peer in run.log if (at, what) == (device, kind)]
                    planned = [int(each[other]) for each in plan.transfers
                               if each[own] == device and each["sender"] != each["receiver"]]
                    self.assertEqual([peer for peer, _ in itertools.groupby(moved)],
                                     [peer for peer, _ in itertools.groupby(planned)])
        return algorithm

    def test_of_an_all_to_all_brings_every_chunk_and_copies_the_own_block(self):
        for devices in (2, 3, 8):
            for own in (0, 5):
                traffic = numpy.full((devices, devices), 5)
                numpy.fill_diagonal(traffic, own)
                self.assertEqual(self.check(sluice.plan_exchange(traffic)).chunks, devices)
        self.check(sluice.plan_exchange(numpy.full((6, 6), 4), max_transfers=2))

    def test_of_a_redistribution_of_equal_messages(self):
        self.check(self.planned("redistribute", "--from", "4:1", "--to", "4:4", "--shape", "64"))
        self.check(self.planned("redistribute", "--from", "4:1", "--to", "4:4", "--shape", "64", "--same-processes"))

    def test_of_cut_messages_brings_every_chunk(self):
        # Three ports for two transfers at once: with steps for nothing, cutting in halves is best.
        self.assertEqual(self.check(sluice.plan_exchange(numpy.full((3, 3), 4), max_transfers=2, setup=0)).chunks, 6)

    def test_keeps_the_limits_of_executors(self):
        for pieces, counts in (((71, 1), {71, 1}), ((72, 1), {71, 1, 2}), ((1000, 1), {71, 6, 1, 7})):
            algorithm = self.check(all_to_all(3, pieces))
            self.assertEqual({step.count for blocks in algorithm.blocks for block in blocks for step in block.steps}, counts)
        for pieces in ([1] * 64, [1, 63 * 71]):  # as many steps as there may be
            self.check(all_to_all(2, pieces), places=(1,), seeds=range(1))
        self.assertEqual(len(self.read(all_to_all(32, [1])).blocks[0]), 63)
        self.assertEqual(self.read(all_to_all(32, [1023, 1])).chunks, 2**15)

    def test_refuses_what_executors_cannot_read(self):
        for devices, pieces, about in (
                (33, [1], "33 devices, expected at most 32, .* --export p2p takes any number"),
                (2, [1] * 65, "device 0 sends to device 1 in more than 64 steps, expected .* first-fit"),
                (2, [64 * 71, 1], "device 0 copies its own block in more than 64 steps, expected .* first-fit"),
                (32, [1024, 1], "1025 chunks a message, 32800 on a device, expected at most 32768 .* first-fit")):
            plan = all_to_all(devices, pieces)
            with self.assertRaisesRegex(sluice.InputError, about):
                plan.export("msccl")

    def test_refuses_what_is_no_all_to_all_of_equal_messages(self):
        for traffic, about in (([[1, 2], [2, 1]], "messages of one size"), ([[1, 1, 1], [1, 1, 1]], "2 senders and 3 receivers"),
                               ([[0, 1], [0, 0]], "one for each pair"), ([[1, 1], [1, 0]], "to themselves")):
            with self.assertRaisesRegex(sluice.InputError, about):
                sluice.plan_exchange(traffic).export("msccl")


class Interpreter(unittest.TestCase):
    """The interpreter of MSCCL, on the files of tests/schedule/foreign/cases: four right ones, and three wrong ones."""

    def read(self, name):
        cases = pathlib.Path(__file__).parents[1] / "schedule" / "foreign" / "cases"
        return msccl_interpreter.Algorithm((cases / f"{name}.xml").read_text())

    def test_carries_out_what_is_right(self):
        # With fewer places on a connection than the number, they get stuck.
        for name, least in (("pair", 0), ("alltoall2", 1), ("ring3", 2), ("slots", 3)):
            algorithm = self.read(name)
            self.assertEqual(algorithm.exceeded(), [])
            for places in range(5):
                if places >= least:
                    msccl_interpreter.check(algorithm, (places,))
                else:
                    with self.assertRaisesRegex(msccl_interpreter.Wrong, "stuck"):
                        msccl_interpreter.check(algorithm, (places,))

    def test_finds_what_is_wrong(self):
        for name, about in (("alias", r"output chunk 0: .*, expected \[\(0, 0\), \(1, 0\)\]"), ("early", "output chunk 0")):
            with self.assertRaisesRegex(msccl_interpreter.Wrong, about):
                msccl_interpreter.check(self.read(name))
        with self.assertRaisesRegex(msccl_interpreter.Wrong, "never tells"):
            self.read("flag")


class Command(Folder):
    def refused(self, about, *arguments):
        run = command("plan", *arguments)
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), run.stderr)
        self.assertIn(about, run.stderr)
        self.assertEqual([each.name for each in self.folder.iterdir()], ["traffic.csv"])

    def test_writes_a_file_beside_the_table(self):
        with self.assertRaisesRegex(sluice.InputError, "ppermute, p2p or msccl"):
            sluice.plan_redistribution("16:3", "16:5").export("nccl")
        path = self.folder / "steps.json"
        run = command("plan", "redistribute", "--from", "16:3", "--to", "16:5", "--export", "p2p", str(path))
        self.assertEqual(run.returncode, 0)
        self.assertIn("optimal in NS and TC", run.stdout)
        self.assertEqual(len(json.loads(path.read_text())["groups"]), 7)

    def test_refuses_bad_input(self):
        file, out = self.file_of(numpy.array([[7, 2], [4, 5]])), str(self.folder / "out")
        self.refused("'nccl', expected ppermute, p2p or msccl", "exchange", file, "--export", "nccl", out)
        self.refused("--export", "exchange", file, "--export", "p2p")
        self.refused("/nowhere/out", "exchange", file, "--export", "p2p", "/nowhere/out")
        self.refused("cannot be used with --summary", "exchange", file, "--export", "p2p", out, "--summary")
        self.refused("standard output twice", "exchange", file, "--export", "p2p", "-", "--json", "-")
        grids = ("redistribute", "--from", "16:3", "--to", "16:5", "--export", "p2p", out)
        self.refused("cannot be used with --rank", *grids, "--rank", "3")
        self.refused("cannot be used with --front", *grids, "--front")
        self.refused("walker-otto", *grids, "--algorithm", "walker-otto")
        pathlib.Path(file).write_text(("1," * 32 + "1\n") * 33)
        self.refused("export msccl: 33 devices, expected at most 32", "exchange", file, "--export", "msccl", out, "--json",
                     str(self.folder / "plan.json"))
        pathlib.Path(file).write_text("0.5,1\n1,1\n")
        self.refused("1 decimal", "exchange", file, "--export", "p2p", out)


if __name__ == "__main__":
    unittest.main()
