"""The kernels of dedup in plain Python, written independently: tests hold both equal."""


def decode_texts(data: bytes, slots: list[int]) -> list[list[list[int]]]:
    """Return the code points of each text, by column and row; each text ends with 0x1F."""
    texts = data.split(b"\x1f")[:-1]
    columns: list[list[list[int]]] = [[] for _ in slots]
    for number, text in enumerate(texts):
        columns[slots[number % len(slots)]].append(_code_points(text))
    return columns


def _code_points(text: bytes) -> list[int]:
    try:
        return [ord(character) for character in text.decode("utf-8", "surrogatepass")]
    except UnicodeDecodeError:  # damaged: as many bytes as the first one announces, whatever they are
        found = []
        while text:
            widths = ((0xC0, 1, 0xFF), (0xE0, 2, 0x1F), (0xF0, 3, 0x0F), (0x100, 4, 0x07))
            width, bits = next((width, bits) for limit, width, bits in widths if text[0] < limit)
            code = text[0] & bits
            for byte in text[1:width]:
                code = code << 6 | byte & 0x3F
            found.append(code if width <= len(text) else 0xFFFD)
            text = text[width:]
        return found
