"""Text to vectors: static models by default, and a cache of what was embedded before."""

from clew.embedding.cache import VectorCache, embed_with_cache, text_hash
from clew.embedding.loading import load_embedder
from clew.embedding.model2vec import Model2VecEmbedder, open_model2vec
from clew.embedding.pieces import Pieces, split_word
from clew.embedding.protocol import Embedder, unit_rows
from clew.embedding.static import StaticEmbedder, open_static
from clew.embedding.static_files import StaticOptions, write_static_model
from clew.embedding.texts import chunk_texts, path_text, with_paths

__all__ = [
    "Embedder",
    "Model2VecEmbedder",
    "Pieces",
    "StaticEmbedder",
    "StaticOptions",
    "VectorCache",
    "chunk_texts",
    "embed_with_cache",
    "load_embedder",
    "open_model2vec",
    "open_static",
    "path_text",
    "split_word",
    "text_hash",
    "unit_rows",
    "with_paths",
    "write_static_model",
]
