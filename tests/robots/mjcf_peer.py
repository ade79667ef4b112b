#!/usr/bin/env python3
"""MJCF files as Poise reads them against MuJoCo itself: masses, M, bias forces, places of bodies at random states.

    python3 tests/robots/mjcf_peer.py POISE FILE.xml...      files or folders; without any: those of gymnasium and dm_control, if installed

Skipped with a reason (exit 77) when the package mujoco is not installed. The bound is 1e-9 of the largest entry; how files differ that MuJoCo refuses
or that have parts left out here is printed with Poise's own warnings.
"""
import glob, json, os, subprocess, sys

try:
    import mujoco, numpy as np
except ImportError as e:
    print("mjcf_peer: skipped: %s" % e)
    sys.exit(77)

STATES = 20
BOUND = 1e-9


def files(args):
    if not args:
        for name, parts in (("gymnasium", ["envs/mujoco/assets/*.xml"]), ("dm_control", ["suite/*.xml", "locomotion/walkers/assets/*.xml",
                            "locomotion/walkers/assets/*/*.xml", "locomotion/soccer/assets/*/*.xml", "third_party/*/*.xml", "mujoco/testing/assets/*.xml"])):
            try:
                base = os.path.dirname(__import__(name).__file__)
                args = args + [f for p in parts for f in sorted(glob.glob(os.path.join(base, p)))]
            except Exception as e:
                print("mjcf_peer: without the files of %s: %s" % (name, e))
    out = []
    for a in args:
        out += sorted(glob.glob(os.path.join(a, "**", "*.xml"), recursive=True)) if os.path.isdir(a) else [a]
    return [f for f in out if b"<worldbody" in open(f, "rb").read() or b"<mujoco" in open(f, "rb").read()]


def run(poise, f, seed, links):
    cmd = [poise, "dyn", f, "--random", str(seed), "--quiet"]
    for l in links:
        cmd += ["--link", l]
    p = subprocess.run(cmd, capture_output=True, text=True)
    return (json.loads(p.stdout) if p.returncode == 0 else None), p.stderr.strip()


def joints(m):
    return [(m.joint(i).name, int(m.jnt_type[i]), int(m.jnt_qposadr[i]), int(m.jnt_dofadr[i])) for i in range(m.njnt)]


def compare(m, d, r, places):
    """Largest differences, relative to the largest entry: M, bias, places (absolute), mass."""
    nq, nv = m.nq, m.nv
    qpos, T, extra = m.qpos0.copy(), np.zeros((nv, nv)), np.zeros(nv)
    v = np.array(r["v"])
    base = r["base"] == "floating"
    all_joints, q, at = joints(m), r["joint_positions"], 0
    names = (["<root>"] if base else []) + r["joint_names"]
    if len(names) != m.njnt or len(v) != nv:
        return "joints: %d here, %d there" % (len(names), m.njnt)
    k = 0
    for i, (name, kind, qa, da) in enumerate(all_joints):
        if kind == 0:
            x = r["base_quaternion_wxyz"] + r["base_position"] if base and i == 0 else q[at:at + 7]
            at += 0 if base and i == 0 else 7
            qpos[qa:qa + 3], qpos[qa + 3:qa + 7] = x[4:], x[:4]
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, np.array(x[:4]))
            R = R.reshape(3, 3)
            T[da + 3:da + 6, k:k + 3] = np.eye(3)
            T[da:da + 3, k + 3:k + 6] = R
            extra[da:da + 3] = R @ np.cross(v[k:k + 3], v[k + 3:k + 6])
            k += 6
        elif kind == 1:
            qpos[qa:qa + 4] = q[at:at + 4]
            T[da:da + 3, k:k + 3] = np.eye(3)
            at += 4
            k += 3
        else:
            if name and not (base and i == 0) and names[i] != name:
                return "joint %d is '%s' here, '%s' there" % (i, names[i], name)
            qpos[qa] += q[at]
            T[da, k] = 1
            at += 1
            k += 1
    d.qpos[:] = qpos
    d.qvel[:] = T @ v
    mujoco.mj_forward(m, d)
    M = np.zeros((nv, nv))
    if hasattr(d, "qM"):
        mujoco.mj_fullM(m, M, d.qM)
    else:
        mujoco.mj_fullM(m, d, M)
    M -= np.diag(m.dof_armature)  # `poise dyn` is without it
    ours_M, ours_h = np.array(r["M"]).reshape(nv, nv), np.array(r["h"])
    M_t, h_t = T.T @ M @ T, T.T @ (d.qfrc_bias + M @ extra)
    worst_place = 0
    for l in r.get("links", []):
        body = places[l["name"]]
        worst_place = max(worst_place, np.abs(d.xpos[body] - l["position"]).max(), np.abs(d.xmat[body] - np.array(l["rotation"]).ravel()).max())
    moving = sum(m.body_mass[b] for b in range(1, m.nbody) if m.body_weldid[b] != 0 and m.body_mocapid[b] < 0)
    return [np.abs(M_t - ours_M).max() / max(np.abs(M).max(), 1e-12), np.abs(h_t - ours_h).max() / max(np.abs(d.qfrc_bias).max(), np.abs(h_t).max(), 1e-12),
            worst_place, abs(moving - r["total_mass"]) / max(moving, 1e-12)]


def one(poise, f):
    """None: nothing to compare. Else whether they agree."""
    try:
        m = mujoco.MjModel.from_xml_path(f)
    except Exception as e:
        r, err = run(poise, f, 1, [])
        print("%-44s MuJoCo refuses it (%s); poise %s" % (os.path.basename(f), str(e).replace("\n", " ")[:80], "reads it" if r else "too: " + err[:120]))
        return None
    if m.nv == 0:
        print("%-44s nothing in it moves" % os.path.basename(f))
        return None
    m.opt.gravity[:] = (0, 0, -9.81)
    m.opt.disableflags = 0
    d = mujoco.MjData(m)
    r, err = run(poise, f, 1, [])
    if not r:
        print("%-44s REFUSED: %s" % (os.path.basename(f), err[:300]))
        return False
    places = {}
    frames = {m.body(b).name: b for b in range(1, m.nbody) if m.body(b).name}
    for name, b in frames.items():
        for l in (name + "_origin", name):
            if run(poise, f, 1, [l])[0]:
                places[l] = b
                break
    worst = [0, 0, 0, 0]
    for seed in range(1, STATES + 1):
        r, err = run(poise, f, seed, list(places))
        x = compare(m, d, r, places) if r else err
        if isinstance(x, str):
            print("%-44s DIFFERS: %s" % (os.path.basename(f), x))
            return False
        worst = [max(a, b) for a, b in zip(worst, x)]
    good = max(worst) <= BOUND
    print("%-44s %-7s nv %3d, bodies %3d: M %.1e  bias %.1e  places %.1e  mass %.1e" % ((os.path.basename(f), "agrees" if good else "DIFFERS", m.nv, len(places)) + tuple(worst)))
    return good


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        sys.exit(2)
    results = [one(sys.argv[1], f) for f in files(sys.argv[2:])]
    print("%d agree, %d differ, %d without comparison" % (results.count(True), results.count(False), results.count(None)))
    sys.exit(1 if False in results else 0)


main()
