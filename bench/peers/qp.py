"""qp.py POISE PROBLEMS FOLDER: control problems as plain QPs, solved by this library and by the QP solvers that Python can import.

A recorded tick becomes min 1/2 x'Hx + g'x, l <= Cx <= u: its hard level the constraints, the squares of the others added up (with 1e-6 on the
diagonal, so that methods which need a strictly convex cost may take part). Every solver gets the same matrices, dense or sparse as it likes, and
is asked for about 1e-8. Times are medians of repeated cold solves, setup included, as the solver or a clock around the call tells; a call from
Python costs a few microseconds. `apart` is the relative difference of the objective from ours; `violation` the largest of any constraint."""
import importlib
import json
import math
import subprocess
import sys
import time

poise, problems, folder = sys.argv[1:4]
try:
    import numpy as np
except ImportError:
    print("  missing: numpy (PyPI: numpy), which all others need")
    sys.exit(0)


def read_hqp(path):
    """The problems of a .hqp file: a list of lists of (hard, A, lower, upper)."""
    out, level = [], None
    for line in open(path, encoding="ascii"):
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "problem":
            out.append([])
        elif words[0] == "level":
            level = []
            out[-1].append(("hard" in words[2:], level))
        elif words[0] not in ("hqp", "end"):
            level.append([float(w) for w in words])
    return [[(hard, np.array(rows)[:, 2:], np.array(rows)[:, 0], np.array(rows)[:, 1]) for hard, rows in p if rows] for p in out]


def as_qp(levels):
    n = levels[0][1].shape[1]
    H, g, C, lower, upper = 1e-6 * np.eye(n), np.zeros(n), [], [], []
    for hard, A, low, high in levels:
        if hard or not np.array_equal(low, high):
            C.append(A), lower.append(low), upper.append(high)
        else:
            H += A.T @ A
            g -= A.T @ low
    return (H + H.T) / 2, g, np.vstack(C), np.concatenate(lower), np.concatenate(upper)


def write_qps(path, H, g, C, lower, upper):
    n, m = len(g), len(lower)
    kind = ["E" if lo == up else "G" if up == math.inf else "L" if lo == -math.inf else "R" for lo, up in zip(lower, upper)]
    with open(path, "w", encoding="ascii") as f:
        f.write("NAME peers\nROWS\n N obj\n" + "".join(f" {'G' if k == 'R' else k} r{i}\n" for i, k in enumerate(kind)) + "COLUMNS\n")
        for j in range(n):
            f.write(f" x{j} obj {float(g[j])!r}\n" if g[j] else f" x{j} obj 0\n")
            f.write("".join(f" x{j} r{i} {float(C[i, j])!r}\n" for i in range(m) if C[i, j]))
        f.write("RHS\n" + "".join(f" b r{i} {float(upper[i] if k == 'L' else lower[i])!r}\n" for i, k in enumerate(kind)))
        f.write("RANGES\n" + "".join(f" w r{i} {float(upper[i] - lower[i])!r}\n" for i, k in enumerate(kind) if k == "R"))
        f.write("BOUNDS\n" + "".join(f" FR z x{j}\n" for j in range(n)) + "QUADOBJ\n")
        f.write("".join(f" x{i} x{j} {float(H[i, j])!r}\n" for j in range(n) for i in range(j, n) if H[i, j]) + "ENDATA\n")


def split(C, lower, upper):
    """Equalities, and the rest as G x >= h."""
    e = lower == upper
    rest = [(C[~e][np.isfinite(lower[~e])], lower[~e][np.isfinite(lower[~e])]), (-C[~e][np.isfinite(upper[~e])], -upper[~e][np.isfinite(upper[~e])])]
    return C[e], lower[e], np.vstack([r[0] for r in rest]), np.concatenate([r[1] for r in rest])


# Each solver: a function that takes the QP and returns a function that solves it once, cold, and returns x.
def with_proxqp(m, H, g, C, lower, upper):
    A, b, G, h = split(C, lower, upper)
    big = np.full(len(h), 1e20)
    return lambda: m.proxqp.dense.solve(H=H, g=g, A=A, b=b, C=G, l=h, u=big, eps_abs=1e-8).x


def with_osqp(m, H, g, C, lower, upper):
    sparse = importlib.import_module("scipy.sparse")
    P, A = sparse.csc_matrix(np.triu(H)), sparse.csc_matrix(C)

    def solve():
        s = m.OSQP()
        s.setup(P, g, A, lower, upper, eps_abs=1e-8, eps_rel=1e-8, max_iter=100000, verbose=False, polishing=True)
        return s.solve().x
    return solve


def with_daqp(m, H, g, C, lower, upper):
    low, up = np.clip(lower, -1e30, 1e30), np.clip(upper, -1e30, 1e30)
    sense = np.where(lower == upper, 5, 0).astype(np.int32)
    return lambda: m.solve(H, g, np.ascontiguousarray(C), up, low, sense)[0]


def with_quadprog(m, H, g, C, lower, upper):
    A, b, G, h = split(C, lower, upper)
    G, h, e = np.vstack([A, G]).T.copy(), np.concatenate([b, h]), len(b)
    return lambda: m.solve_qp(H, -g, G, h, e)[0]


def with_piqp(m, H, g, C, lower, upper):
    A, b, G, h = split(C, lower, upper)
    up = np.full(len(h), 1e30)

    def solve():
        s = m.DenseSolver()
        s.settings.eps_abs = s.settings.eps_rel = 1e-8
        s.setup(H, g, A, b, G, h, up)
        s.solve()
        return s.result.x
    return solve


def with_clarabel(m, H, g, C, lower, upper):
    sparse = importlib.import_module("scipy.sparse")
    A, b, G, h = split(C, lower, upper)
    P, K, k = sparse.csc_matrix(np.triu(H)), sparse.csc_matrix(np.vstack([A, -G])), np.concatenate([b, -h])
    cones = [m.ZeroConeT(len(b)), m.NonnegativeConeT(len(h))]
    o = m.DefaultSettings()
    o.verbose = False
    return lambda: np.array(m.DefaultSolver(P, g, K, k, cones, o).solve().x)


def with_highs(m, H, g, C, lower, upper):
    n, rows = len(g), len(lower)
    model = m.HighsModel()
    lp, q = model.lp_, model.hessian_
    lp.num_col_, lp.num_row_ = n, rows
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = g, np.full(n, -m.kHighsInf), np.full(n, m.kHighsInf)
    lp.row_lower_, lp.row_upper_ = lower, upper
    lp.a_matrix_.format_ = m.MatrixFormat.kRowwise
    index = [np.nonzero(r)[0] for r in C]
    lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum([len(i) for i in index])])
    lp.a_matrix_.index_ = np.concatenate(index)
    lp.a_matrix_.value_ = np.concatenate([C[k, i] for k, i in enumerate(index)])
    below = [np.arange(j, n)[H[j:, j] != 0] for j in range(n)]
    q.dim_ = n
    q.format_ = m.HessianFormat.kTriangular
    q.start_ = np.concatenate([[0], np.cumsum([len(i) for i in below])])
    q.index_ = np.concatenate(below)
    q.value_ = np.concatenate([H[i, j] for j, i in enumerate(below)])

    def solve():
        s = m.Highs()
        s.setOptionValue("output_flag", False)
        s.setOptionValue("time_limit", 5.0)
        s.passModel(model)
        s.run()
        return np.array(s.getSolution().col_value)
    return solve


PEERS = [("proxsuite", "ProxQP", with_proxqp), ("osqp", "OSQP", with_osqp), ("daqp", "DAQP", with_daqp), ("quadprog", "quadprog", with_quadprog),
         ("piqp", "PIQP", with_piqp), ("clarabel", "Clarabel", with_clarabel), ("highspy", "HiGHS", with_highs)]


def timed(solve, seconds=0.3, most=50):
    times, x, began = [], None, time.perf_counter()
    while len(times) < most and (not times or time.perf_counter() - began < seconds):
        t = time.perf_counter()
        x = solve()
        times.append(time.perf_counter() - t)
    return sorted(times)[len(times) // 2] * 1e6, x


def main():
    found, rows = [], []
    for module, name, make in PEERS:
        try:
            m = importlib.import_module(module)
            if name in ("OSQP", "Clarabel"):
                importlib.import_module("scipy.sparse")
            found.append((name, m, make))
        except ImportError as e:
            print(f"  missing: {name} (PyPI: {module}{', scipy' if 'scipy' in str(e) else ''})")
    print(f"  {'problem':24} {'solver':22} {'median us':>12} {'apart':>10} {'violation':>10}")
    for name in ("balance", "jump", "walk"):
        ticks = read_hqp(f"{problems}/{name}_reduced.hqp")
        for k in (2, len(ticks) // 2 + 1):
            qp = as_qp(ticks[k])
            H, g, C, lower, upper = qp
            path = f"{folder}/{name}_{k}.qps"
            write_qps(path, *qp)
            best = None

            def tell(solver, micros, x):
                nonlocal best
                f = 0.5 * x @ H @ x + g @ x if x is not None and len(x) == len(g) else math.nan
                v = max(0.0, (lower - C @ x).max(), (C @ x - upper).max()) if f == f else math.nan
                best = f if best is None else best
                print(f"  {name + ' tick ' + str(k):24} {solver:22} {micros:12.1f} {abs(f - best) / max(1, abs(best)):10.1e} {v:10.1e}", flush=True)
                rows.append({"room": "qp", "case": f"{name}_{k}", "variant": solver, "size": len(g), "start": "cold", "median_ns": 1e3 * micros, "disagreement": abs(f - best) / max(1, abs(best)), "violation": v})

            for method in ("active_set", "interior_point"):
                said = subprocess.run([poise, "qp", path, "--method", method, "--full"], capture_output=True, text=True, check=False)
                answer = json.loads(said.stdout)
                tell("poise " + method, answer["micros"], np.array(answer["x"]))
            for solver, m, make in found:
                try:
                    tell(solver, *timed(make(m, *qp)))
                except Exception as e:  # an unknown version of somebody's interface is no reason to stop
                    print(f"  {name + ' tick ' + str(k):24} {solver:22} did not answer: {str(e).splitlines()[0][:80] if str(e) else type(e).__name__}")
    with open(f"{folder}/qp.json", "w", encoding="ascii") as f:
        json.dump({"results": rows}, f)


main()
