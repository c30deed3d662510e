#!/usr/bin/env python3
"""Write the orders of an invented shop beside this script, the same bytes every time.

Each day has a file of orders and a file of payments, as a German merchandise system exports them: semicolons, money such as
`1.234,56 €`, a sum as the last line of the orders. A day does not depend on those that were made before it, so a test makes as many as it
needs, with what stands in the files as numbers beside them (`Night`). What is wrong on purpose stands in `FAULTS`.

    python3 samples/orders/make_orders.py --check      # whether the files are those that this would write
"""

import argparse
import random
import sys
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAST_DAY = date(2026, 11, 20)
DAYS = 12
CENT = Decimal("0.01")

# Categories with the range of their unit prices, and how often they are bought.
CATEGORIES = {
    "Bücher": ("8.90", "59.00", 30),
    "Spiele": ("14.95", "89.00", 22),
    "Küche": ("4.50", "349.00", 20),
    "Garten": ("3.20", "1290.00", 12),
    "Möbel": ("49.00", "2480.00", 6),
    "Papier": ("0.79", "24.00", 25),
}
METHODS = {"Rechnung": 35, "Lastschrift": 25, "Karte": 30, "Vorkasse": 10}
FIRST_NAMES = ["Anke", "Jörg", "Sabine", "Uwe", "Zeynep", "Mirko", "Łucja", "Thuy", "Rainer", "Bärbel", "Deniz", "Elif"]
LAST_NAMES = ["Müller", "Groß", "Jäger", "Öztürk", "Kowalska", "Nguyễn", "Weiß", "Schäfer", "Lange", "d'Amico", "Köhler"]
TOWNS = ["Köln", "Lübeck", "München", "Görlitz", "Halle (Saale)", "Frankfurt/Oder", "Weißenburg", "Ulm"]
CUSTOMERS = 60

# Day: (order of that day counted from 1, column): what stands there instead.
FAULTS = {
    date(2026, 11, 12): {(17, "Betrag"): "auf Anfrage"},
    date(2026, 11, 16): {(5, "Datum"): "31.11.2026"},
    date(2026, 11, 19): {(30, "Betrag"): "12.5 €"},  # no German money: 12,50 or 125?
}
# An order of a customer who is not in the list.
UNKNOWN_CUSTOMER = {date(2026, 11, 14): 9}


@dataclass
class Order:
    number: str
    day: date
    customer: str
    category: str
    quantity: int
    amount: Decimal
    payments: list[Decimal] = field(default_factory=list)


@dataclass
class Night:
    """The delivery of a day: its orders without those that are wrong, and the bytes of its two files."""

    day: date
    orders: list[Order]
    wrong: int
    orders_file: bytes
    payments_file: bytes

    @property
    def names(self) -> tuple[str, str]:
        return f"orders-{self.day}.csv", f"payments-{self.day}.csv"


def german(amount: Decimal) -> str:
    """1234.5 as `1.234,50 €`."""
    return f"{amount:,.2f}".translate(str.maketrans(",.", ".,")) + " €"


def customer_name(number: int) -> str:
    return f"K-{number:04}"


def customers_file() -> bytes:
    made = random.Random(60)
    lines = ["Kunde;Name;Ort"]
    for number in range(1, CUSTOMERS + 1):
        lines.append(f"{customer_name(number)};{made.choice(FIRST_NAMES)} {made.choice(LAST_NAMES)};{made.choice(TOWNS)}")
    return "".join(line + "\n" for line in lines).encode()


def orders_of(day: date, made: random.Random) -> list[Order]:
    orders = []
    for number in range(1, made.randint(44, 58) + 1):
        category = made.choices(list(CATEGORIES), [often for _, _, often in CATEGORIES.values()])[0]
        low, high, _ = CATEGORIES[category]
        # Most things are cheap.
        price = (Decimal(low) + (Decimal(high) - Decimal(low)) * Decimal(str(made.random() ** 3))).quantize(CENT)
        quantity = made.choice([1, 1, 1, 2, 2, 3, 5])
        order = Order(
            f"B-{day:%Y%m%d}-{number:03}", day, customer_name(made.randint(1, CUSTOMERS)), category, quantity, price * quantity
        )
        # Most are paid at once, some in parts, some not yet.
        way = made.random()
        if way < 0.70:
            order.payments = [order.amount]
        elif way < 0.88:
            first = (order.amount / made.choice([2, 3, 4])).quantize(CENT)
            order.payments = [first, order.amount - first]
        orders.append(order)
    return orders


def night(day: date) -> Night:
    made = random.Random(day.toordinal())
    orders = orders_of(day, made)
    if (number := UNKNOWN_CUSTOMER.get(day)) is not None:
        orders[number - 1].customer = "K-9999"
    faults = FAULTS.get(day, {})
    lines = ["Bestellung;Datum;Kunde;Warengruppe;Menge;Betrag"]
    for number, order in enumerate(orders, 1):
        cells = {
            "Bestellung": order.number,
            "Datum": f"{order.day:%d.%m.%Y}",
            "Kunde": order.customer,
            "Warengruppe": order.category,
            "Menge": str(order.quantity),
            "Betrag": german(order.amount),
        }
        cells |= {column: text for (row, column), text in faults.items() if row == number}
        lines.append(";".join(cells.values()))
    lines.append(f"Summe;;;;;{german(sum(order.amount for order in orders))}")
    payments = ["Bestellung;Zahlung;Betrag;Art"]
    for order in orders:
        for number, amount in enumerate(order.payments, 1):
            method = made.choices(list(METHODS), list(METHODS.values()))[0]
            payments.append(f"{order.number};{number};{german(amount)};{method}")
    wrong = {row for row, _ in faults}
    good = [order for number, order in enumerate(orders, 1) if number not in wrong]
    # The shop's system runs on Windows.
    return Night(
        day, good, len(wrong), *("".join(line + "\r\n" for line in part).encode() for part in (lines, payments))
    )


def files() -> dict[str, bytes]:
    made = {"customers.csv": customers_file()}
    for back in range(DAYS):
        made |= dict(zip((one := night(LAST_DAY - timedelta(days=back))).names, (one.orders_file, one.payments_file)))
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, and end with 1 where a file is another")
    arguments = parser.parse_args()
    others = 0
    for name, content in sorted(files().items()):
        path = HERE / name
        if not arguments.check:
            path.write_bytes(content)
        elif not path.exists() or path.read_bytes() != content:
            print(f"{path.name} is not what this would write", file=sys.stderr)
            others += 1
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
