"""hqp.py: .hqp text (docs/hqp-benchmark.md) read and written, and the loop of a solver behind `poise bench hqp FILE --solver-process 'python hqp.py'`."""
import math
import sys
import time


def documents(stream):
    """Lists of problems, one document `hqp 1` … after the other; a problem is (name, n, levels), a level (name, hard, rows), a row (lower, upper, [a_1 … a_n])."""
    problems, levels, left = [], [], 0
    for line in stream:
        word = line.split("#")[0].split()
        if not word or word[0] == "hqp":
            continue
        if left:
            number = [float(w) for w in word]
            levels[-1][2].append((number[0], number[1], number[2:]))
            left -= 1
        elif word[0] == "problem":
            levels = []
            problems.append((word[1], int(word[3]), levels))
        elif word[0] == "level":
            levels.append((word[1], "hard" in word[2:-2], []))
            left = int(word[-1])
        elif word[0] == "end":
            yield problems.pop()


def write(problems, stream):
    print("hqp 1", file=stream)
    for name, n, levels in problems:
        print("problem", name, "variables", n, file=stream)
        for level, hard, rows in levels:
            print("level", level, *(["hard"] if hard else []), "rows", len(rows), file=stream)
            for lower, upper, a in rows:
                print(repr(lower), repr(upper), *map(repr, a), file=stream)
        print("end", file=stream)


def violations(problem, x):
    def miss(row):
        at = sum(a * v for a, v in zip(row[2], x))
        return max(row[0] - at, 0, at - row[1])
    return [math.sqrt(sum(miss(row) ** 2 for row in rows)) for _, _, rows in problem[2]]


def kaczmarz(problem, sweeps=50):
    """A toy: level by level, from the last, so that the first has the last word, to the nearest point of each row."""
    x = [0.0] * problem[1]
    for _ in range(sweeps):
        for _, _, rows in reversed(problem[2]):
            for lower, upper, a in rows:
                at, square = sum(p * q for p, q in zip(a, x)), sum(p * p for p in a)
                step = (max(lower - at, 0) - max(at - upper, 0)) / square if square else 0
                x = [v + step * p for v, p in zip(x, a)]
    return x


if __name__ == "__main__":
    for asked in documents(sys.stdin):
        began = time.process_time()
        answer = kaczmarz(asked)
        print(1, time.process_time() - began, *map(repr, answer), flush=True)
