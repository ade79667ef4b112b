"""ddp.py POISE: the textbook trajectory problems through this library and through Crocoddyl, where Python can import it: costs and iterations.

Crocoddyl gets the same discrete problems, written here once more in Python: the dynamics differentiated by the complex step, the costs by hand, so it runs as the
Gauss-Newton method that it is. Both start from the same guess and have 500 iterations to come to 1e-8 or so in the gradient, each by its own measure. Its time is mostly Python's and not told."""
import importlib
import json
import math
import subprocess
import sys

poise = sys.argv[1]
LIMIT = 500


def ours(name, u_max, derivatives):
    command = [poise, "ddp", name, "--derivatives", derivatives, "--iterations", str(LIMIT)] + ([] if u_max is None else ["--set", f"u_max={u_max}"])
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)


def pendulum(np):
    def step(x, u):
        w = x[1] + 0.05 * (u[0] - 0.1 * x[1] - 9.81 * 0.5 * np.sin(x[0])) / 0.25
        return np.array([x[0] + 0.05 * w, w])
    return squares(np, step, 60, np.array([math.pi, 0.0]))


def cart_pole(np):
    def step(x, u):
        s, c, w = np.sin(x[1]), np.cos(x[1]), x[3] * x[3]
        below = 1 + 0.2 * s * s
        v = x[2] + 0.05 * (u[0] + 0.2 * s * (0.5 * w + 9.81 * c)) / below
        r = x[3] + 0.05 * (-u[0] * c - 0.1 * w * c * s - 1.2 * 9.81 * s) / (0.5 * below)
        return np.array([x[0] + 0.05 * v, x[1] + 0.05 * r, v, r])
    return squares(np, step, 100, np.array([0, math.pi, 0, 0.0]))


def squares(np, step, frames, goal):
    """l = h (0.005 |e|^2 + 0.05 u^2), end 50 |e|^2"""
    n, h = len(goal), 0.05

    def cost(x, u):
        e = x - goal
        if u is None:
            return 50 * e @ e, 100 * e, 100 * np.eye(n), None, None
        return h * (0.005 * e @ e + 0.05 * u @ u), 0.01 * h * e, 0.01 * h * np.eye(n), 0.1 * h * u, 0.1 * h * np.eye(1)
    return step, cost, np.zeros(n), [np.array([0.01])] * frames, [math.inf]


def car(np):
    d, h = 2.0, 0.03

    def step(x, u):
        f = h * x[3]
        b = d + f * np.cos(u[0]) - np.sqrt(d * d - f * f * np.sin(u[0]) ** 2)
        return np.array([x[0] + b * np.cos(x[2]), x[1] + b * np.sin(x[2]), x[2] + np.arcsin(np.sin(u[0]) * f / d), x[3] + h * u[1]])

    def smooth(y, p):
        r = math.sqrt(y * y + p * p)
        return np.array([r - p, y / r, p * p / r ** 3])

    def cost(x, u):
        near = [1e-3 * smooth(x[i], 0.1) for i in (0, 1)] + [np.zeros(3)] * 2
        if u is None:
            near = [near[i] + 0.1 * smooth(x[i], 0.01) for i in (0, 1)] + [smooth(x[2], 0.01), 0.3 * smooth(x[3], 1.0)]
        near = np.array(near)
        value, lx, lxx = near[:, 0].sum(), near[:, 1], np.diag(near[:, 2])
        if u is None:
            return value, lx, lxx, None, None
        w = np.array([0.01, 1e-4])
        return value + w @ (u * u), lx, lxx, 2 * w * u, np.diag(2 * w)
    guess = [0.1 * np.array([math.sin(0.7 * k), math.cos(0.7 * k)]) for k in range(500)]
    return step, cost, np.array([1, 1, 1.5 * math.pi, 0]), guess, [0.5, 2.0]


def action(crocoddyl, np, step, cost, n, m, bound, end):
    class Action(crocoddyl.ActionModelAbstract):
        def __init__(self):
            crocoddyl.ActionModelAbstract.__init__(self, crocoddyl.StateVector(n), 0 if end else m)
            if not end and all(b < math.inf for b in bound):
                self.u_lb, self.u_ub = -np.array(bound), np.array(bound)

        def calc(self, data, x, u=None):
            u = None if end else u
            data.cost = cost(x, u)[0]
            data.xnext = x if u is None else step(x, u)

        def calcDiff(self, data, x, u=None):
            u = None if end else u
            _, data.Lx, data.Lxx, lu, luu = cost(x, u)
            if u is None:
                return
            data.Lu, data.Luu = lu, luu
            tiny = 1e-30
            data.Fx = np.stack([step(x + 1j * tiny * np.eye(n)[i], u + 0j).imag / tiny for i in range(n)], axis=1)
            data.Fu = np.stack([step(x + 0j, u + 1j * tiny * np.eye(m)[i]).imag / tiny for i in range(m)], axis=1)
    return Action()


def theirs(crocoddyl, np, make, u_max, solver):
    step, cost, start, guess, bound = make(np)
    bound = [min(b, u_max if u_max is not None else math.inf) for b in bound]
    n, m = len(start), len(guess[0])
    running = action(crocoddyl, np, step, cost, n, m, bound, False)
    problem = crocoddyl.ShootingProblem(start, [running] * len(guess), action(crocoddyl, np, step, cost, n, m, bound, True))
    s = getattr(crocoddyl, solver)(problem)
    s.th_stop = 1e-14  # of the squares of gradients, summed over the frames
    xs = problem.rollout(guess)
    done = s.solve(list(xs), guess, LIMIT, False)
    return s.cost, s.iter, done


def main():
    try:
        np, crocoddyl = importlib.import_module("numpy"), importlib.import_module("crocoddyl")
    except ImportError:
        crocoddyl = None
        print("  missing: Crocoddyl (PyPI: crocoddyl)")
    print(f"  {'problem':22} {'solver':24} {'cost':>14} {'iterations':>10}")
    for name, u_max, make in (("pendulum", None, pendulum), ("pendulum", 3, pendulum), ("cart-pole", None, cart_pole), ("cart-pole", 3, cart_pole), ("car", None, car)):
        title = name + ("" if u_max is None else f", |u| <= {u_max}")
        for derivatives in ("full", "gauss-newton"):
            r = ours(name, u_max, derivatives)
            print(f"  {title:22} {'poise ' + derivatives:24} {r['cost']:14.8f} {r['iterations']:10d}{'' if r['status'] == 'optimal' else '  ' + r['status']}", flush=True)
        if crocoddyl is None:
            continue
        for solver in (("SolverDDP", "SolverFDDP") if u_max is None and name != "car" else ("SolverBoxDDP", "SolverBoxFDDP")):
            try:
                cost, iterations, done = theirs(crocoddyl, np, make, u_max, solver)
                print(f"  {title:22} {'Crocoddyl ' + solver[6:]:24} {cost:14.8f} {iterations:10d}{'' if done else '  not done'}", flush=True)
            except Exception as e:  # an unknown version of somebody's interface is no reason to stop
                print(f"  {title:22} {'Crocoddyl ' + solver[6:]:24} did not answer: {str(e).splitlines()[0][:80] if str(e) else type(e).__name__}")


main()
