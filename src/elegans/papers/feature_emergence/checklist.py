"""What the chapter "Feature Emergence" (chapter 7 with appendix D) says, one row a statement, figure or part."""

from elegans.claims.paper import Paper, Row

PARTS = (
    Row("task-cyclic", "addition modulo p", "A"),
    Row("task-parity", "sparse parity, enumerated", "A"),
    Row("task-group", "composition in finite groups: Z_n, products, D_n, S_n, Q8, A4, F21", "A"),
    Row("model-homogeneity", "homogeneity of degree ν, parameter counts, gradients against differences", "A"),
    Row("intro-identity", "argmax of cosines, the sum of interferences, a solution of one frequency (K6)", "A"),
    Row("informal-theorem", "the summary of modular addition is theorem 7.7", "A"),
    Row("hyperparameters-d.2", "the paper's settings as presets", "A"),
)

CERTIFICATES = (
    Row("thm-7.1", "the margin tends to γ* as λ goes to 0: exact programme and trained networks", "C"),
    Row("lem-7.2", "max-min certificate: K1, K3, K4 pass it, K5, K6 do not", "A"),
    Row("lem-7.3", "one neuron is enough, and neurons combine (binary)", "A"),
    Row("lem-7.4", "one certificate describes all maximisers (binary); bound for random networks", "A"),
    Row("lem-7.5", "one neuron is enough, and neurons combine (class-weighted); the case b ≠ ν", "A"),
    Row("lem-7.6", "one certificate describes all maximisers (several classes); bound for random networks", "A"),
    Row("blueprint-7.3.3", "the recipe: guess q and τ, solve for one neuron, combine", "A"),
    Row("fig-7.3", "g' lies above g: the drawing in numbers", "A"),
)

CYCLIC_AND_PARITY = (
    Row("thm-7.7-margin", "γ* of cyclic groups: K1 attains it, no start does better", "A"),
    Row("thm-7.7-neuron-form", "closed form of E[ψ'], the chain D.1-D.6 and the optimal neuron", "A"),
    Row(
        "thm-7.7-all-frequencies",
        "every frequency is used: three-dimensional transform of K1, K2, a trained network",
        "A",
    ),
    Row("cyclic-phase-balance", "derived: maximisers characterised by phases; K2 needs 3(p-1) neurons only", "A"),
    Row("thm-7.8-margin", "γ* of parity for k = 1..8, K3, closed form of E[ψ]", "A"),
    Row("thm-7.8-structure", "conditions (1) and (2) hold in trained networks", "B"),
    Row("parity-sign-classes", "derived: maximisers characterised by signs; width 2^(k-1) is tight", "A"),
)

GROUPS = (
    Row("rep-theory", "theorems D.2, D.4, D.5, D.8, D.9 and proposition D.7 for all groups at hand", "A"),
    Row("table-d.1", "character table of S5, with two rows exchanged (E12)", "A"),
    Row("lem-d.10", "properties of the basis vectors", "A"),
    Row("lem-d.11", "weighted margin in closed form", "A"),
    Row("lem-d.12", "the norm in coefficients", "A"),
    Row("lem-d.13", "optimum within one representation has rank one", "A"),
    Row("lem-d.14", "τ from characters, with corrected signs; uniform τ picks the sign representation", "A"),
    Row("lem-d.15-16", "the network of maximum margin (K4)", "A"),
    Row("thm-7.9-margin", "γ* for S3, S4, S5, D_n and Z2^k", "A"),
    Row("thm-7.9-all-reps", "every representation is used: the transform argument", "A"),
    Row("condition-h", "condition (H) holds for S2..S5 and fails for S6..S11; dihedral groups, Z2^k", "A"),
    Row("sec-d.9.2", "subsets of representations; the search for S6", "A"),
    Row("margin-lp", "derived: exact γ* of any finite group by a linear programme", "A"),
    Row("finite-lambda", "derived: exact regularised optimum, its predictions and its lower bound", "A"),
    Row("alt-construction-d.4", "a memorising network (K5): exact output, flat spectrum, smaller margin", "A"),
    Row("training-identities", "conservation, Euler's identity, the threshold of collapse", "A"),
)

FIGURES = (
    Row("fig-7.1a", "ReLU network: embeddings and spectra", "B"),
    Row("fig-7.1b", "quadratic network: embeddings and spectra", "B"),
    Row("fig-7.1c", "normalised margin approaches γ*", "B"),
    Row("fig-7.2", "drawing of the architecture", "D", why_not="a drawing without data"),
    Row("fig-7.4a", "largest normalised power at the start (mean H_n/n)", "A/B"),
    Row("fig-7.4b", "ReLU network: largest power about 0.9 at the end", "B"),
    Row("fig-7.4c", "quadratic network: largest power about 1 at the end", "B"),
    Row("fig-7.5a", "parity: the largest neurons", "B"),
    Row("fig-7.5b", "parity: the margin approaches γ*", "B"),
    Row("fig-7.6a-d", "S5 in four panels: counts and masses of representations", "B"),
    Row("fig-d.1a", "ReLU network: neurons of each frequency", "B"),
    Row("fig-d.1b", "quadratic network: neurons of each frequency, uniform mass", "B"),
    Row("fig-d.2a-d", "S3 in four panels", "B"),
    Row("fig-d.3a-d", "S4 in four panels", "B"),
    Row("other-groups", "ours: training on D4, Q8, Z2^3, A4 and F21 against the exact programmes", "B"),
    Row(
        "other-architectures", "the findings carry over to other networks and norms", "D",
        why_not="a remark; its only evidence is the ReLU network, which figures 7.1a, 7.4b and D.1a check",
    ),
    Row(
        "related-work-d.1", "how the results relate to earlier ones", "D",
        why_not="positions on other work, such as that Gromov's scheme contains K1; nothing measurable is claimed",
    ),
)  # fmt: skip

PAPER = Paper(
    slug="feature-emergence",
    title="Feature Emergence via Margin Maximization: Case Studies in Algebraic Tasks",
    citation="Morwani, Edelman, Oncescu, Zhao and Kakade, 2023; read as chapter 7 and appendix D of the "
    "dissertation Combinatorial Tasks as Model Systems of Deep Learning",
    complete=True,
    rows=(*PARTS, *CERTIFICATES, *CYCLIC_AND_PARITY, *GROUPS, *FIGURES),
)
