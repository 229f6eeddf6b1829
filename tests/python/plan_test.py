"""Planning, judging and files through the Python package, without MPI."""

import doctest
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

import sluice

PLATFORM = pathlib.Path(__file__).parents[1] / "drop-in/c/platform.json"
TRAFFIC = numpy.array([[7, 2, 0], [4, 5, 0], [0, 0, 9]])


def sent_by(schedule, shape):
    """What the transfers add up to, by sender and receiver."""
    total = numpy.zeros(shape, dtype=numpy.int64)
    transfers = schedule.transfers
    numpy.add.at(total, (transfers["sender"], transfers["receiver"]), transfers["size"])
    return total


class Exchange(unittest.TestCase):
    def test_plans_what_the_command_plans(self):
        plan = sluice.plan_exchange(TRAFFIC, max_transfers=2, setup=3)
        self.assertEqual(plan.cost, (3, 16, 25))
        self.assertEqual(plan.bound.total, 24)
        self.assertEqual((plan.problem, plan.senders, plan.receivers, plan.steps), ("exchange", 3, 3, 3))
        self.assertFalse(plan.optimal)
        numpy.testing.assert_array_equal(sent_by(plan, (3, 3)), TRAFFIC)
        self.assertEqual(plan.durations.sum(), 16)
        self.assertEqual(plan.durations.dtype, numpy.int64)
        self.assertEqual(plan.transfers.dtype.names, ("step", "sender", "receiver", "offset", "size"))

    def test_names_the_option_that_was_meant(self):
        for function, arguments, named, meant in [
                (sluice.plan_exchange, [TRAFFIC], "k", "max_transfers"),
                (sluice.plan_exchange, [TRAFFIC], "beta", "setup"),
                (sluice.plan_exchange, [TRAFFIC], "algorithms", "algorithm"),
                (sluice.plan_redistribution, ["2:1", "2:2"], "alpha", "setup"),
                (sluice.plan_reduce, [4, 1, 1], "max_reducer", "max_reducers")]:
            with self.assertRaisesRegex(TypeError, f"'{named}'; did you mean '{meant}'\\?"):
                function(*arguments, **{named: 3})
        with self.assertRaisesRegex(TypeError, r"plan_exchange\(\) got an unexpected keyword argument 'frobnicate'$"):
            sluice.plan_exchange(TRAFFIC, frobnicate=1)

    def test_plans_are_pictures_in_notebooks(self):
        plan = sluice.plan_exchange(TRAFFIC, max_transfers=2, setup=3)
        self.assertTrue(plan.svg().startswith("<svg "))
        self.assertEqual(plan._repr_html_(), plan.svg())
        self.assertIn(">receiver<", plan.svg(rows="receivers"))
        self.assertEqual(plan.svg().count("<title>"), len(plan.transfers) + 1)
        with self.assertRaisesRegex(sluice.InputError, "'ranks', expected 'senders' or 'receivers'"):
            plan.svg(rows="ranks")
        tree = sluice.plan_reduce(4, 1, 1)
        self.assertTrue(tree.svg().startswith("<svg "))
        self.assertEqual(tree._repr_html_(), tree.svg())

    def test_speeds_and_a_backbone_over_time(self):
        plan = sluice.plan_exchange([[10, 0], [0, 10]], setup=0, sender_speeds=[1, 0.5])
        self.assertEqual((plan.cost.steps, plan.cost.transmission), (1, 20))
        self.assertEqual(sluice.check(plan, [[10, 0], [0, 10]]), [])
        plan = sluice.plan_exchange([[10, 0], [0, 10]], setup=0, backbone=[(0, 1), (10, 2)])
        # 10 units one at a time, then two at once.
        self.assertEqual((plan.cost.total, plan.bound.total, plan.max_transfers), (15, 15, 2))
        exact = sluice.plan_exchange([[10, 0], [0, 10]], setup=0, backbone=[(0, 1), (5, 2)], algorithm="exact")
        self.assertLessEqual(exact.cost.total, 20)
        self.assertEqual(sluice.check(exact, [[10, 0], [0, 10]]), [])
        for bad, why in [
                ({"sender_speeds": [1, 0]}, "0 of sender 1"),
                ({"receiver_speeds": [1, -2]}, "-2 of receiver 1"),
                ({"sender_speeds": [1]}, "speeds of 1 sender"),
                ({"backbone": [(0, 2), (0, 1)]}, "time"),
                ({"backbone": [(0, 0)]}, "0"),
                ({"backbone": [(0, 1)], "max_transfers": 1}, "both tell k"),
        ]:
            with self.assertRaisesRegex(sluice.InputError, why):
                sluice.plan_exchange([[10, 0], [0, 10]], **bad)

    def test_takes_matrices_of_all_kinds(self):
        expected = sluice.plan_exchange(TRAFFIC).to_json()
        for dtype in (numpy.int8, numpy.uint64, numpy.float32, ">i4"):
            self.assertEqual(sluice.plan_exchange(TRAFFIC.astype(dtype)).to_json(), expected)
        self.assertEqual(sluice.plan_exchange(numpy.asfortranarray(TRAFFIC)).to_json(), expected)
        self.assertEqual(sluice.plan_exchange(TRAFFIC.tolist()).to_json(), expected)
        wide = numpy.zeros((3, 6), dtype=int)
        wide[:, ::2] = TRAFFIC
        self.assertEqual(sluice.plan_exchange(wide[:, ::2]).to_json(), expected)

    def test_takes_sparse_matrices(self):
        try:
            import scipy.sparse
        except ImportError:
            self.skipTest("no SciPy")
        expected = sluice.plan_exchange(TRAFFIC).to_json()
        for kind in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix, scipy.sparse.lil_matrix):
            self.assertEqual(sluice.plan_exchange(kind(TRAFFIC)).to_json(), expected)

    def test_takes_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "traffic.csv")
            path.write_text("7,2,0\n4,5,0\n0,0,9\n")
            expected = sluice.plan_exchange(TRAFFIC).to_json()
            self.assertEqual(sluice.plan_exchange(path).to_json(), expected)
            self.assertEqual(sluice.plan_exchange(str(path)).to_json(), expected)

    def test_refuses_what_is_no_traffic(self):
        for traffic, about in (
            ([[1, -1]], r"traffic\[0, 1\]: -1"),
            ([[0.5]], "whole number"),
            ([[float("nan")]], r"traffic\[0, 0\]"),
            ([[float("inf")]], r"traffic\[0, 0\]"),
            ([[2.0**63]], r"traffic\[0, 0\]"),
            (numpy.array([[2**64 - 1]], dtype=numpy.uint64), "2\\^63 - 1"),
            ([1, 2], "1 dimension"),
            ([[1 + 2j]], "complex128"),
            ([["a"]], "traffic"),
            ([[None]], "object"),
            ("nowhere.mtx", "nowhere.mtx"),
        ):
            with self.assertRaisesRegex(sluice.InputError, about):
                sluice.plan_exchange(traffic)
        with self.assertRaisesRegex(sluice.InputError, "no-such"):
            sluice.plan_exchange(TRAFFIC, algorithm="no-such")
        with self.assertRaises(sluice.InputError):
            sluice.plan_exchange(TRAFFIC, max_transfers=0)
        with self.assertRaises(ValueError):  # InputError is one
            sluice.plan_exchange(TRAFFIC, setup=float("nan"))

    def test_judges(self):
        plan = sluice.plan_exchange(TRAFFIC, max_transfers=2)
        self.assertEqual(sluice.check(plan), [])
        self.assertEqual(sluice.check(plan, TRAFFIC), [])
        other = TRAFFIC.copy()
        other[2, 2] = 10
        violations = sluice.check(plan, other)
        self.assertTrue(violations)
        self.assertIn("from sender 2 to receiver 2", str(violations[0]))
        text = plan.to_json()
        stated = f'"cost": {{"steps": {plan.steps},'
        self.assertIn(stated, text)
        broken = sluice.schedule_from_json(text.replace(stated, f'"cost": {{"steps": {plan.steps + 1},'))
        self.assertEqual(len(sluice.check(broken)), 1)


class Redistribution(unittest.TestCase):
    def test_plans(self):
        plan = sluice.plan_redistribution("16:3", "16:5")
        self.assertEqual((plan.algorithm, plan.cost, plan.optimal), ("classes", (7, 15, 22), True))
        self.assertEqual(sluice.check(plan), [])
        plan = sluice.plan_redistribution(([2, 2], [64, 64]), sluice.Layout("4x1:100x100"), (1000, 700))
        self.assertEqual(plan.transfers["size"].sum(), 700000)
        self.assertEqual(sluice.check(plan), [])

    def test_takes_parts_of_a_matrix(self):
        for options, elements in (({"part": "upper"}, 36), ({"part": "lower", "unit_diagonal": True}, 28),
                                  ({"part": "upper", "algorithm": "oggp"}, 36), ({"part": None}, 64)):
            plan = sluice.plan_redistribution("2x2:1x1", "1x2:2x2", (8, 8), **options)
            self.assertEqual((plan.transfers["size"].sum(), sluice.check(plan)), (elements, []))
        for shape, options, about in (((8, 8), {"part": "left"}, "part: 'left', expected upper or lower"),
                                      ((8, 8), {"unit_diagonal": True}, "unit_diagonal: no part")):
            with self.assertRaisesRegex(sluice.InputError, about):
                sluice.plan_redistribution("2x2:1x1", "1x2:2x2", shape, **options)
        with self.assertRaisesRegex(sluice.InputError, "part: an array of 1 dimension"):
            sluice.plan_redistribution("4:1", "2:2", 8, part="upper")

    def test_takes_blocks_of_any_sizes(self):
        plan = sluice.plan_redistribution("3:0,10,35,100@2,0,0", "4:8")
        self.assertEqual(plan.transfers["size"].sum(), 100)
        self.assertEqual(sluice.check(plan), [])
        layout = sluice.Layout("3x2:0,4,6,20@2,0,2x5")
        self.assertEqual((str(layout), layout.processes), ("3x2:0,4,6,20@2,0,2x5", 6))
        self.assertNotEqual(layout, sluice.Layout("3x2:0,4,7,20@2,0,2x5"))
        numpy.testing.assert_array_equal(sluice.global_indices(layout, (20, 7), 5)[0], [0, 1, 2, 3, *range(6, 20)])
        self.assertEqual(sluice.local_shape(layout, (20, 7), 0), (2, 5))
        with self.assertRaisesRegex(sluice.InputError, "cuts that end at 20"):
            sluice.local_shape(layout, (21, 7), 0)

    def test_takes_cuts_as_numbers(self):
        layout = sluice.Layout((3, 2), (1, 5), cuts=(((0, 4, 6, 20), (2, 0, 2)), None))
        self.assertEqual(layout, sluice.Layout("3x2:0,4,6,20@2,0,2x5"))
        self.assertEqual(layout.cuts, (((0, 4, 6, 20), (2, 0, 2)), None))
        self.assertEqual((sluice.Layout("4:2").cuts, layout.block), ((None,), (1, 5)))
        self.assertEqual(sluice.Layout([3], [7], cuts=[([0, 4, 6, 20], [])]), sluice.Layout("3:0,4,6,20"))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "layout")
            path.write_text("3x2: 0, 4, 6, 20\n @ 2, 0, 2 x 5\n")
            self.assertEqual(sluice.Layout(f"@{path}"), layout)
        for cuts, about in ((([0, 5, 5], []), "a cut at 5 behind one at 5"), (([1, 5], []), "a first cut at 1"),
                            (([0, 5], [3]), "process 3"), (([0, 5], [0, 0]), "2 owners of 1 block"), (([0], []), "1 cut"),
                            (([], []), "0 cuts")):
            with self.assertRaisesRegex(sluice.InputError, about):
                sluice.Layout([3], [1], cuts=[cuts])
        with self.assertRaisesRegex(sluice.InputError, "cuts"):
            sluice.Layout([3], [1], cuts=[None, None])
        with self.assertRaises((TypeError, ValueError)):
            sluice.Layout([3], [1], cuts=[5])

    def test_plans_pieces_by_algorithms_of_exchange(self):
        plan = sluice.plan_redistribution("3:0,10,35,100@2,0,0", "4:8", algorithm="oggp", setup=0)
        self.assertEqual((plan.algorithm, plan.problem, plan.cost.transmission, plan.optimal), ("oggp", "redistribute", 90, True))
        self.assertEqual(sluice.check(plan), [])
        with self.assertRaisesRegex(sluice.InputError, "no-such"):
            sluice.plan_redistribution("4:2", "4:3", algorithm="no-such")

    def test_plans_copies(self):
        self.assertEqual(sluice.plan_redistribution("4:2", "4:3").replicas, (1, 1))
        plan = sluice.plan_redistribution("4:8", "2:10", 4000, from_replicas=2, to_replicas=3)
        self.assertEqual((plan.replicas, plan.first_passing, plan.senders, plan.receivers), ((2, 3), 8, 14, 6))
        self.assertEqual(sluice.check(plan), [])
        again = sluice.schedule_from_json(plan.to_json())
        self.assertEqual((again.replicas, again.first_passing), ((2, 3), 8))
        self.assertEqual(sluice.check(again), [])
        self.assertIn('"to_replicas": 3', plan.to_json())
        broken = sluice.schedule_from_json(plan.to_json().replace('"to_replicas": 3', '"to_replicas": 2'))
        self.assertNotEqual(sluice.check(broken), [])
        chain, direct = (sluice.plan_redistribution("1:100", "1:100", 4000, to_replicas=4, forward=each) for each in (True, False))
        self.assertLess(chain.cost.total, direct.cost.total)
        self.assertFalse((direct.transfers["sender"] >= direct.first_passing).any())
        self.assertEqual((direct.cost.transmission, direct.optimal), (16000, True))
        for options, about in (({"to_replicas": 0}, "to_replicas: 0"), ({"from_replicas": 2**62}, "from_replicas"),
                               ({"to_replicas": 2, "algorithm": "classes"}, "classes"), ({"from_replicas": -1}, "-1")):
            with self.assertRaisesRegex(sluice.InputError, about):
                sluice.plan_redistribution("4:8", "2:10", 4000, **options)

    def test_knows_where_elements_are(self):
        array = numpy.arange(35).reshape(5, 7)
        layout = sluice.Layout((2, 3), (2, 2), first=(1, 0))
        seen = numpy.zeros_like(array)
        for process in range(layout.processes):
            indices = sluice.global_indices(layout, array.shape, process)
            part = array[numpy.ix_(*indices)]
            self.assertEqual(part.shape, sluice.local_shape(layout, array.shape, process))
            seen[numpy.ix_(*indices)] += 1
        self.assertTrue((seen == 1).all())
        numpy.testing.assert_array_equal(sluice.global_indices(layout, array.shape, 3)[0], [0, 1, 4])
        self.assertEqual((layout.grid, layout.block, layout.first), ((2, 3), (2, 2), (1, 0)))
        self.assertEqual(layout, sluice.Layout([2, 3], [2, 2], [1, 0]))
        self.assertEqual(str(sluice.Layout("4:2")), "4:2")

    def test_refuses_what_is_no_layout(self):
        for call, about in (
            (lambda: sluice.plan_redistribution("16:3", 5), "layout: 5"),
            (lambda: sluice.plan_redistribution("16:3", "4x4:2x2"), "2 dimensions"),
            (lambda: sluice.plan_redistribution("16:3", "16:0"), "layout"),
            (lambda: sluice.plan_redistribution("16:3", "16:5", (4, 4)), "2 dimensions"),
            (lambda: sluice.plan_redistribution("16:3", "16:5", -1), "-1"),
            (lambda: sluice.plan_redistribution("16:3", sluice.Layout([16], [5], [3])), "first process"),
            (lambda: sluice.plan_redistribution("16:3", "16:5", setup=-1), "setup"),
            (lambda: sluice.plan_redistribution("1000000000000:1", "3:8", 35), "source: 1000000000000 processes, of which 35"),
            (lambda: sluice.plan_redistribution("3:8", "1000000000000:1", 35), "target: 1000000000000 processes, of which 35"),
            (lambda: sluice.plan_redistribution("1000000000000:1", "1000000000000:1"), "more than 16777216"),
            (lambda: sluice.Layout([2], [3, 4]), "block"),
            (lambda: sluice.Layout("2:0,5,5"), "a cut at 5 behind one at 5"),
            (lambda: sluice.Layout([2], [0]), "layout"),
            (lambda: sluice.Layout([2], [1], [2]), "layout"),
            (lambda: sluice.Layout([1] * 8, [1] * 8), "8 dimensions"),
            (lambda: sluice.local_shape("2:3", 7, 2), "process"),
            (lambda: sluice.local_shape("2:3", (7, 7), 0), "2 dimensions"),
        ):
            with self.assertRaisesRegex(sluice.InputError, about):
                call()


class Trees(unittest.TestCase):
    def test_plans_reductions(self):
        plan = sluice.plan_reduce(4, 1, 1)
        self.assertEqual((plan.machines, plan.root, plan.length, plan.optimal), (4, 0, 4, True))
        self.assertEqual(len(plan.transfers), 3)
        self.assertEqual(plan.transfers["end"].dtype, numpy.float64)
        self.assertEqual(sluice.check(plan), [])
        self.assertEqual(sluice.plan_reduce(3, 1, 1, arrivals=[0, 0, 5]).length, 7)
        with self.assertRaises(sluice.InputError):
            sluice.plan_reduce(0, 1, 1)
        with self.assertRaises(sluice.InputError):
            sluice.check(plan, TRAFFIC)
        with self.assertRaises(TypeError):
            sluice.plan_reduce(4, 1, 1, no_such=1)

    def test_plans_reductions_where_machines_and_links_differ(self):
        # Machine 2 sends from 5 to 7, then the root combines until 11.
        links = numpy.array([[0, 9, 9], [1, 0, 9], [2, 9, 0]])
        plan = sluice.plan_reduce(3, links, [4, 9, 9], arrivals=[0, 0, 5], max_transfers=1, effort=2)
        self.assertEqual(plan.length, 11)
        self.assertEqual(sluice.check(plan), [])
        self.assertEqual(sluice.plan_reduce(3, [1, 1, 2], 4).length, 9)  # 1, and twice 4 on the root
        self.assertLessEqual(sluice.plan_reduce(3, [1, 1, 2], 4, segments=0, max_segments=2).segments, 2)
        program = plan.program(800, 8)
        self.assertEqual((program.problem, program.ranks, program.size_bytes), ("reduce", 3, 800))
        self.assertEqual(sluice.check(program), [])
        for call, about in (
            (lambda: sluice.plan_reduce(3, [1, 1], 4), r"transfer: shape \(2,\)"),
            (lambda: sluice.plan_reduce(3, 1, [[1, 1, 1]] * 3), r"compute: shape \(3, 3\)"),
            (lambda: sluice.plan_reduce(3, [1, 1, -1], 4), "transfer_costs"),
            (lambda: plan.program(801, 8), "multiple of 8"),
        ):
            with self.assertRaisesRegex(sluice.InputError, about):
                call()

    def test_plans_broadcasts(self):
        platform = sluice.read_platform(PLATFORM)
        self.assertEqual((platform.ranks, platform.clusters), (4, [("a", [0, 1]), ("b", [2, 3])]))
        self.assertEqual(sluice.platform_from_json(platform.to_json()), platform)
        levels = sluice.read_platform(PLATFORM.with_name("platform-levels.json"))
        self.assertEqual(levels.clusters, platform.clusters)
        self.assertNotEqual(levels, platform)
        self.assertEqual(sluice.platform_from_json(levels.to_json()), levels)
        self.assertIn("sluice.platform/2", levels.to_json())
        plan = sluice.plan_broadcast(platform, 0, 65536)
        self.assertEqual(sluice.plan_broadcast(levels, 0, 65536).length, plan.length)
        # The schedule of a tree between clusters has a length of its own beside what ranks take.
        self.assertEqual(plan.candidates[0][0], plan.method)
        self.assertAlmostEqual(plan.candidates[0][1], plan.length, delta=0.05 * plan.length)
        self.assertEqual(plan.candidates, sorted(plan.candidates, key=lambda each: each[1]))
        self.assertEqual(sluice.check(plan), [])
        with self.assertRaises(sluice.InputError):
            sluice.plan_broadcast(platform, 4, 65536)
        with self.assertRaisesRegex(sluice.InputError, "nowhere.json"):
            sluice.read_platform("nowhere.json")
        with self.assertRaisesRegex(sluice.InputError, "text"):
            sluice.platform_from_json("{}")


class Files(unittest.TestCase):
    def test_are_read_as_they_were_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for plan in (sluice.plan_exchange(TRAFFIC), sluice.plan_redistribution("4:3", "3:5"), sluice.plan_reduce(5, 1, 2)):
                path = os.path.join(folder, "plan.json")
                plan.write(path)
                again = sluice.read_schedule(pathlib.Path(path))
                self.assertEqual(type(again), type(plan))
                self.assertEqual(again.to_json(), plan.to_json())
                self.assertIsNone(again.optimal)
                numpy.testing.assert_array_equal(again.transfers, plan.transfers)
            with self.assertRaisesRegex(sluice.InputError, "nowhere"):
                plan.write(os.path.join(folder, "nowhere", "plan.json"))
        with self.assertRaisesRegex(sluice.InputError, "nowhere.json"):
            sluice.read_schedule("nowhere.json")

    def test_hold_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plan.json")
            for problem in ("allgather", "allreduce", "alltoall"):
                run = subprocess.run([sys.executable, "-m", "sluice", "plan", problem, "--platform", PLATFORM, "--size", "1Ki",
                                      "--json", path, "--quiet"], capture_output=True, text=True)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                program = sluice.read_schedule(path)
                self.assertIsInstance(program, sluice.Program)
                self.assertEqual(program, sluice.read_program(path))
                self.assertEqual((program.problem, program.ranks, program.size_bytes), (problem, 4, 1024))
                self.assertGreater(program.length_s, 0)
                self.assertLessEqual(program.bound_s, program.length_s)
                self.assertEqual(sluice.check(program), [])
                program.write(path)
                self.assertEqual(sluice.schedule_from_json(pathlib.Path(path).read_text()), program)
                first = pathlib.Path(path).read_text().index('"bytes": ')
                text = program.to_json()
                broken = sluice.schedule_from_json(text[:first] + '"bytes": 1' + text[text.index(",", first):])
                violations = sluice.check(broken)
                self.assertTrue(violations)
                self.assertIn("1", str(violations[0]))
        with self.assertRaisesRegex(sluice.InputError, "traffic: one beside a program, expected a schedule of steps"):
            sluice.check(program, TRAFFIC)


class Package(unittest.TestCase):
    def test_names_the_algorithms(self):
        self.assertIn("oggp", sluice.algorithms("exchange"))

    def test_does_what_its_documentation_says(self):
        self.assertEqual(doctest.testmod(sluice).failed, 0)
        self.assertGreater(doctest.testmod(sluice).attempted, 0)

    def test_has_stubs_for_all_it_has_that_say_the_same(self):
        import ast

        for name in ("_core", "_mpi"):
            try:
                module = __import__(f"sluice.{name}", fromlist=[name])
            except ImportError:
                continue  # without MPI
            stub = ast.parse(pathlib.Path(sluice.__file__).with_name(f"{name}.pyi").read_text())
            told = {each.name: each for each in stub.body if isinstance(each, (ast.ClassDef, ast.FunctionDef))}
            for item, value in vars(module).items():
                if item.startswith("_") or item in ("version", "mpi_family"):
                    continue
                self.assertIn(item, told)
                if not isinstance(value, type):
                    continue
                members = {getattr(each, "name", None) or each.target.id for each in told[item].body
                           if isinstance(each, (ast.FunctionDef, ast.AnnAssign))}
                shown = {each for each in vars(value) if not each.startswith("_")}
                self.assertEqual(shown, {each for each in members if not each.startswith("_")}, item)
                if name == "_mpi":
                    continue  # which sluice.mpi wraps
                told_in = {each.name: each for each in told[item].body if isinstance(each, ast.FunctionDef)}
                for path, documented, stated in [(item, value, told[item]),
                                                 *((f"{item}.{each}", vars(value)[each], told_in[each]) for each in shown)]:
                    # pybind11 puts the signature of a function before its documentation.
                    text, expected = (" ".join(each.split()) for each in (documented.__doc__, ast.get_docstring(stated)))
                    self.assertTrue(text.endswith(expected), f"{path}: {text!r}, expected {expected!r}")

    def test_is_the_command(self):
        run = subprocess.run([sys.executable, "-m", "sluice", "plan", "redistribute", "--from", "16:3", "--to", "16:5"],
                             capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("optimal in NS and TC", run.stdout)
        run = subprocess.run([sys.executable, "-m", "sluice", "plan", "redistribute", "--from", "16"],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        run = subprocess.run([sys.executable, "-m", "sluice"], capture_output=True, text=True,
                             env={**os.environ, "SLUICE_COMMAND": "/nowhere/sluice"})
        self.assertEqual(run.returncode, 2)
        self.assertIn("/nowhere/sluice", run.stderr)


if __name__ == "__main__":
    unittest.main()
