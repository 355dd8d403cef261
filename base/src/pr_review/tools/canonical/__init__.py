"""The four tools of the review protocol; their names, descriptions and schemas never change."""
