// Nothing: the target that the precompiled headers belong to has a source.
