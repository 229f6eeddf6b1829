"""Reads algorithms of MSCCL (XML), tells which limits of executors they exceed, and carries them out by MSCCL's rules.
It knows nothing of Sluice.

A device has the buffers i, o and s (scratch), in chunks; an array has nchunksperloop of them. In place o is i, for an
allgather i is block r of o, for a reduce-scatter o is block r of i. A thread block carries out its steps in order:

    s sends; r receives; rcs receives and sends on; rrc combines with src and keeps; rrs combines and sends on; rrcs
    combines, keeps and sends on; cpy copies; re combines src with dst; nop waits

What a step does not use of src and dst is a comment. `depid` and `deps` name a thread block of the device and the step
of it that has to be done before; only steps with hasdep="1" tell. The k-th send from a device to another on a channel
meets the k-th receive. As many messages are under way on a connection as it has places.

A value is the sorted list of the input chunks, (device, chunk), that are combined in it.
"""

import collections
import random
import xml.etree.ElementTree

Step = collections.namedtuple("Step", "type src dst count after tells")  # src, dst: (buffer, offset)
ATTRIBUTES = {
    "algo": "name proto nchannels nchunksperloop ngpus coll inplace outofplace minBytes maxBytes",
    "gpu": "id i_chunks o_chunks s_chunks",
    "tb": "id send recv chan",
    "step": "s type srcbuf srcoff dstbuf dstoff cnt depid deps hasdep",
}
TEXTS = {"name", "proto", "coll", "type", "srcbuf", "dstbuf"}
USES = {  # of a step: whether it receives, sends, reads src, writes dst
    "s": (False, True, True, False), "r": (True, False, False, True), "rcs": (True, True, False, True),
    "rrc": (True, False, True, True), "rrs": (True, True, True, False), "rrcs": (True, True, True, True),
    "cpy": (False, False, True, True), "re": (False, False, True, True), "nop": (False, False, False, False),
}
PLACES = {"Simple": 2, "LL": 8, "LL128": 8}


class Wrong(Exception):
    """The file cannot be read, gets stuck, or does not carry out its collective."""


def require(condition, text):
    if not condition:
        raise Wrong(text)


def attributes(node):
    result = {}
    for name in ATTRIBUTES[node.tag].split():
        require(name in node.attrib, f"{node.tag} without {name}")
        result[name] = node.get(name) if name in TEXTS else int(node.get(name))
    return result


class Block:
    def __init__(self, number, node):
        found = attributes(node)
        require(found["id"] == number, f"thread block {number} expected, is {found['id']}")
        self.send, self.receive, self.channel, self.steps = found["send"], found["recv"], found["chan"], []
        for place, each in enumerate(node):
            step = attributes(each)
            require(step["s"] == place, f"step {place} expected, is {step['s']}")
            require(step["type"] in USES and {step["srcbuf"], step["dstbuf"]} <= set("ios"), f"step {each.attrib}")
            require(step["hasdep"] in (0, 1), "hasdep is neither 0 nor 1")
            self.steps.append(Step(step["type"], (step["srcbuf"], step["srcoff"]), (step["dstbuf"], step["dstoff"]),
                                   step["cnt"], (step["depid"], step["deps"]), step["hasdep"] == 1))


class Algorithm:
    """What a reader makes of a file; raises Wrong for one that it would refuse, or that contradicts itself."""

    def __init__(self, text):
        root = xml.etree.ElementTree.fromstring(text)
        require(root.tag == "algo", "no algo")
        found = attributes(root)
        self.devices, self.chunks, self.channels = found["ngpus"], found["nchunksperloop"], found["nchannels"]
        self.collective, self.protocol = found["coll"].replace("_", ""), found["proto"]
        require(self.protocol in PLACES, f"protocol {self.protocol}")
        require({found["inplace"], found["outofplace"]} in ({1}, {0, 1}), "neither in place nor out of place")
        self.ways = [way for way, name in ((True, "inplace"), (False, "outofplace")) if found[name] == 1]
        self.least_bytes, self.most_bytes = found["minBytes"], found["maxBytes"]  # 0: any number
        require(0 <= self.least_bytes and 0 <= self.most_bytes < 2**63, "minBytes or maxBytes out of range")
        require(self.most_bytes == 0 or self.least_bytes <= self.most_bytes, "minBytes beyond maxBytes")
        require(len(root) == self.devices, f"{len(root)} devices")
        self.sizes, self.blocks = [], []  # of each device: {buffer: chunks}, thread blocks
        for number, node in enumerate(root):
            gpu = attributes(node)
            require(gpu["id"] == number, f"device {number} expected, is {gpu['id']}")
            self.sizes.append({buffer: gpu[f"{buffer}_chunks"] for buffer in "ios"})
            self.blocks.append([Block(*each) for each in enumerate(node)])
        for device in range(self.devices):
            self.check_device(device)

    def check_device(self, device):
        ends, blocks = set(), self.blocks[device]
        for number, block in enumerate(blocks):
            where = f"device {device} thread block {number}"
            require(0 <= block.channel < self.channels, f"{where}: channel {block.channel}")
            for way, peer in (("sends", block.send), ("receives", block.receive)):
                require(-1 <= peer < self.devices and peer != device, f"{where} {way}: peer {peer}")
                require(peer < 0 or (way, peer, block.channel) not in ends, f"{where} {way}: not alone on its connection")
                ends.add((way, peer, block.channel))
            for place, step in enumerate(block.steps):
                receives, sends, reads, writes = USES[step.type]
                require(block.receive >= 0 or not receives, f"{where} step {place}: receives from nobody")
                require(block.send >= 0 or not sends, f"{where} step {place}: sends to nobody")
                for uses, (buffer, offset) in ((reads, step.src), (writes, step.dst)):
                    require(not uses or 0 <= offset and step.count >= 1 and
                            offset + step.count <= self.sizes[device][buffer], f"{where} step {place}: out of {buffer}")
                other, of_other = step.after
                if other >= 0:
                    require(other < len(blocks) and 0 <= of_other < len(blocks[other].steps),
                            f"{where} step {place}: waits for what is not there")
                    require(blocks[other].steps[of_other].tells,
                            f"{where} step {place} waits for {other} step {of_other}, which never tells")

    def exceeded(self):
        """The limits of RCCL and msccl-executor-nccl, whichever is less, that the file does not keep."""
        found = []

        def limit(value, most, text):
            if value > most:
                found.append(f"{value} {text}, {most} allowed")

        for device, blocks in enumerate(self.blocks):
            limit(len(blocks), 64, f"thread blocks on device {device}")
            limit(1 + self.devices + len(blocks) + sum(len(block.steps) for block in blocks), 4095, "elements")
            for way in ("send", "receive"):
                peers = collections.Counter(block.channel for block in blocks if getattr(block, way) >= 0)
                limit(max(peers.values(), default=0), 32, f"peers of a channel, {way}, device {device}")
            for number, block in enumerate(blocks):
                limit(len(block.steps), 64, f"steps in thread block {number} of device {device}")
                for step in block.steps:
                    limit(step.count, 71, f"chunks in a step of thread block {number} of device {device}")
                    limit(max(step.src[1], step.dst[1]), 2**15 - 1, "as an offset")
        return found


class Memory:
    """The buffers of a device, which share chunks in place."""

    def __init__(self, algorithm, device, in_place):
        part = algorithm.chunks // algorithm.devices
        sizes = {"i": algorithm.chunks, "o": algorithm.chunks, "s": algorithm.sizes[device]["s"]}
        starts = {"i": 0, "o": 0, "s": 0}
        for collective, buffer in (("allgather", "i"), ("reducescatter", "o")):
            if algorithm.collective == collective:
                sizes[buffer] = part
                starts[buffer] = device * part if in_place else 0
        for buffer, size in sizes.items():
            require(algorithm.sizes[device][buffer] <= size, f"device {device}: {buffer} is too long")
        self.starts, self.sizes = starts, sizes
        self.arrays = {"i": [None] * sizes["i"], "o": [None] * sizes["o"], "s": [None] * sizes["s"]}
        if in_place:
            self.arrays["i"] = self.arrays["o"] = max(self.arrays["i"], self.arrays["o"], key=len)
        self.write(("i", 0), [[(device, chunk)] for chunk in range(sizes["i"])])

    def read(self, place, count):
        start = self.starts[place[0]] + place[1]
        values = self.arrays[place[0]][start:start + count]
        require(None not in values, f"{place} is read and nobody wrote it")
        return values

    def write(self, place, values):
        start = self.starts[place[0]] + place[1]
        self.arrays[place[0]][start:start + len(values)] = values

    def output(self):
        return self.arrays["o"][self.starts["o"]:self.starts["o"] + self.sizes["o"]]


def combined(left, right):
    return [sorted(a + b) for a, b in zip(left, right, strict=True)]


class Run:
    """Carries an algorithm out. Thread blocks take turns in a random order, some of them seldom. With 0 places a send ends
    when its receive takes it."""

    def __init__(self, algorithm, in_place, places, seed):
        self.algorithm, self.places = algorithm, places
        self.memory = [Memory(algorithm, device, in_place) for device in range(algorithm.devices)]
        self.blocks = [(device, number) for device in range(algorithm.devices)
                       for number in range(len(algorithm.blocks[device]))]
        self.done = dict.fromkeys(self.blocks, 0)
        self.offered = set()  # thread blocks whose send, with 0 places, is not taken
        self.connections = collections.defaultdict(collections.deque)  # (from, to, channel): (values, thread block)
        self.log = []  # (device, "s" or "r", peer) as it happened
        self.left = [each for each in self.blocks if algorithm.blocks[each[0]][each[1]].steps]
        chance = random.Random(seed)
        turns = {each: chance.choice((0.05, 0.5, 1)) for each in self.blocks}
        while self.left:
            chance.shuffle(self.left)
            moved = [self.step(each) for each in list(self.left) if chance.random() < turns[each]]
            if not any(moved):
                moved = [self.step(each) for each in list(self.left)]
                require(any(moved), f"stuck: {sorted(self.left)[:4]} wait, {places} places")
        require(not any(self.connections.values()), "a message that nobody receives")

    def finish(self, place):
        self.done[place] += 1
        if self.done[place] == len(self.algorithm.blocks[place[0]][place[1]].steps):
            self.left.remove(place)

    def step(self, place):
        device, number = place
        block = self.algorithm.blocks[device][number]
        if place in self.offered or self.done[place] == len(block.steps):
            return False
        step = block.steps[self.done[place]]
        if step.after[0] >= 0 and self.done[device, step.after[0]] <= step.after[1]:
            return False
        receives, sends, reads, writes = USES[step.type]
        incoming = self.connections[block.receive, device, block.channel] if receives else None
        outgoing = self.connections[device, block.send, block.channel] if sends else None
        require(self.places > 0 or not (receives and sends), f"{step.type} needs a place")
        # A step that passes on needs the next place before it frees its own.
        if (receives and not incoming) or (sends and len(outgoing) >= max(self.places, 1)):
            return False
        memory = self.memory[device]
        values = memory.read(step.src, step.count) if reads else None
        if receives:
            received, sender = incoming.popleft()
            require(len(received) == step.count, f"{len(received)} chunks sent, {step.count} received")
            values = combined(received, values) if reads else received
            self.log.append((device, "r", block.receive))
            if sender in self.offered:
                self.offered.remove(sender)
                self.finish(sender)
        if step.type == "re":
            values = combined(memory.read(step.dst, step.count), values)
        if writes:
            memory.write(step.dst, values)
        if sends:
            outgoing.append((values, place))
            self.log.append((device, "s", block.send))
            if self.places == 0:
                self.offered.add(place)
                return True
        self.finish(place)
        return True


def expected(algorithm, device, root=0):
    """What a device has to have in o."""
    devices, part = algorithm.devices, algorithm.chunks // algorithm.devices
    every = range(devices)
    return {
        "alltoall": lambda: [[(sender, device * part + c)] for sender in every for c in range(part)],
        "allgather": lambda: [[(sender, c)] for sender in every for c in range(part)],
        "allreduce": lambda: [[(sender, c) for sender in every] for c in range(algorithm.chunks)],
        "reducescatter": lambda: [[(sender, device * part + c) for sender in every] for c in range(part)],
        "broadcast": lambda: [[(root, c)] for c in range(algorithm.chunks)],
    }[algorithm.collective]()


def check(algorithm, places=(), seeds=range(8)):
    """Carries the algorithm out in each way that it says it is for, with each number of places (unless given, that of its
    protocol) and each seed. Returns the runs; raises Wrong unless every device has the right data in each."""
    runs = []
    for in_place in algorithm.ways:
        for number in places or (PLACES[algorithm.protocol],):
            for seed in seeds:
                runs.append(Run(algorithm, in_place, number, seed))
                for device in range(algorithm.devices):
                    for chunk, (found, right) in enumerate(zip(runs[-1].memory[device].output(), expected(algorithm, device),
                                                               strict=True)):
                        require(found == right, f"device {device}, output chunk {chunk}: {found}, expected {right}")
    return runs
