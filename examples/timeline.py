"""A picture of who was busy when, for the examples that share work."""

from images import save


def draw_timeline(path, spans, title):
    """Draw spans (worker, what, start, stop) in seconds, and return what to print about it."""
    workers = sorted({worker for worker, *_ in spans})
    kinds = list(dict.fromkeys(what for _, what, *_ in spans))
    first = min(start for *_, start, _ in spans)

    def draw(figure):
        ax = figure.subplots()
        for k, kind in enumerate(kinds):
            for row, worker in enumerate(workers):
                own = [(a - first, b - a) for w, what, a, b in spans if (w, what) == (worker, kind)]
                label = kind if row == 0 else None
                ax.broken_barh(
                    own, (row - 0.4, 0.8), color=f"C{k}", edgecolor="white", linewidth=0.3,
                    label=label,
                )  # fmt: skip
        ax.set_yticks(range(len(workers)), [f"worker {k}" for k in range(len(workers))])
        ax.set(xlabel="seconds")
        ax.set_title(title, loc="left")
        figure.legend(loc="outside upper right", ncols=len(kinds), fontsize="small")

    return save(path, draw, figsize=(9, 0.8 + 0.6 * len(workers)))
