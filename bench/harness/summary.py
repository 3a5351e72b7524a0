"""Medians over rounds, and medians of ratios, which are computed within a round."""

from statistics import median

# All ratios are relative to a clean build by this tool in the same round.
REFERENCE = ("hugo", "clean")


def cells(runs):
    """`{(tool, scenario): {wall, cpu, peak, ratio, cpu_ratio}}`; ratios only for rounds with the reference."""
    reference = {run["round"]: run for run in runs if (run["tool"], run["scenario"]) == REFERENCE}
    grouped = {}
    for run in runs:
        grouped.setdefault((run["tool"], run["scenario"]), []).append(run)
    result = {}
    for key, own in grouped.items():
        cell = {name: median(run[name] for run in own) for name in ("wall", "cpu")}
        cell["peak"] = max(run["peak"] for run in own)
        for name in ("wall", "cpu"):
            ratios = [run[name] / reference[run["round"]][name] for run in own if run["round"] in reference]
            cell[f"{name}_ratio"] = median(ratios) if ratios else None
        result[key] = cell
    return result


def in_order(names, order):
    """The names in the order of another list."""
    return [name for name in order if name in names]


def seconds(value):
    return f"{value:.3f} s" if value < 10 else f"{value:.1f} s"


def ratio(value):
    if value is None:
        return "–"
    return f"{value:.4f}" if value < 0.01 else f"{value:.3f}" if value < 1 else f"{value:.2f}"


def table(head, rows, markdown=False):
    """The lines of a table: aligned columns for a terminal, pipes for Markdown. All columns but the first are numbers."""
    cells = [[str(cell) for cell in row] for row in [head, *rows]]
    if markdown:
        lines = ["| " + " | ".join(row) + " |" for row in cells]
        return [lines[0], "|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|", *lines[1:]]
    widths = [max(len(row[at]) for row in cells) for at in range(len(head))]
    pad = lambda row: "  ".join(
        cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths))
    )
    return [pad(row).rstrip() for row in cells]
