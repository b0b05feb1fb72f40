"""What the chapter "Pareto Frontiers" (chapter 6 with appendix C) says, one row a statement, figure or part."""

from elegans.claims.paper import Paper, Row

NO_PROOF = "quoted from other papers: their rates can be calculated with, but are not derived here"

PARTS = (
    Row("task-parity", "sparse parity, on a fixed sample or on fresh examples: invariants", "A"),
    Row("task-tabular-protocol", "tabular data: standardise, split, keep one of 17 fractions", "A"),
    Row("task-tabular-surrogate", "synthetic tables with the three hard properties, and a rotated control", "A"),
    Row("algo-sgd", "SGD on a fixed sample or fresh examples; gradients against differences", "A"),
    Row("algo-layerwise", "the first layer-wise step in closed form; f = 0 at the start", "A"),
    Row("algo-truncated-step", "the truncated step and what it leaves", "A"),
    Row("init-sparse", "dense, s-sparse, symmetric and ε-perturbed initialisation", "A"),
    Row("model-mlp-deep", "networks of depth 1 to 3: parameter counts, two large shapes", "A"),
)

LOWER_BOUND = (
    Row("fourier-maj-half", "spectra of Maj and Half (lemma C.12), also for even N", "A"),
    Row("fourier-weight-bounds", "ρ(v) <= W^v <= (1 + 2v/s) ρ(v)", "A"),
    Row("lemma-c.1", "gradients tell the supports apart by at most 1/C(n,k) in the mean square", "A"),
    Row("assumption-6.2", "concentration of gradients in three modes of sampling", "B"),
    Row("prop-6.3-moment", "second moment and tail of the largest signal along a target-free run", "A"),
    Row("prop-6.3-oracle", "adversarial noise keeps the run free of the target", "A"),
    Row("prop-6.3-calculator", "slack of the bound, solved for each of the resources", "A"),
    Row("sq-warmup-exhaustive", "exhaustive search: sequential, parallel, random subset; union bound", "A"),
    Row(
        "sq-conjecture-noise",
        "noisy parity takes n^(ck), and other classes of large SQ dimension are as hard",
        "D",
        why_not="a conjecture and a general theorem on all algorithms of a kind: no finite experiment decides them",
    ),
    Row("kernel-trace-bound", "averaged over S, a fixed kernel has error at least 1 - m/C(n,k)", "A"),
    Row("kernel-regime", "samples that kernels need grow as n^k, unlike feature learning", "C"),
)

OVER_SPARSE = (
    Row("lemma-c.2", "probability of a good neuron", "A"),
    Row("lemma-c.3", "gradients of a good neuron, with the exact ratio (k-1)/(s-k)", "A"),
    Row("lemma-c.4", "gradients of a bad neuron", "A"),
    Row("lemma-c.5", "all gradients concentrate (Hoeffding)", "B"),
    Row("lemma-c.6-solvability", "features after one step represent the parity: biases printed and corrected", "A"),
    Row("lemma-c.6-dead-bad", "after one step bad neurons answer 0", "A"),
    Row("lemma-c.6-approx", "ideal and population features: norms and difference of losses", "B"),
    Row("lemma-c.6-sampled", "population and sampled features, given the error of the gradient", "A"),
    Row("lemma-c.7", "the loss is Lipschitz in the features", "A"),
    Row("lemma-c.8", "uniform convergence over features and readouts", "B"),
    Row("lemma-c.9", "gradient descent on the second layer", "B"),
    Row("lemma-c.10", "how often the initialisation is r'-good", "B"),
    Row("thm-6.4-e2e-k2", "layer-wise training from end to end, k = 2", "B"),
    Row("thm-6.4-e2e-k4", "readouts of all, good and bad neurons, k = 4", "B"),
    Row("thm-6.4-constants", "literal constants of theorem C.11, and the extremes s = αn and s = O(1)", "A"),
    Row("thm-6.4-scaling", "samples grow as s^(k-1), width as (n/s)^k", "B"),
    Row("informal-6.1", "both regimes as calculators; relevant coordinates are identified", "B"),
    Row("truncation-remark", "truncating the gradient saves the factor n²", "C"),
)

UNDER_SPARSE = (
    Row("lemma-c.13", "population gradients on S, for any overlap", "A"),
    Row("lemma-c.14", "population gradients off S, for any overlap", "A"),
    Row("lemma-c.15", "gradients of a good neuron: ratio and order", "A"),
    Row("thm-6.5-population", "the truncated step on the population, and an explicit subnetwork", "A"),
    Row("thm-6.5-samples", "threshold in the middle: correlation against m", "B"),
    Row("thm-6.5-scaling", "samples grow as n^(k-s-1) for four pairs (k, s)", "B"),
    Row("thm-6.5-width", "good neurons with all biases; r m does not depend on s", "A"),
    Row("thm-6.5-fixed-readout", "best correlation with untouched output signs", "A"),
    Row("thm-6.5-conjecture", "training from the ε-perturbed start, end to end", "C"),
    Row("exact-sparsity", "s = k with an l1 readout, in place of an open claim", "B/C"),
    Row("dense-halfspace-gap", "Fourier gaps of random dense neurons", "C"),
    Row("scaling-law-flops", "restarts, width and steps as one resource", "C"),
    Row("uniform-convergence-opposite", "width never hurts, against what uniform convergence suggests", "B"),
    Row("derived-2hot", "closed form for neurons with two ones", "A"),
    Row("derived-mstar", "formula for the sample threshold of one neuron", "B"),
    Row("derived-luck", "width as parallel search; restarts against width", "B"),
)

PARITY_EXPERIMENTS = (
    Row("finding-1-frontier", "wide networks succeed with far fewer than n^k samples", "B"),
    Row("finding-2-width", "width helps: success, threshold and time", "B"),
    Row("finding-3-sparse-init", "sparse beats dense initialisation", "B"),
    Row("finding-4-data", "grokking, and success that is not monotone in m", "B"),
    Row("fig-6.1-left", "success frontier in samples and width", "B"),
    Row("fig-6.1-right", "training and test error over time: grokking", "B"),
    Row("fig-6.2-left", "where the runs lie", "A"),
    Row("fig-6.2-center", "success against samples", "B"),
    Row("fig-6.2-right", "time against samples, with double descent", "B"),
    Row("fig-6.2-sparse", "dense against sparse rows", "B"),
    Row("fig-c.1", "the full sweep of 24 panels (scaled; at full size 600 hours of GPUs)", "B"),
    Row("fig-c.1-monotone-width", "no panel shows a significant loss from width", "B"),
    Row("fig-c.1-nonmonotone-m", "success comes, goes and comes back as m grows", "B"),
    Row("fig-c.1-online", "the column of fresh examples", "B"),
    Row("sparsity-sweep", "two ones a neuron are best", "B"),
    Row("weight-decay-sensitivity", "decay moves the transitions; without it none comes", "B"),
    Row("hparam-search", "batch 32, rate 0.1 and decay 0.01 are nearly the fastest", "C"),
    Row("larger-k-offline", "k = 5 is learned from a fixed sample", "B"),
    Row("fig-c.2-left", "a wide network on fresh examples", "B"),
    Row("fig-c.2-center", "pruned, rewound and trained again", "B"),
    Row("fig-c.2-right", "control: small networks with fresh weights", "B"),
    Row("compute-c.3.4", "number of runs and GPU hours, by arithmetic", "A"),
)

TABULAR = (
    Row("fig-6.3", "sample efficiency on selected tables (surrogates; real ones when data are given)", "B"),
    Row("fig-c.3", "sample efficiency on all tables (surrogates; real ones when data are given)", "B"),
    Row("tabular-2t", "width helps, nearly always", "B"),
    Row("tabular-3t", "sparse starts sometimes help; not after a rotation", "B"),
    Row("tabular-depth", "one hidden layer is nearly always worse than more", "C"),
    Row("tabular-s4", "four ones a neuron are nearly always worse than two", "C"),
    Row("tabular-wd", "weight decay hardly matters on tables", "C"),
    Row("tabular-rf-grid", "random forests: 90 settings, best median", "B"),
    Row("tabular-large-shapes", "layers of 10^5 and 10^4", "D", why_not="10^9 weights and 100 trials a setting"),
    Row("table-c.1", "the 16 data sets", "A"),
    Row("table-c.2-static", "wins and means of the printed table", "A"),
    Row(
        "table-c.2-repro",
        "the numbers of the printed table",
        "D",
        why_not="needs 16 data sets that are not shipped, and millions of trainings with an optimiser that is not named",
    ),
    Row("related-work-facts", "rates cited from other work", "D", why_not=NO_PROOF),
)

PAPER = Paper(
    slug="pareto-frontiers",
    title="Pareto Frontiers in Deep Feature Learning: Data, Compute, Width, and Luck",
    citation=(
        "Edelman, Goel, Kakade, Malach and Zhang, 2023; read as chapter 6 and appendix C of the dissertation "
        "Combinatorial Tasks as Model Systems of Deep Learning."
    ),
    rows=PARTS + LOWER_BOUND + OVER_SPARSE + UNDER_SPARSE + PARITY_EXPERIMENTS + TABULAR,
)
