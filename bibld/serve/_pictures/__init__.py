"""Pictures: data in, accessible SVG text out, without any input or output.

Each function returns a picture: its drawing for a page, the same as a file that contains its style, and its data as the
rows of a table. The words come with the data, in the language of the page.
"""
