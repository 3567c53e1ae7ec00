"""Makes a platform of nodes and links between them, for tests of places on nodes. Nobody measured its figures."""


def _level(name, ranks, alpha_s):
    return {"name": name, "ranks_per_group": ranks,
            "segments": [{"max_bytes": 2**63 - 1, "alpha_s": alpha_s, "beta_s_per_byte": 1e-9}]}


def two_level_platform(ranks_per_node):
    return {"schema": "cnnplan.platform/1", "device": "CPU", "measured": False, "memory_bytes": 2**40,
            "gamma_s_per_byte": 1e-10, "copy_s_per_byte": 1e-10, "launch_s": 0.0, "overlap_efficiency": 0.0,
            "levels": [_level("node", ranks_per_node, 1e-6), _level("cluster", 1024, 1e-5)]}
