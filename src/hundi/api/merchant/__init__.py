"""The merchant's side: one file per interface of the first document, one pipeline for all."""
