"""tune.py TUNE [RUNS]: how many evaluations it takes to come within 1e-8 of the optimum, by po_tune (the program TUNE) and by PyPI's cma.

The functions are COCO/BBOB's without their oscillations, turned and moved at random; start in [-4, 4]^n, first standard deviation 2, restarts with twice the
population. Medians of RUNS runs (15); a run that does not get there counts as infinite. The ratio of the medians is the figure that counts: below 1 ours needs fewer."""
import importlib
import math
import subprocess
import sys
import warnings

tune = sys.argv[1]
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 15
BUDGET = 20000  # evaluations times n


def functions(np):
    def scale(base, n):
        return base ** (np.arange(n) / max(1, n - 1))
    return {
        "sphere": lambda z: z @ z,
        "ellipsoid": lambda z: scale(1e6, len(z)) @ (z * z),
        "rosenbrock": lambda z: float(np.sum(100 * ((z[:-1] + 1) ** 2 - (z[1:] + 1)) ** 2 + z[:-1] ** 2)),
        "rastrigin": lambda z: float(np.sum(10 * (1 - np.cos(2 * np.pi * z)) + z * z)),
        "bent-cigar": lambda z: z[0] ** 2 + 1e6 * (z[1:] @ z[1:]),
        "discus": lambda z: 1e6 * z[0] ** 2 + z[1:] @ z[1:],
        "powers": lambda z: float(np.sum(np.abs(z) ** (2 + 4 * np.arange(len(z)) / max(1, len(z) - 1)))),
    }


def theirs(cma, np, f, n, seed):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((n, n)))[0]
    start, optimum = rng.uniform(-4, 4, n), rng.uniform(-4, 4, n)
    spent, best = 0, math.inf

    def cost(x):
        nonlocal spent, best
        if best > 1e-8:
            spent += 1
        value = f(turn @ (np.asarray(x) - optimum))
        best = min(best, value)
        return value
    options = {"ftarget": 1e-8, "verbose": -9, "seed": seed + 1, "maxfevals": BUDGET * n}
    cma.fmin2(cost, start, 2.0, options, restarts=9, incpopsize=2)
    return spent if best <= 1e-8 else math.inf


def median(values):
    s = sorted(values)
    return s[len(s) // 2]


def main():
    ours = {}
    for line in subprocess.run([tune, str(runs)], capture_output=True, text=True, check=True).stdout.splitlines():
        name, n, _, spent = line.split()
        ours.setdefault((name, int(n)), []).append(float(spent) if int(spent) >= 0 else math.inf)
    try:
        np, cma = importlib.import_module("numpy"), importlib.import_module("cma")
    except ImportError:
        cma = None
        print("  missing: cma (PyPI: cma, numpy)")
    print(f"  {'function':12} {'n':>3} {'poise':>9} {'cma':>9} {'ratio':>6}")
    worst = 0.0
    for (name, n), spent in ours.items():
        line = f"  {name:12} {n:3d} {median(spent):9.0f}"
        if cma is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                other = median([theirs(cma, np, functions(np)[name], n, s) for s in range(1, runs + 1)])
            ratio = median(spent) / other
            worst = max(worst, ratio)
            line += f" {other:9.0f} {ratio:6.2f}"
        print(line, flush=True)
    if cma is not None:
        print(f"  largest ratio {worst:.2f}")


main()
