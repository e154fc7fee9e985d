"""Makes tests/golden/cma.json with the PyPI package cmaes, and compares it to the package cma.

pip install cmaes==0.13.1 cma==4.5.0
"""
import json, math, sys, warnings
import numpy as np
import cma, cma.sigma_adaptation
from cmaes import CMA

warnings.simplefilter("ignore")
DIGITS = 10
rounded = lambda x, d=DIGITS: [float(f"{v:.{d}g}") for v in np.ravel(x)]


def ellipsoid(x):
    x = np.asarray(x) - 1.0
    return float(np.sum(1000.0 ** (np.arange(len(x)) / (len(x) - 1)) * x**2))


def rosenbrock(x):
    x = np.asarray(x)
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))


def case(name, problem, mean, sigma, population, seed, generations=30):
    n = len(mean)
    es = CMA(mean=np.array(mean, float), sigma=sigma, seed=seed, population_size=population)
    lam, told, stalls = es.population_size, [], 0
    for g in range(1, generations + 1):
        # The samples are rounded before anything sees them: what is in the file is what was told.
        samples = [np.array(rounded(es.ask(), 7)) for _ in range(lam)]
        costs = rounded([problem(x) for x in samples], 7)
        assert len(set(costs)) == lam, "no ties"
        es.tell(list(zip([s.copy() for s in samples], costs)))
        # cmaes takes one generation too many in the exponent; the file must not depend on it.
        norm = np.linalg.norm(es._p_sigma)
        bound = (1.4 + 2 / (n + 1)) * es._chi_n
        stall = [norm / math.sqrt(1 - (1 - es._c_sigma) ** (2 * k)) >= bound for k in (g, g + 1)]
        if stall[0] != stall[1]:
            return None
        stalls += stall[0]
        low = np.tril_indices(n)
        told.append(dict(samples=[s.tolist() for s in samples], costs=costs, mean=rounded(es._mean),
                         sigma=rounded(es._sigma)[0], covariance=rounded(es._C[low])))
    if not stalls:
        return None
    print(f"{name} n={n} seed={seed} population={lam}: stalls {stalls}, sigma {es._sigma:.4g}, last best cost {min(costs):.4g}")
    return dict(problem=name, population=lam, mean=list(map(float, mean)), sigma=sigma, generations=told), es


chi_of_pycma = cma.sigma_adaptation.Mh.chiN


def pycma(case, tutorial):
    """The largest relative differences of pycma on the same samples: mean, sigma, C."""
    n, lam = len(case["mean"]), case["population"]
    cma.sigma_adaptation._CSA_dampfac_mueff_inner = 1 if tutorial else 3
    es = cma.CMAEvolutionStrategy(case["mean"], case["sigma"], dict(
        popsize=lam, verbose=-9, seed=1, CMA_mirrors=0, minstd=0, tolfun=0, tolx=0))
    chi = lambda n: math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))
    cma.sigma_adaptation.Mh.chiN = staticmethod(chi if tutorial else chi_of_pycma)
    es.adapt_sigma.initialize(es)
    es.sm.lazy_update_gap = 0
    if tutorial:
        mueff = es.sp.weights.mueff
        es.adapt_sigma.cs = (mueff + 2) / (n + mueff + 5)
        es.adapt_sigma.damps = 1 + 2 * max(0, math.sqrt((mueff - 1) / (n + 1)) - 1) + es.adapt_sigma.cs
        es.sm.C, es.sm.B, es.sm.D = np.eye(n), np.eye(n), np.ones(n)
        c1 = 2 / ((n + 1.3) ** 2 + mueff)
        cmu = min(1 - c1, 2 * (mueff - 2 + 1 / mueff) / ((n + 2) ** 2 + mueff))
        es.sp.c1, es.sp.cmu = c1, cmu
        es.sm.parameters(mueff=mueff, lam=lam)
        es.sm._parameters = dict(c1=c1, cmu=cmu)
        es.sp.weights = cma.recombination_weights.RecombinationWeights(lam)
        es.sp.weights.finalize_negative_weights(n, c1, cmu)
        es.adapt_sigma.max_delta_log_sigma = np.inf
    worst, first, flips = np.zeros(3), None, [0]
    for told in case["generations"]:
        es.ask()
        if tutorial:
            # The bound of the tutorial; pycma's is norm^2 < n (2 + 4 / (n + 1)).
            def hsig(es, own=es.adapt_sigma):
                own._update_ps(es)
                grown = math.sqrt(1 - (1 - own.cs) ** (2 * es.countiter))
                return np.linalg.norm(own.ps) / grown < (1.4 + 2 / (n + 1)) * chi(n)
            original, stalled = type(es.adapt_sigma).hsig.__get__(es.adapt_sigma), []
            def both(es):
                stalled.append((original(es), hsig(es)))
                flips[0] += stalled[-1][0] != stalled[-1][1]
                return stalled[-1][1]
            es.adapt_sigma.hsig = both
        es.tell([np.array(s) for s in told["samples"]], told["costs"], check_points=False)
        es.sm.update_now(-1)
        low = np.tril_indices(n)
        difference = []
        for ours, theirs in ((es.mean, told["mean"]), (es.sigma, told["sigma"]), (es.sm.C[low], told["covariance"])):
            theirs = np.ravel(theirs)
            difference.append(np.max(np.abs(np.ravel(ours) - theirs)) / np.max(np.abs(theirs)))
        first = difference if first is None else first
        worst = np.maximum(worst, difference)
    return first, worst, (es.adapt_sigma.cs, es.adapt_sigma.damps, f'bounds of h_sigma differ in {flips[0]}' if tutorial else '')


cases = []
for name, problem, mean, sigma in (
    ("ellipsoid", ellipsoid, [4.0, -3.0, 2.0], 0.2),
    ("rosenbrock", rosenbrock, [0.0] * 9, 0.05),
):
    for population in (None, 20):
        # The first seed with a stall in it on which the two exponents agree throughout.
        made, es = next(filter(None, (case(name, problem, mean, sigma, population, seed) for seed in range(1, 5000))))
        print("  cmaes:", {k: float(f"{getattr(es, k):.6g}") for k in ("_c1", "_cmu", "_c_sigma", "_d_sigma", "_cc", "_chi_n")})
        cases.append(made)
        for tutorial in (True, False):
            first, worst, cs = pycma(made, tutorial)
            show = lambda d: ", ".join(f"{v:.1e}" for v in d)
            print(f"  pycma {'with the tutorial set' if tutorial else 'as it comes'}: first {show(first)}; worst {show(worst)}; cs, damps {cs}")

out = dict(source="cmaes 0.13.1, CMA.tell; covariance: lower triangle, row by row, without sigma; costs are minimised",
           cases=cases)
text = json.dumps(out, separators=(",", ":"))
# One generation a line.
text = text.replace('{"samples"', '\n{"samples"') + "\n"
open(sys.argv[1], "w").write(text)
print(len(text), "bytes")
