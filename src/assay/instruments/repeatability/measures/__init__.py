"""The measures of cells, and what is compared between them."""
