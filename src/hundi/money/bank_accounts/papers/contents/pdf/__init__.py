"""The structure of a PDF: its objects, and where its tables say that they are."""
