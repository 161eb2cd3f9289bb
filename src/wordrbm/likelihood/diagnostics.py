"""When an estimate of the likelihood is not to be trusted, in plain sentences."""

from wordrbm.likelihood.estimate import LikelihoodEstimate

HEAVY_SHARE = 0.05  # of the model on ten windows, from which on it may be told
HEAVY_RATIO = 3.0  # times their share of the text
LARGEST_GAP = 0.5  # nats between annealing forward and in reverse
LEAST_SAMPLE = 0.1  # effective sample size, of the particles
LARGEST_ERROR = 0.1  # standard error of log Z, in nats


def find_warnings(estimate: LikelihoodEstimate) -> list[str]:
    """What to know before trusting an estimate; nothing if all is well."""
    checks = [_mass_off_the_text, _gap_of_annealing, _few_particles_count, _below_the_bound]
    return [sentence for check in checks if (sentence := check(estimate))]


def _mass_off_the_text(estimate: LikelihoodEstimate) -> str:
    heaviest = estimate.heaviest
    is_heavy = heaviest.share_of_ten > HEAVY_SHARE
    if not is_heavy or heaviest.share_of_ten <= HEAVY_RATIO * heaviest.text_share_of_ten:
        return ""
    return (
        f"{heaviest.share_of_ten:.1%} of the model lies on ten windows that are "
        f"{heaviest.text_share_of_ten:.2%} of the text: the chains of its training did not reach "
        "them; train again with --jumps 1, or with lower rates if it had jumps."
    )


def _gap_of_annealing(estimate: LikelihoodEstimate) -> str:
    gap = abs(estimate.reverse.mean - estimate.forward.log_Z)
    if gap <= LARGEST_GAP:
        return ""
    return (
        f"Annealing forward and in reverse differ by {gap:.1f} nats; use more --temperatures. If "
        "they still differ then, the model is not where the text is."
    )


def _few_particles_count(estimate: LikelihoodEstimate) -> str:
    stratified, C = estimate.stratified, len(estimate.particles.windows)
    size = stratified.effective_sample_size
    if size >= LEAST_SAMPLE * C or stratified.standard_error <= LARGEST_ERROR:
        return ""
    return (
        f"The effective sample size is {size:.1f} of {C} particles: the interval of log Z is too "
        "narrow; use more --temperatures or more --chains."
    )


def _below_the_bound(estimate: LikelihoodEstimate) -> str:
    below = estimate.heaviest.log_bound - estimate.stratified.log_Z
    if below <= LARGEST_ERROR:
        return ""
    return (
        f"Annealing ended {below:.1f} nats below what the windows of the text hold for certain; "
        "the bound is given instead, and log Z may be larger still."
    )
