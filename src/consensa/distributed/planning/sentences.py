"""A plan as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consensa._machine.memory import human_bytes

if TYPE_CHECKING:
    from consensa.distributed.planning.estimate import Plan

__all__ = ["duration", "headline", "needs", "sentences"]


def sentences(plan: Plan) -> list[str]:
    """A plan in a few lines."""
    passes = f"{plan.passes} passes over the labels"
    if plan.n_features:
        of_labels = plan.passes - plan.feature_passes
        passes = f"{plan.feature_passes} passes over the features and {of_labels} over the labels"
    return [headline(plan), f"Time: {duration(plan.seconds)} in {passes}", *needs(plan)]


def headline(plan: Plan) -> str:
    """The computation and the machines."""
    machines = plan.cluster
    each = f"{machines.cores} cores" if machines.cores > 1 else "1 core"
    if machines.memory:
        each += f" and {human_bytes(machines.memory)}"
    samples = f"{plan.n_samples:,} samples"
    samples += f" of {plan.n_features} features" if plan.n_features else ""
    many = f"{machines.workers} machines" if machines.workers > 1 else "one machine"
    return (
        f"{plan.method} of {samples} and {plan.n_partitions} partitions with "
        f"{plan.n_base_clusters:,} clusters in all, on {many} of {each}"
    )


def needs(plan: Plan) -> list[str]:
    """Bytes stored, needed and transferred, and whether they fit."""
    local = plan.cluster.network is None
    who = "this process needs" if local else "each worker needs"
    lines = [
        f"{'Features' if plan.n_features else 'Labels'} as stored: "
        f"{human_bytes(plan.bytes_stored)}",
        f"Memory: {who} {human_bytes(plan.worker_memory)}",
    ]
    if not local:
        lines.append(
            f"Moved: {human_bytes(plan.bytes_moved)} in all, of which "
            f"{human_bytes(plan.bytes_to_client)} to the client, which needs "
            f"{human_bytes(plan.client_memory)}"
        )
    if plan.largest:
        lines.append(f"One such machine has memory for {plan.largest:,.0f} samples")
    if not plan.fits:
        remedy = "more memory or fewer cores" if local else "workers more memory or fewer cores"
        lines.append(f"Too little memory: give {remedy}, or combine fewer clusters.")
    return lines


def duration(seconds: float) -> str:
    """Format a duration: ``'3.5 min'``."""
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:.1f} s"
