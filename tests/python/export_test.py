"""What `sluice plan --export` writes is carried out by interpreters of the formats, which know nothing else of Sluice."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree

import numpy

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


def run_msccl(text):
    """Runs an all-to-all of MSCCL by its rules; the chunks that each device has in the end, as (device, chunk)."""
    algorithm = xml.etree.ElementTree.fromstring(text)
    assert algorithm.tag == "algo" and algorithm.get("coll") == "alltoall" and algorithm.get("inplace") == "0"
    devices, chunks = int(algorithm.get("ngpus")), int(algorithm.get("nchunksperloop"))
    assert chunks % devices == 0 and [int(gpu.get("id")) for gpu in algorithm] == list(range(devices))
    blocks, outputs, waited_for = {}, [[None] * chunks for _ in range(devices)], set()
    for gpu in algorithm:
        assert int(gpu.get("i_chunks")) == int(gpu.get("o_chunks")) == chunks
        peers = []
        for number, block in enumerate(gpu):
            assert int(block.get("id")) == number
            peers += [(way, block.get(way), block.get("chan")) for way in ("send", "recv") if block.get(way) != "-1"]
            steps = []
            for place, step in enumerate(block):
                assert int(step.get("s")) == place
                steps.append({name: value if name in ("type", "srcbuf", "dstbuf") else int(value)
                              for name, value in step.attrib.items()})
                if steps[-1]["depid"] >= 0:
                    waited_for.add((int(gpu.get("id")), steps[-1]["depid"], steps[-1]["deps"]))
            blocks[int(gpu.get("id")), number] = {"send": int(block.get("send")), "recv": int(block.get("recv")),
                                                  "steps": steps, "done": 0}
        assert len(set(peers)) == len(peers)  # a connection belongs to one thread block
    for (gpu, block), state in blocks.items():
        for place, step in enumerate(state["steps"]):
            assert step["hasdep"] == ((gpu, block, place) in waited_for)
    connections, moved = {}, True
    while moved:
        moved = False
        for (gpu, block), state in blocks.items():
            if state["done"] == len(state["steps"]):
                continue
            step = state["steps"][state["done"]]
            if step["depid"] >= 0:
                assert step["depid"] != block
                if blocks[gpu, step["depid"]]["done"] <= step["deps"]:
                    continue
            source, target, count = step["srcoff"], step["dstoff"], step["cnt"]
            assert step["srcbuf"] == "i" and step["dstbuf"] == "o" and count >= 1
            assert 0 <= source <= chunks - count and 0 <= target <= chunks - count
            if step["type"] == "s":
                connections.setdefault((gpu, state["send"]), []).append([(gpu, source + i) for i in range(count)])
            elif step["type"] == "cpy":
                outputs[gpu][target:target + count] = [(gpu, source + i) for i in range(count)]
            else:
                assert step["type"] == "r"
                queue = connections.get((state["recv"], gpu), [])
                if not queue:
                    continue
                data = queue.pop(0)
                assert len(data) == count
                outputs[gpu][target:target + count] = data
            state["done"] += 1
            moved = True
    assert all(state["done"] == len(state["steps"]) for state in blocks.values()), "stuck"
    assert not any(connections.values())
    return outputs, devices, chunks


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


class Msccl(Folder):
    def check(self, traffic, **options):
        outputs, devices, chunks = run_msccl(sluice.plan_exchange(traffic, **options).export("msccl"))
        self.assertEqual(devices, len(traffic))
        part = chunks // devices
        to_self = traffic[0, 0] > 0
        for receiver in range(devices):
            for sender in range(devices):
                expected = [(sender, receiver * part + i) for i in range(part)]
                if sender == receiver and not to_self:
                    expected = [None] * part
                self.assertEqual(outputs[receiver][sender * part:(sender + 1) * part], expected)
        return part

    def test_of_an_all_to_all_brings_every_chunk(self):
        for devices in (2, 3, 8):
            self.assertEqual(self.check(numpy.full((devices, devices), 5)), 1)
            self.check(numpy.full((devices, devices), 5) - 5 * numpy.eye(devices, dtype=int))
        self.check(numpy.full((6, 6), 4), max_transfers=2)

    def test_of_cut_messages_brings_every_chunk(self):
        # Three ports for two transfers at once: with steps for nothing, cutting in halves is best.
        self.assertGreater(self.check(numpy.full((3, 3), 4), max_transfers=2, setup=0), 1)

    def test_refuses_what_is_no_all_to_all_of_equal_messages(self):
        for traffic, about in (([[1, 2], [2, 1]], "messages of one size"), ([[1, 1, 1], [1, 1, 1]], "2 senders and 3 receivers"),
                               ([[0, 1], [0, 0]], "one for each pair"), ([[1, 1], [1, 0]], "to themselves")):
            with self.assertRaisesRegex(sluice.InputError, about):
                sluice.plan_exchange(traffic).export("msccl")


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
        pathlib.Path(file).write_text("0.5,1\n1,1\n")
        self.refused("1 decimal", "exchange", file, "--export", "p2p", out)


if __name__ == "__main__":
    unittest.main()
