"""Twelve tables as people publish them, each with two honest later deliveries, for check-gates."""

import copy
import json
import math
from datetime import date, datetime, timedelta

COUNTRIES = """AT Austria Vienna|BE Belgium Brussels|BR Brazil Brasília|CA Canada Ottawa|CH Switzerland Bern|CI Côte\u00a0d’Ivoire Yamoussoukro
CL Chile Santiago|CO Colombia Bogotá|CW Curaçao Willemstad|CZ Czechia Prague|DE Germany Berlin|DK Denmark Copenhagen|EE Estonia Tallinn
EG Egypt Cairo|ES Spain Madrid|FI Finland Helsinki|FO Føroyar Tórshavn|FR France Paris|GR Greece Athens|HU Hungary Budapest|IE Ireland Dublin
IN India Delhi|IS Iceland Reykjavík|IT Italy Rome|JP Japan Tokyo|KE Kenya Nairobi|KR Korea Seoul|LT Lithuania Vilnius|LV Latvia Riga
MA Morocco Rabat|MX México Ciudad|NG Nigeria Abuja|NL Netherlands Amsterdam|NO Norway Oslo|PE Perú Lima|PL Poland Warsaw
PT Portugal Lisbon|RE Réunion Saint-Denis|RO Romania Bucharest|SE Sweden Stockholm|SI Slovenia Ljubljana|SK Slovakia Bratislava
ST São\u00a0Tomé São\u00a0Tomé|TR Türkiye Ankara|UA Ukraine Kyiv|US America Washington|VN Vietnam Hanoi|ZA Azania Pretoria"""
COUNTRIES = [row.split(" ") for line in COUNTRIES.splitlines() for row in line.split("|")]
COUNTRIES = [[word.replace("\u00a0", " ") for word in row] for row in COUNTRIES]
CITIES = """Zürich Genève Köln München Düsseldorf Łódź Kraków Gdańsk Málaga Córdoba Cádiz Besançon Orléans Nîmes Århus Malmö Göteborg
Umeå Tromsø Bodø Ålesund Oulu Jyväskylä Pärnu Liepāja Šiauliai Brno Plzeň Győr Pécs Timișoara Iași Niš Split Porto Évora Setúbal Mérida
Querétaro Cancún Medellín Cúcuta Maceió Belém Goiânia Temuco Concepción Lisbon Leeds York Bath Boston Denver Dallas Miami Osaka Nagoya
Busan Daegu Pune Jaipur Mysore Nakuru Mombasa Enugu Ibadan Fès Tanger Luxor Aswan Varna Burgas Patras Volos""".split()


class Table:
    """A table with what a fault may do to it."""

    def __init__(self, name, form, columns, rows, key=(), numbers=(), signed=(), dates=(), words=(), texts=(), required=(), unlike=(),
                 header=True, mark=","):
        self.name, self.form, self.columns, self.rows, self.key = name, form, list(columns), rows, list(key)
        self.numbers, self.signed, self.dates = list(numbers), list(signed), list(dates)
        self.words, self.texts, self.required = list(words), list(texts), list(required)
        # Pairs of columns with unlike values, whose cells a person would see to be swapped.
        self.unlike, self.header, self.mark = list(unlike), header, mark

    @property
    def suffix(self):
        return {"csv": "csv", "json": "json", "lines": "ndjson"}[self.form]

    def name_in_findings(self, column):
        """How a finding calls a column: a file without a header has only numbers."""
        return column if self.header else f"column_{self.columns.index(column) + 1}"

    def copy(self):
        return copy.deepcopy(self)

    def write(self, path):
        """Write the table, and return the first and the last line of each row."""
        lines, text, line = {}, [], 1
        if self.form == "csv":
            if self.header:
                text.append(self.mark.join(self.columns))
                line = 2
            for row in self.rows:
                text.append(self.mark.join(self.quoted(row.get(name, "")) for name in self.columns))
                lines[id(row)] = (line, line)
                line += 1
        elif self.form == "lines":
            for row in self.rows:
                text.append(json.dumps({name: row[name] for name in self.columns if name in row}, ensure_ascii=False))
                lines[id(row)] = (line, line)
                line += 1
        else:
            text.append("[")
            for number, row in enumerate(self.rows):
                shown = json.dumps(self.nested(row), ensure_ascii=False, indent=2)
                block = ("  " + shown.replace("\n", "\n  ") + ("," if number + 1 < len(self.rows) else "")).split("\n")
                lines[id(row)] = (line + 1, line + len(block))
                line += len(block)
                text += block
            text.append("]")
        path.write_text("\n".join(text) + "\n", encoding="utf-8")
        return lines

    def nested(self, row):
        record = {}
        for name in self.columns:
            if name not in row:
                continue
            at = record
            *way, last = name.split(".")
            for step in way:
                at = at.setdefault(step, {})
            at[last] = row[name]
        return record

    def quoted(self, text):
        text = str(text)
        return '"' + text.replace('"', '""') + '"' if self.mark in text or '"' in text else text


def cases_by_country(chance):
    """One row for each country and day, with running totals."""
    names, first = [row[1] for row in COUNTRIES[:40]], date(2020, 3, 1)

    def made(days, names):
        rows = []
        for place, name in enumerate(names):
            total = dead = 0
            for day in range(days):
                new = int(50 * (place + 3) * (1.3 + math.sin(day / 20 + place)) * (0.6 if (first + timedelta(day)).weekday() > 4 else 1))
                total, dead = total + new, dead + new // 60
                rows.append({"date": str(first + timedelta(day)), "country": name, "new_cases": str(new), "total_cases": str(total),
                             "total_deaths": str(dead), "positive_rate": f"{0.02 + 0.01 * math.sin(day / 9 + place) ** 2:.3f}"})
        return rows

    table = Table("cases", "csv", ["date", "country", "new_cases", "total_cases", "total_deaths", "positive_rate"], made(120, names),
                  key=["date", "country"], numbers=["new_cases", "total_cases", "positive_rate"], dates=["date"], words=["country"],
                  texts=["country"], required=["date", "country", "new_cases", "total_deaths"],
                  unlike=[("date", "country"), ("country", "new_cases")])
    next_week, next_month = table.copy(), table.copy()
    next_week.rows = made(127, names)
    next_month.rows = made(150, names)
    for row in chance.sample(next_month.rows, 200):
        row["positive_rate"] = f"{float(row['positive_rate']) * 1.05:.3f}"
    return table, [next_week, next_month]


def sales_by_week(chance):
    """A price and a volume for each region and week, the later weeks first within a region."""
    regions, first = [name for name in CITIES[:30]], date(2023, 1, 1)

    def made(weeks, regions, seed):
        rows = []
        for kind in ("conventional", "organic"):
            for place, region in enumerate(regions):
                for week in reversed(range(weeks)):
                    price = 1.1 + 0.3 * math.sin(week / 8 + place) + (0.5 if kind == "organic" else 0) + place / 100
                    volume = (3000 + 900 * place) * (1.2 - price / 4) * (0.1 if kind == "organic" else 1) * (1 + 0.1 * math.sin(week * 7 + place))
                    bags = volume * 0.3
                    rows.append({"Date": str(first + timedelta(7 * week)), "AveragePrice": f"{price:.2f}", "TotalVolume": f"{volume:.2f}",
                                 "TotalBags": f"{bags:.2f}", "type": kind, "year": str((first + timedelta(7 * week)).year), "region": region})
        return rows

    table = Table("sales", "csv", ["Date", "AveragePrice", "TotalVolume", "TotalBags", "type", "year", "region"], made(80, regions, 1),
                  key=["Date", "type", "region"], numbers=["AveragePrice", "TotalVolume", "TotalBags"], dates=["Date"],
                  words=["type", "region"], texts=["region"], required=["Date", "AveragePrice", "type", "region"],
                  unlike=[("type", "year"), ("AveragePrice", "region")])
    one, two = table.copy(), table.copy()
    one.rows = made(84, regions, 1)
    two.rows = made(93, regions, 1)
    return table, [one, two]


def wide_days(chance):
    """A row for each place and a column for each day, as counts of an epidemic were published."""
    def made(days, places):
        columns = ["Province", "Country", "Lat", "Long"]
        heads = [(date(2020, 1, 22) + timedelta(day)) for day in range(days)]
        columns += [f"{day.month}/{day.day}/{day:%y}" for day in heads]
        rows = []
        for place in range(places):
            country = COUNTRIES[place % len(COUNTRIES)][1]
            row = {"Province": f"{CITIES[place % len(CITIES)]}" if place >= len(COUNTRIES) else "", "Country": country,
                   "Lat": f"{-40 + (place * 37 % 100)}.{place * 7919 % 10000:04}", "Long": f"{-150 + (place * 53 % 320)}.{place * 6101 % 10000:04}"}
            total = 0
            for number, name in enumerate(columns[4:]):
                total += int((place % 17) * (1 + math.sin(number / 15 + place)) * number / 20)
                row[name] = str(total)
            rows.append(row)
        return columns, rows

    columns, rows = made(90, 110)
    numbers = columns[30:80]
    table = Table("wide", "csv", columns, rows, key=["Province", "Country"], numbers=numbers, words=["Country"], texts=["Country", "Province"],
                  required=["Country", "Lat", *numbers[:10]], unlike=[("Country", "Lat")])
    one, two = table.copy(), table.copy()
    one.columns, one.rows = made(97, 110)
    two.columns, two.rows = made(120, 112)
    return table, [one, two]


def routes(chance):
    """Flights from one airport to another, without a header, `\\N` where nothing is known."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

    def code(number, length):
        return "".join(letters[number * prime // 7 % 26] for prime in (31, 17, 13, 11)[:length])

    airports = list({code(number * 29 + 3, 3): None for number in range(900)})
    airlines = list({code(number * 41 + 5, 2): None for number in range(300)})
    planes = ["320", "738", "CR2", "77W", "320 319", "E90", "AT7", "\\N", "332", "M83"]
    columns = [f"c{number}" for number in range(1, 10)]

    def made():
        airline, one, other = chance.choice(airlines), chance.choice(airports), chance.choice(airports)
        return dict(zip(columns, [airline, str(airlines.index(airline) + 24), one, str(airports.index(one) + 500), other,
                                  str(airports.index(other) + 500), "Y" if chance.random() < 0.2 else "", "0", chance.choice(planes)]))

    rows = list({(row["c1"], row["c3"], row["c5"]): row for row in (made() for _ in range(5000))}.values())
    table = Table("routes", "csv", columns, rows, key=["c1", "c3", "c5"], numbers=["c2", "c4"], words=["c1", "c3"],
                  required=["c1", "c2", "c3", "c5", "c8"], unlike=[("c1", "c2"), ("c7", "c8")], header=False)
    later = []
    for share in (50, 12):
        next_one = table.copy()
        next_one.rows = [row for row in next_one.rows if chance.randrange(share * 2)]
        known = {(row["c1"], row["c3"], row["c5"]) for row in next_one.rows}
        for _ in range(len(rows) // share):
            row = made()
            if (row["c1"], row["c3"], row["c5"]) not in known:
                known.add((row["c1"], row["c3"], row["c5"]))
                next_one.rows.insert(chance.randrange(len(next_one.rows)), row)
        later.append(next_one)
    return table, later


def airports(chance):
    """A reference table of places with codes."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    columns = ["id", "ident", "type", "name", "latitude_deg", "longitude_deg", "elevation_ft", "iso_country", "municipality", "scheduled", "iata"]

    def made(number):
        country, city = COUNTRIES[number * 7 % len(COUNTRIES)], CITIES[number * 11 % len(CITIES)]
        iata = letters[number % 26] + letters[number // 26 % 26] + letters[(number // 676 + 3) % 26]
        return dict(zip(columns, [str(2000 + number * 3 + number % 2), f"{country[0]}{number:04}", chance.choice(["small_airport"] * 6 + ["medium_airport"] * 2
                                  + ["large_airport", "heliport"]), f"{city} {chance.choice(['International', 'Municipal', 'Field', 'Heliport'])}",
                                  f"{chance.uniform(-55, 70):.6f}", f"{chance.uniform(-170, 175):.6f}", str(chance.randrange(0, 9000) // (1 + number % 9)),
                                  country[0], city, "yes" if number % 5 == 0 else "no", iata if number % 3 == 0 else ""]))

    rows = [made(number) for number in range(1500)]
    table = Table("airports", "csv", columns, rows, key=["id"], numbers=["latitude_deg", "longitude_deg", "elevation_ft"],
                  signed=["latitude_deg", "longitude_deg"], words=["type", "iso_country", "scheduled"], texts=["name", "municipality"],
                  required=["id", "ident", "type", "latitude_deg", "iso_country"], unlike=[("type", "name"), ("iso_country", "municipality")])
    one, two = table.copy(), table.copy()
    one.rows += [made(number) for number in range(1500, 1520)]
    two.rows = [row for row in two.rows if chance.randrange(100)] + [made(number) for number in range(1500, 1600)]
    for row in chance.sample(two.rows, 60):
        row["scheduled"] = "yes" if row["scheduled"] == "no" else "no"
    return table, [one, two]


def countries(chance):
    """Nested records, as a library of countries has them."""
    columns = ["name.common", "name.native", "cca2", "ccn3", "capital", "region", "landlocked", "independent", "area", "population", "currency.code", "latlng", "borders"]
    regions = ["Europe", "Americas", "Africa", "Asia", "Oceania"]
    rows = []
    for place, (code, name, capital) in enumerate(COUNTRIES):
        for part in range(5):
            cca = chr(65 + (place * 5 + part) // 26 % 26) + chr(65 + (place * 5 + part) % 26)
            rows.append({"name.common": f"{name} {['', 'North', 'South', 'East', 'West'][part]}".strip(), "name.native": f"{CITIES[(place * 5 + part) % len(CITIES)]}land {part}",
                         "cca2": cca, "ccn3": f"{(place * 5 + part) * 4 + 4:03}", "capital": capital, "region": regions[(place + part) % 5],
                         "landlocked": (place + part) % 4 == 0, "independent": True if part else place % 3 > 0, "area": 700 + (place * 5 + part) * 7919 % 3089 * 211,
                         "population": 40000 + (place * 5 + part) * 6101 % 4001 * 20011, "currency.code": ["EUR", "USD", "XAF", "JPY", "GBP", "CHF"][place % 6],
                         "latlng": [round(-50 + place * 2.3, 2), round(-120 + place * 5.1, 2)],
                         "borders": [COUNTRIES[(place + step) % len(COUNTRIES)][0] for step in range(place % 4)]})
    table = Table("countries", "json", columns, rows, key=["cca2", "ccn3"], numbers=["area", "population"], words=["region", "currency.code"],
                  texts=["name.native", "capital"], required=["name.common", "cca2", "capital", "region", "area"],
                  unlike=[("cca2", "region"), ("region", "currency.code")])
    one, two = table.copy(), table.copy()
    for row in one.rows:
        row["population"] = row["population"] * 102 // 100
    two.columns = [*two.columns, "flag"]
    for row in two.rows:
        row["population"] = row["population"] * 106 // 100
        row["flag"] = row["cca2"].lower() + ".svg"
    del two.rows[7]
    two.rows[3]["capital"] = "Nova Vila"
    return table, [one, two]


def songs(chance):
    """A chart of songs."""
    columns = ["rank", "title", "artist", "genre", "released", "bpm", "danceability", "loudness_db", "streams"]
    genres = ["pop", "rock", "hip hop", "k-pop", "latin", "indie", "electropop", "r&b"]
    nouns = "Café,Corazón,Noche,Fire,Blau,Señorita,Été,Light,Mañana,Moon,Déjà Vu,Summer,Naïve,River,Übermut,Heart,별,사랑,Dance,Fiancé".split(",")

    def made(rank):
        first, second = chance.choice(nouns), chance.choice(nouns)
        released = date(2005, 1, 1) + timedelta(chance.randrange(6900))
        return dict(zip(columns, [str(rank), f"{first} {second}" if chance.random() < 0.8 else f"{first}, {second} (feat. {chance.choice(CITIES)})",
                                  f"{chance.choice(CITIES)} {chance.choice(nouns)}", chance.choice(genres), str(released), str(chance.randrange(70, 190)),
                                  f"{chance.betavariate(5, 3):.3f}", f"{-chance.gammavariate(6, 1):.2f}", str(int(chance.lognormvariate(16, 0.7)))]))

    rows = [made(rank) for rank in range(1, 601)]
    table = Table("songs", "csv", columns, rows, key=["rank"], numbers=["bpm", "danceability", "loudness_db", "streams"], signed=["loudness_db"], dates=["released"],
                  words=["genre"], texts=["title", "artist"], required=["rank", "title", "artist", "genre"],
                  unlike=[("genre", "released"), ("artist", "bpm")])
    later = []
    for share in (10, 3):
        next_one = table.copy()
        next_one.rows = [made(rank) if chance.randrange(share) == 0 else {**row, "rank": str(rank)} for rank, row in enumerate(next_one.rows, 1)]
        later.append(next_one)
    # A genre nobody had before: the one honest delivery that a list of known words cannot know.
    later[1].rows[40]["genre"] = "amapiano"
    return table, later


def gold(chance):
    """One price for each month."""
    months = [f"{year}-{month:02}" for year in range(1990, 2026) for month in range(1, 13)]
    rows = [{"Date": month, "Price": f"{380 + place * 2.1 + 90 * math.sin(place / 25) + 30 * math.sin(place * 1.7):.2f}"} for place, month in enumerate(months)]
    table = Table("gold", "csv", ["Date", "Price"], rows[:400], key=["Date"], numbers=["Price"], dates=["Date"], required=["Date", "Price"], unlike=[("Date", "Price")])
    one, two = table.copy(), table.copy()
    one.rows, two.rows = rows[:401], rows[:412]
    return table, [one, two]


def prices(chance):
    """Open, high, low and close of each trading day."""
    days = [date(2021, 1, 4) + timedelta(number) for number in range(1100)]
    days = [day for day in days if day.weekday() < 5 and (day.month, day.day) not in ((12, 25), (1, 1), (7, 4), (7, 5), (12, 24))]
    rows, close = [], 120.0
    for day in days:
        start = close * (1 + chance.gauss(0, 0.004))
        close = start * (1 + chance.gauss(0.0003, 0.012))
        low, high = min(start, close) * (1 - abs(chance.gauss(0, 0.004))), max(start, close) * (1 + abs(chance.gauss(0, 0.004)))
        rows.append({"date": str(day), "open": f"{start:.2f}", "high": f"{high:.2f}", "low": f"{low:.2f}", "close": f"{close:.2f}",
                     "volume": str(int(chance.lognormvariate(18, 0.3))), "ticker": "DBK"})
    table = Table("prices", "csv", ["date", "open", "high", "low", "close", "volume", "ticker"], rows[:700], key=["date"],
                  numbers=["open", "low", "close", "volume"], dates=["date"], words=["ticker"], required=["date", "open", "close", "volume"],
                  unlike=[("close", "volume"), ("date", "open")])
    one, two = table.copy(), table.copy()
    one.rows, two.rows = rows[:705], rows[:765]
    return table, [one, two]


def towns(chance):
    """Towns of a land, with semicolons and decimal commas, codes that begin with zeros, and the days of their counts."""
    columns = ["AGS", "Name", "Kreis", "Einwohner", "Fläche_km2", "Dichte", "Stand", "Status"]
    rows = []
    for number in range(900):
        people, area = int(chance.lognormvariate(8.3, 1)), chance.uniform(3, 120)
        rows.append(dict(zip(columns, [f"0{8111000 + number * 7}", f"{CITIES[number % len(CITIES)]}{['', ' am See', '-Nord', ' (Stadt)'][number // 75 % 4]} {number // 300 or ''}".strip(),
                                       f"Kreis {CITIES[number // 60]}", str(people), f"{area:.2f}".replace(".", ","), f"{people / area:.1f}".replace(".", ","),
                                       "2024-12-31", chance.choice(["Gemeinde"] * 7 + ["Stadt"] * 2 + ["Große Kreisstadt"])])))
    table = Table("towns", "csv", columns, rows, key=["AGS"], numbers=["Einwohner", "Fläche_km2"], dates=["Stand"], words=["Status", "Kreis"],
                  texts=["Name", "Status"], required=["AGS", "Name", "Kreis", "Einwohner", "Stand"],
                  unlike=[("AGS", "Name"), ("Stand", "Status"), ("Einwohner", "Stand")], mark=";")
    one, two = table.copy(), table.copy()
    for delivery, stand, factor in ((one, "2025-03-31", 1.004), (two, "2025-12-31", 1.012)):
        for row in delivery.rows:
            row["Stand"], row["Einwohner"] = stand, str(int(int(row["Einwohner"]) * factor * (1 + chance.gauss(0, 0.003))))
    two.rows = [row for row in two.rows if chance.randrange(100)]
    return table, [one, two]


def events(chance):
    """What users did in a day, one JSON record a line."""
    def made(day, count, first):
        rows, moment = [], datetime(2026, 3, 2) + timedelta(days=day)
        for number in range(count):
            moment += timedelta(seconds=chance.expovariate(count / 80000))
            kind = chance.choice(["view"] * 10 + ["cart"] * 3 + ["buy", "buy", "refund"])
            rows.append({"id": f"ev-{first + number:08}", "at": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "user": f"u{chance.randrange(100, 999)}", "type": kind,
                         "country": COUNTRIES[chance.randrange(12)][0], "amount": round(chance.uniform(3, 250), 2) if kind in ("buy", "refund") else 0.0,
                         "items": chance.randrange(1, 9), "note": chance.choice(["", "gift", "Grüße", "schnell, bitte", "à bientôt"])})
        return rows

    columns = ["id", "at", "user", "type", "country", "amount", "items", "note"]
    table = Table("events", "lines", columns, made(0, 2000, 500000), key=["id"], numbers=["amount", "items"], dates=["at"], words=["type", "country"],
                  texts=["note"], required=["id", "at", "user", "type", "amount"], unlike=[("type", "country"), ("user", "at")])
    one, two = table.copy(), table.copy()
    one.rows, two.rows = made(1, 1700, 502000), made(7, 2450, 519000)
    return table, [one, two]


def quakes(chance):
    """A feed of earthquakes of a month, the latest first."""
    columns = ["time", "latitude", "longitude", "depth", "mag", "magType", "net", "id", "place", "type", "status"]

    def made(first, count, serial):
        rows, moment = [], first
        for number in range(count):
            moment += timedelta(seconds=chance.expovariate(count / 2500000))
            net = chance.choice(["us", "ak", "ci", "nc", "hv"])
            rows.append(dict(zip(columns, [moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{chance.randrange(1000):03}Z", f"{chance.uniform(-60, 70):.4f}", f"{chance.uniform(-179, 179):.4f}",
                                           f"{chance.gammavariate(1.2, 30):.2f}", f"{0.5 + chance.expovariate(0.9):.2f}", chance.choice(["ml", "ml", "md", "mb", "mww"]), net,
                                           f"{net}{serial + number * 3}", f"{chance.randrange(1, 180)} km {chance.choice(['N', 'SSE', 'W', 'ENE'])} of {chance.choice(CITIES)}",
                                           "earthquake" if chance.random() < 0.97 else "quarry blast", "reviewed" if chance.random() < 0.7 else "automatic"])))
        return list(reversed(rows))

    table = Table("quakes", "csv", columns, made(datetime(2026, 1, 1), 1200, 7000100), key=["id"], numbers=["depth", "mag"], signed=["mag", "depth"], dates=["time"],
                  words=["magType", "net", "status"], texts=["place"], required=["time", "latitude", "mag", "id", "place"],
                  unlike=[("magType", "net"), ("id", "place"), ("mag", "magType")])
    one, two = table.copy(), table.copy()
    one.rows, two.rows = made(datetime(2026, 2, 1), 1050, 7010100), made(datetime(2026, 3, 1), 1330, 7020100)
    return table, [one, two]


TABLES = [cases_by_country, sales_by_week, wide_days, routes, airports, countries, songs, gold, prices, towns, events, quakes]
