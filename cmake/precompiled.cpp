// This file is empty: the target that the precompiled headers belong to needs a source.
