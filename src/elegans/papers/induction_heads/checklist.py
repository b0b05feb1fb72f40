"""What the chapter "Induction Heads" (chapter 8 with appendix E) says, one row a statement, figure or part."""

from elegans.claims.paper import Paper, Row

TASKS = (
    Row("task-icl-mc", "Markov chains with flat Dirichlet rows, started stationary", "A/B"),
    Row("task-dirichlet-alpha", "other concentrations of the Dirichlet prior", "B"),
    Row("task-doubly-stochastic", "doubly stochastic chains, uniform: acceptance 1/8 and 11/11340", "A/B"),
    Row("task-unigram-iid", "independent tokens", "A"),
    Row("task-mixture", "doubly stochastic chains mixed with independent tokens", "A"),
    Row("task-ngram", "n-grams", "B"),
    Row("task-theory-k2", "three laws of (a, b) for two symbols; moments of λ", "A"),
    Row("strategies", "uniform, unigram, bigram, m-gram, oracles, exact Bayes: table of baselines", "B"),
)

MODELS_AND_STATEMENTS = (
    Row("eq-8.1-8.3-posterior", "Dirichlet posterior, Beta marginal, add-one mean, exact risk", "A"),
    Row("remark-8.1", "the gap between bigrams and exact Bayes vanishes", "B"),
    Row("stationary-large-k", "k E Σπ² tends to 1 at rate 1/k", "C"),
    Row(
        "eq-8.4-8.5-transformer", "attention-only transformer: forward pass, mask, relative positions, parameters", "A"
    ),
    Row("eq-8.6-8.7-losses", "cross-entropy and margin loss; the linear regime and its bound on Δ", "A"),
    Row("prop-8.2-construction", "a two-layer network that computes bigram frequencies", "A"),
    Row("prop-8.2-readout", "the read-out a p̂ + b comes near Bayes", "B"),
    Row("eq-8.8-minimal-model", "minimal model: forward pass, three equal formulas, gradient", "A"),
    Row("fact-8.3", "minimal-model weights for bigrams and for unigrams", "A"),
)

FIRST_STEP = (
    Row("eq-e.13-tensor", "tensor of the population gradient for any k, against automatic derivatives", "A/B"),
    Row("eq-e.15-powers", "powers of the transition matrix and its stationary law in closed form", "A"),
    Row("eq-e.16-sums", "four geometric sums (A)-(D), (I)-(IV)", "A"),
    Row("eq-e.17-wgrad", "gradient of W for one chain; the cases E.19-E.22", "A"),
    Row("eq-e.23-e.25-diag-bias", "constants A and B; their ratio tends to 3.978", "A/C"),
    Row("eq-e.26-e.29-vgrad", "v after the first step, D = 3/2 - ln 4, quadratic decay", "A"),
    Row("lemma-8.4-step1", "lemma 8.4 (E.1), first step", "A"),
)

LATER_STEPS = (
    Row("lemma-8.4-step2", "second step: v₂ dominates, from ηt³ of about 3513", "A"),
    Row("eq-e.30-e.38-second-step", "gradient of the second step, corrected", "A"),
    Row("eq-e.39-e.43-leading", "G_j, with G₁ and G₂ in closed form; pattern of signs", "A"),
    Row("even-odd-gradient", "d_j has its local maxima at even j", "A"),
    Row("layer2-first", "the useful signal in v grows as W aligns: W comes first", "A/B"),
    Row("passing-by-unigrams", "small steps and starts keep W uniform: the unigram solution", "B"),
    Row("cor-e.2-symmetric", "first step for a = b, corrected; a weaker push to unigrams", "A"),
    Row("prop-8.5-e.3-curriculum", "two steps of a curriculum reach bigrams; scaling in ε", "A/C"),
    Row("prop-e.3-tail-gap", "the weight of the background does not vanish", "A/B"),
    Row("eq-e.57-integral", "an identity of integrals", "A"),
    Row("linear-regime-power-iteration", "ours: singular vectors of the tensor", "A"),
)

FIGURES = (
    Row("fig-8.1-left", "drawing of how the data arise", "D", why_not="an illustration that claims nothing"),
    Row("fig-8.1-right", "three phases, seen in the KL to three strategies", "B"),
    Row("fig-8.2", "attention at a fixed input over training", "B"),
    Row("fig-8.3-transformer-loss", "transformer: the loss has a plateau and a drop", "B"),
    Row("fig-8.3-transformer-posenc", "transformer: even/odd pattern in the positional encoding", "B"),
    Row("fig-8.3-transformer-kl", "transformer: KL to strategies", "B"),
    Row("fig-8.3-minimal-loss", "minimal model: loss", "B"),
    Row("fig-8.3-minimal-v", "minimal model: v over training", "B"),
    Row("fig-8.3-minimal-kl", "minimal model: KL to strategies", "B"),
    Row("fig-8.4a", "doubly stochastic chains against the mixture, k = 4", "B"),
    Row("fig-8.4b", "W as a heat map and v as bars, k = 2", "B"),
    Row("fig-8.5-left", "trigrams: stages of the loss", "B"),
    Row("fig-8.5-right", "trigrams: KL to four strategies", "B"),
    Row("trigram-single-head-fails", "with one head, trigrams end at bigrams", "B"),
    Row("fig-e.1-left", "W after the first step", "A"),
    Row("fig-e.1-right", "v after the first step", "A"),
    Row("fig-e.2", "gradient of the diagonal in the second step", "A"),
    Row("fig-e.3", "ten seeds", "B"),
    Row("fig-e.4", "more symbols, t = 200", "B"),
    Row("fig-e.5", "heat maps of attention", "B"),
    Row("fig-e.6-transformer", "transformer on three test distributions", "B"),
    Row("fig-e.6-minimal", "minimal model on three test distributions", "B"),
    Row("fig-e.7", "figure 8.3 for two symbols", "B"),
    Row("fig-e.8", "one layer fails in four variants, trained eight times longer", "B"),
    Row("claim-bayes-optimal", "the trained transformer comes near the Bayes predictor", "B"),
    Row("claim-faster-without-unigrams", "without a unigram signal there is no plateau", "B"),
    Row("claim-minimal-short-plateau", "the minimal model spends little time at unigrams", "B"),
)  # fmt: skip

NOT_CHECKABLE = (
    Row("hyperparameters-e.2", "the settings of the runs", "D", why_not="data, not a claim; they stand as presets"),
    Row(
        "claim-lr-order", "order of the two learning rates of the curriculum", "D",
        why_not="text and appendix contradict each other; we follow the appendix, η₁ = O(t⁻²) far below η₂ = O(t⁻¹)",
    ),
    Row("claim-llm-links", "remarks on curricula, the NTK and large language models", "D", why_not="interpretation"),
    Row(
        "claim-same-mechanism", "the transformer learns by the mechanism of the minimal model", "D",
        why_not="only correlational evidence is possible",
    ),
)  # fmt: skip

PAPER = Paper(
    slug="induction-heads",
    title="The Evolution of Statistical Induction Heads: In-Context Learning Markov Chains",
    citation="Edelman, Edelman, Goel, Malach and Tsilivis, 2024; read as chapter 8 and appendix E of the "
    "dissertation Combinatorial Tasks as Model Systems of Deep Learning",
    rows=(*TASKS, *MODELS_AND_STATEMENTS, *FIRST_STEP, *LATER_STEPS, *FIGURES, *NOT_CHECKABLE),
)
