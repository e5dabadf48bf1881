"""The kernels of dedup in plain Python, written independently: tests hold both equal."""

from itertools import product

from bibld.model.features import Features

WORD = (1 << 64) - 1
SEED, PRIME = 0xCBF29CE484222325, 0x100000001B3


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


# --- shingles and MinHash


def finalised(value):
    """The finaliser of MurmurHash3, with 1 for 0."""
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & WORD
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & WORD
    return value ^ value >> 33 or 1


def chained(numbers, seed=SEED):
    """FNV-1a over numbers instead of bytes."""
    for number in numbers:
        seed = (seed ^ number) * PRIME & WORD
    return seed


def shingle_sets(texts, size, are_words, window=1):
    """The set of shingles of each text, ascending."""
    found = []
    for text in texts:
        words = [word for word in text.replace("|", " ").split(" ") if word]
        tokens = (
            [finalised(chained(map(ord, word))) for word in words] if are_words else list(map(ord, " ".join(words)))
        )
        width = min(size, len(tokens))
        hashes = (
            [finalised(chained(tokens[at : at + width])) for at in range(len(tokens) - width + 1)] if tokens else []
        )
        span = min(window, len(hashes))
        found.append(sorted({min(hashes[at : at + span]) for at in range(len(hashes) - span + 1) if hashes}))
    return found


def count_shared(sets, left, right):
    """How many values the sets of two rows share."""
    return [len(set(sets[one]) & set(sets[other])) for one, other in zip(left, right, strict=True)]


def band_hashes(sets, seeds, rows):
    """A hash of each band of least values of permutations."""

    def permuted(value, seed):
        value = (value ^ seed) * 0xFF51AFD7ED558CCD & WORD
        return (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & WORD

    bands = range(len(seeds) // rows)
    found = []
    for shingles in sets:
        least = [min((permuted(value, seed) for value in shingles), default=WORD) for seed in seeds]
        found.append([finalised(chained(least[band * rows : (band + 1) * rows], SEED ^ band)) for band in bands])
    return found


# --- exceptions


COVERED = "lgyqmekoxtrw"


def compare_designations(one, other):
    """0 for equal designations and where one leaves out the upper units; 1 if one contains the other; else 2."""
    if one == other:
        return 0
    paths = [[divide_step(step) for step in text.split()] for text in (one, other)]
    covered = [0]
    for unit in COVERED:
        pairs = product(*([step for step in path if step[0] == unit] for path in paths))
        results = [compare_covered(left, right) for left, right in pairs]
        covered += [min(results)] if results else []
    short, long = sorted(([step for step in path if step[0] not in COVERED] for path in paths), key=len)
    if not short or max(covered) == 2:
        return max(covered)
    have_letters = all(any(unit == "l" for unit, _ in path) for path in paths)
    if len(short) == len(long):
        return compare_steps(short, long, True)
    if have_letters and max(covered) == 0 and compare_steps(short, long, True) != 2:
        return 0
    if long[0][0] == "a" != short[0][0]:
        return 1
    same_unit = (place for place, (unit, _) in enumerate(long) if unit == short[0][0] != "n")
    if (first := next(same_unit, None)) is not None:
        return compare_steps(short, long[first:], True)
    return max(1, min(compare_steps(short, some, False) for some in (long, long[-len(short) :])))


def compare_covered(step, other):
    """As for steps, but classes, years and seasons that contain others are equal."""
    (low, high), (other_low, other_high) = number_range(step[1]), number_range(other[1])
    if step[0] == "l" or -1 in (low, other_low):
        return compare_steps([step], [other], False) if step[0] == "l" or low == other_low else 0
    return 0 if (low <= other_low and other_high <= high) or (other_low <= low and high <= other_high) else 2


def compare_letters(one, other):
    """0 for ranges of letters that one text shortens, 1 if only their beginnings agree, else 2."""
    (start, dash, end), (other_start, other_dash, other_end) = one.partition("-"), other.partition("-")
    agree = [a and b and (a.startswith(b) or b.startswith(a)) for a, b in ((start, other_start),)]
    if not all(agree) or not (dash or other_dash):
        return 2
    return 0 if dash and other_dash and (end.startswith(other_end) or other_end.startswith(end)) else 1


def divide_step(step):
    """Unit and value of a step."""
    return ("n", step) if step[0].isdigit() else (step[0], step[1:])


def number_range(value):
    """The lowest and highest number of a value, or -1."""
    ends = value.split("-")
    return (int(ends[0]), int(ends[-1])) if all(end.isdigit() for end in ends) and len(ends) <= 2 else (-1, -1)


def compare_steps(one, other, by_unit):
    """The worst of the comparisons of the steps of two aligned paths."""
    results = [int(len(one) != len(other))]
    for (unit, value), (other_unit, other_value) in zip(one, other, strict=False):
        units = {unit, other_unit}
        results.append(int(by_unit and len(units) == 2 and "n" not in units and bool(units & set("hsa"))))
        (low, high), (other_low, other_high) = number_range(value), number_range(other_value)
        if value != other_value:
            overlap = low >= 0 and other_low >= 0 and low <= other_high and other_low <= high
            are_numbers = low >= 0 and other_low >= 0
            results.append(1 if overlap else 2 if are_numbers else compare_letters(value, other_value))
    return max(results)


def exceptions(left, right):
    """The names of the exceptions that hold for two records, but for that of contained texts."""
    found = set()
    parts = compare_designations(left.designation, right.designation)
    found |= {"nested_parts"} if parts == 1 else {"part_numbers"} if parts == 2 else set()
    if f"{left.level}{right.level}" in ["ai", "ia", "as", "sa", "is", "si"]:
        found.add("level")
    if f"{left.level}{right.level}" in ["am", "ma", "ac", "ca"]:
        found.add("article")
    for one, other in ((left, right), (right, left)):
        if (one.level == "c" or one.volumes > 1) and not one.part and other.part and other.level in {"v", "m"}:
            found.add("set_and_volume")
    years = max(left.year - right.last_year, right.year - left.last_year) if left.year and right.year else 0
    if years > 0 and left.edition and right.edition and left.edition != right.edition:
        found.add("edition")
    if years > 2 and not (left.edition and left.pages and (left.edition, left.pages) == (right.edition, right.pages)):
        found.add("year")
    carriers = {"print" if one.carrier in {"map", "score"} else one.carrier for one in (left, right)} - {""}
    titles = {f"{one.main_title}{one.remainder}".replace(" ", "")[:12] for one in (left, right)}
    languages = [set(one.language.split("|")) - {"und", "mul", "zxx", ""} for one in (left, right)]
    are_short = [len(one.main_title) + len(one.remainder) < 12 for one in (left, right)]
    starts = [
        [
            {form.replace(" ", "")[:12] for form in text.split("|")} - {""}
            for text in (one.main_title, one.variant_titles)
        ]
        for one in (left, right)
    ]
    is_variant = not any(are_short) and bool(starts[0][0] & starts[1][1] or starts[0][1] & starts[1][0])
    found |= {"carrier"} if len(carriers) == 2 and not left.level == right.level == "a" else set()
    if (
        all(languages)
        and languages[0].isdisjoint(languages[1])
        and (len(titles) == 2 or are_short[0])
        and not is_variant
    ):
        found.add("language")
    return found | _exceptions_of_numbers(left, right)


def _exceptions_of_numbers(left, right):
    found, agrees, differs = set(), False, _differ_in_series(left, right)
    for kind in ("isbn", "doi:", "ismn", "repo", "musi", "norm"):
        one, other = ({name for name in item.identifiers.split("|") if name[:4] == kind} for item in (left, right))
        agrees |= bool(one & other)
        if one and other and one.isdisjoint(other):
            differs |= kind != "isbn"
            found |= {"identifiers"} if kind == "isbn" else set()
    differs = (differs and not agrees) or _differ_in_subseries(left, right) or _differ_in_host(left, right)
    found |= {"numbers"} if differs else set()
    translators = [set(item.translator.split("|")) - {""} for item in (left, right)]
    found |= {"translators"} if all(translators) and translators[0].isdisjoint(translators[1]) else set()
    makers = [[_beginnings(text) for text in (item.names, item.responsibility)] for item in (left, right)]
    if all(map(all, makers)) and not (makers[0][0] | makers[0][1]) & (makers[1][0] | makers[1][1]):
        found.add("authors")
    part_names = [_beginnings(item.part_name) for item in (left, right)]
    are_same_number = (
        left.designation and right.designation and not compare_designations(left.designation, right.designation)
    )
    if all(part_names) and part_names[0].isdisjoint(part_names[1]) and not are_same_number:
        found.add("part_names")
    is_placed = (left.host and right.host) or (left.names and right.names)
    if left.level == right.level == "a" and not is_placed:
        found.add("unplaced")
    return found


def _beginnings(text):
    return {word[:5] for word in text.replace("|", " ").split()}


def _differ_in_series(left, right):
    """Whether both have one series, which begins the same, and one number, which is neither the first nor last of the
    other's; where both numbers have two parts they must be equal."""
    if (
        not left.series
        or left.series[:8] != right.series[:8]
        or "|" in left.series + left.series_number + right.series_number
    ):
        return False
    one, other = (item.series_number.replace("-", " ").split() for item in (left, right))
    if not one or not other or one == other:
        return False
    are_divided = one[0] != one[-1] and other[0] != other[-1]
    return are_divided or (one[-1] != other[-1] and one[-1] != other[0] and other[-1] != one[0])


def _differ_in_subseries(left, right):
    beginnings = [item.series.replace(" ", "")[:8] for item in (left, right)]
    return bool(left.subseries and right.subseries and left.subseries != right.subseries) and len(set(beginnings)) == 1


def _differ_in_host(left, right):
    """Whether both state volumes, issues or days of a host, and none in common."""
    for kind in "vnd":
        one, other = ({value for value in item.host.split("|")[1:] if value[:1] == kind} for item in (left, right))
        if one and other and one.isdisjoint(other):
            return True
    return False


# --- the prefix join


def text_similarity(left, right, measure, gram):
    """The similarity of two texts by its definition; None without text. ``gram`` 0: tokens are words."""
    if not left.strip() or not right.strip():
        return None
    if measure == "edit":
        column = list(range(len(right) + 1))
        for row, one in enumerate(left, 1):
            corner, column[0] = column[0], row
            for place, other in enumerate(right, 1):
                edits = min(column[place] + 1, column[place - 1] + 1, corner + (one != other))
                corner, column[place] = column[place], edits
        return (max(len(left), len(right)) - column[-1]) / max(len(left), len(right))
    one, other = (_tokens(" ".join(text.split()), gram) for text in (left, right))
    size = len(one | other) if measure == "jaccard" else (len(one) * len(other)) ** 0.5
    return len(one & other) / size


def _tokens(text, gram):
    if not gram:
        return set(text.split())
    return {text[place : place + gram] for place in range(len(text) - gram + 1)} or {text}


def prefix(symbols, measure, threshold, order):
    """The entries (token, need, place) of a text in a level; tokens are single symbols, the last one is number 128."""
    size = len(symbols)
    if measure == "edit":
        allowed = int(size / threshold * (1 - threshold) + 1e-6)
        # Each symbol is a token, so it takes an edit to spoil each occurrence.
        ranked = [(token, sum(order[other] < order[token] for other in symbols)) for token in symbols]
        entries = [(token, need, place) for place, (token, need) in enumerate(ranked) if need <= allowed]
        entries.sort(key=lambda entry: (order[entry[0]], entry[2]))
        return entries + ([(128, size, 0)] if size <= allowed else [])
    needed = threshold * size if measure == "jaccard" else threshold**2 * size
    count = min(size, int(size - needed + 1e-6) + 1)
    return [(token, need, 0) for need, token in enumerate(sorted(symbols, key=order.__getitem__)[:count])]


# --- clusters


def clusters(links, separated, source, scores, bars, least):
    """The clusters of nodes 0 to n - 1, of which ``source`` names the sources, None if several may be in a cluster.

    ``links``: (low, high, whether people made it), in the order in which they are tried. ``scores`` of all pairs and
    ``bars`` of some count only if ``least``, the least score of a member and the medoid, is not None.
    """
    refused, result, waiting = set(), [], set(range(len(source)))

    def score(one, other):
        return scores[min(one, other), max(one, other)] if one != other else 1.0

    def is_barred(low, high):
        is_one_source = source[low] is not None and source[low] == source[high]
        return is_one_source or (least is not None and bool(bars.get((low, high))))

    def join(groups, links):
        for low, high, is_by_person in links:
            one, other = (next((group for group in groups if node in group), None) for node in (low, high))
            if one is None or other is None or one is other or (low, high) in refused:
                continue
            pairs = {(min(pair), max(pair)) for pair in product(one, other)}
            if pairs & separated or (not is_by_person and any(is_barred(*pair) for pair in pairs)):
                refused.add((low, high))
            else:
                groups.remove(other)
                one |= other
        return groups

    units = join([{node} for node in waiting], [link for link in links if link[2]])
    while waiting:
        groups, waiting = join([{node} for node in sorted(waiting)], links), set()
        for group in groups:
            while least is not None and len(group) > 2:
                medoid = max(sorted(group), key=lambda one: sum(score(one, other) for other in sorted(group)))
                similar = [unit & group for unit in units if any(score(one, medoid) >= least for one in unit & group)]
                leaving = group.difference(*similar)
                if not leaving:
                    break
                inside = [(low, high) for low, high, _ in links if low in group and high in group]
                refused |= {(low, high) for low, high in inside if (low in leaving) != (high in leaving)}
                waiting |= leaving
                group -= leaving
            result.append(tuple(sorted(group)))
    return sorted(result)


def plain_part_similarity(one: list[str], other: list[str]) -> float:
    if not one or not other:
        return -1.0 if one == other else 0.5
    length = min(len(one), len(other))
    if one[:length] == other[:length] or one[-length:] == other[-length:]:
        return 1.0 if one == other else 0.7
    return 0.0


def plain_number_similarities(one: Features, other: Features) -> dict[str, float]:
    """The similarities of years, pages, volumes and editions."""
    found = dict.fromkeys(("year", "last_year", "pages", "pages_apart", "volumes", "edition"), -1.0)
    if one.year and other.year:
        years, other_years = (one.year, one.last_year), (other.year, other.last_year)
        nearest = min(abs(year - other_year) for year in years for other_year in other_years)
        furthest = max(abs(year - other_year) for year, other_year in zip(years, other_years, strict=True))
        do_meet = one.year <= other.last_year and other.year <= one.last_year
        found["year"] = max(0.9 if do_meet else 0.0, 1 - nearest / 10)
        spans = sorted((one.last_year - one.year, other.last_year - other.year))
        if not (do_meet and spans[0] == 0 and spans[1] > 2):
            found["last_year"] = max(0.0, 1 - furthest / 10)
    if one.pages and other.pages:
        difference = abs(one.pages - other.pages)
        found["pages"] = 1 - difference / max(one.pages, other.pages)
        found["pages_apart"] = max(0.0, 1 - difference / 20)
    if one.volumes and other.volumes:
        found["volumes"] = float(one.volumes == other.volumes)
    editions = {one.edition, other.edition}
    if editions != {0}:
        found["edition"] = (
            1.0 if len(editions) == 1 else {(0, 1): 0.9}.get(tuple(sorted(editions)), 0.5 * (0 in editions))
        )
    return found


# --- names


def plain_edits(one: str, other: str) -> int:
    """The fewest insertions, deletions and replacements."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        corner, row[0] = row[0], i
        for j, other_letter in enumerate(other, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (letter != other_letter))
    return row[-1]


def _plain_word_similarity(one: str, other: str) -> float:
    shorter, longer = sorted((len(one), len(other)))
    if one != other and (shorter < 0.75 * longer or (one[0] != other[0] and one[-1] != other[-1])):
        return 0.0
    similarity = 1 - plain_edits(one, other) / longer
    return similarity if similarity >= 0.75 else 0.0


def _begin_equally(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _plain_given_names(one: list[str], other: list[str]) -> float:
    result = 1.0
    for number, (word, other_word) in enumerate(zip(one, other, strict=False)):
        if min(len(word), len(other_word)) <= 3 and _begin_equally(word, other_word):
            continue
        if any(
            short == initial and long.startswith(begins)
            for initial, begins in (("i", ("a", "e", "o", "u")), ("p", "f"), ("ts", "ch"))
            for short, long in ((word, other_word), (other_word, word))
        ):
            continue
        similarity = _plain_word_similarity(word, other_word)
        if not similarity:
            return result * (0.5 if number else 0.25)
        result *= similarity
    return result if one == other else 0.95 * result


def plain_name_similarity(one: list[str], other: list[str]) -> float:
    """The similarity of two names of words of one weight."""
    result = _plain_word_similarity(one[0], other[0])
    if not result:
        sides = ((one, other), (other, one))
        common = sum(
            any(_begin_equally(word, candidate) for candidate in there) for here, there in sides for word in here
        )
        share = common / (len(one) + len(other))
        return 0.8 * share if share > 0.6 and min(len(one), len(other)) > 1 else 0.0
    shorter, longer = sorted((one[1:], other[1:]), key=len)
    if not shorter:
        return 0.9 * result if longer else result
    share = _plain_given_names(one[1:], other[1:])
    if share < 0.75 and len(longer) > len(shorter) and len(longer[0]) > 3:
        is_certain = len(shorter) > 1 or (len(shorter[0]) > 3 and shorter[0] == longer[1])
        share = max(share, 0.95 * _plain_given_names(shorter, longer[1:]) * is_certain)
    return result * share


def plain_name_similarities(one: str, other: str) -> dict[str, float]:
    """The similarities of names; a name that ends with ``=`` is another form of the name before."""
    persons, others = _persons(one), _persons(other)
    if not persons or not others:
        return {"name": -1.0, "first_name": -1.0}
    best = [[max(plain_name_similarity(x, y) for x in a for y in b) for b in others] for a in persons]
    return {"name": max(map(max, best)), "first_name": best[0][0]}


def _persons(names: str) -> list[list[list[str]]]:
    found: list[list[list[str]]] = []
    for name in names.split("|") if names else []:
        words = name.split()
        if words[-1] == "=":
            found[-1].append(words[:-1])
        else:
            found.append([words])
    return found


def plain_is_misprint(one: str, other: str) -> bool:
    """Whether two words of five letters or more are one edit apart, or an exchange of neighbouring letters."""
    if min(len(one), len(other)) < 5:
        return False
    exchanged = [one[:at] + one[at + 1] + one[at] + one[at + 2 :] for at in range(len(one) - 1)]
    return plain_edits(one, other) <= 1 or other in exchanged
