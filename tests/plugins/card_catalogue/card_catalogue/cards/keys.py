"""The keys of a card, and the fields that they become."""

TAGS = {"number": "001", "title": "900", "author": "901", "year": "902", "price": "909"}
