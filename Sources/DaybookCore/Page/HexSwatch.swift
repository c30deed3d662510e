/// Tells which cells are colours that may be drawn.
///
/// Only `#` and exactly 3, 4, 6 or 8 hex digits pass, so whatever a cell holds, nothing but hex digits gets into a style.
package enum HexSwatch {
    package static func isColour(_ cell: Cell) -> Bool {
        switch cell.count {
        case 4, 5, 7, 9: cell[0] == UInt8(ascii: "#") && cell.dropFirst().allSatisfy(isHexDigit)
        default: false
        }
    }

    /// Appends a small square of the colour of `cell`, if it is one. The cell's own text says the rest.
    package static func append(_ cell: Cell, to bytes: Bytes) {
        guard isColour(cell) else { return }
        bytes.append("<i class=\"swatch\" style=\"--c:" as StaticString)
        bytes.append(cell)
        bytes.append("\"></i>" as StaticString)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
