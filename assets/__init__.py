"""When the data is made: the Dagster graph, its checks and automation, and the command line that runs it.

Belongs here: naming inputs, calling one function of `servicebench_data`, and showing a person what came out. Does not
belong here: any computation, reading of the environment, or prompt. Nothing imports this package.
"""

import warnings

# Single-run backfills are how one run covers all industries; that they are in beta is no news to who runs the product.
warnings.filterwarnings("ignore", message="Parameter `backfill_policy`")
