import DaybookPages

/// The few forms of which a page in a mail is made: tables with widths, and styles that stand at each element.
///
/// docs/decisions/2026-11-25-what-mail-programs-show.md lists what is used and why nothing else.
enum MailMarkup {
    enum Colour: String {
        case good = "#1f6f43"
        case warn = "#7a5200"
        case bad = "#a3262a"
        case text = "#1c1c1a"
        case soft = "#5c5c57"
        case line = "#d9d8d2"
        case page = "#f4f3ef"
        case card = "#ffffff"
    }

    private static let font: HTML = "font-family:Arial,Helvetica,sans-serif"
    static let width = 640

    /// The whole page: as wide as the window, but not wider than `width`. Word knows no greatest width, and is given a table of that width around it.
    static func page(_ rows: HTML) -> HTML {
        """
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="\(Colour.page.rawValue)" \
        style="background-color:\(Colour.page.rawValue)">
        <tr><td align="center" style="padding:16px 8px">
        <!--[if mso]><table role="presentation" width="\(width)" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="\(Colour.card.rawValue)" \
        style="max-width:\(width)px;background-color:\(Colour.card.rawValue)">
        \(rows)</table>
        <!--[if mso]></td></tr></table><![endif]-->
        </td></tr>
        </table>

        """
    }

    /// A row of the page with one cell.
    static func row(_ content: HTML, colour: Colour = .card, ink: Colour = .text, size: Int = 14) -> HTML {
        """
        <tr><td bgcolor="\(colour.rawValue)" align="left" style="background-color:\(colour.rawValue);color:\(ink.rawValue);\
        \(font);font-size:\(size)px;line-height:\(size + 6)px;padding:10px 20px">\(content)</td></tr>

        """
    }

    static func heading(_ text: String) -> HTML {
        "<tr><td align=\"left\" style=\"\(font);font-size:16px;line-height:22px;font-weight:bold;color:\(Colour.text.rawValue);"
            + "padding:16px 20px 0 20px\">\(text)</td></tr>\n"
    }

    /// A table of data; a heading with `#` before it stands over numbers.
    static func table(_ headings: [String], _ rows: [[HTML]]) -> HTML {
        let heads = headings.map { heading -> HTML in
            let isNumber = heading.hasPrefix("#")
            return
                "<th scope=\"col\" align=\"\(isNumber ? "right" : "left")\" style=\"\(font);font-size:12px;line-height:16px;"
                + "font-weight:bold;color:\(Colour.soft.rawValue);padding:4px 8px 4px 0\">"
                + "\(isNumber ? String(heading.dropFirst()) : heading)</th>"
        }
        let lines = rows.map { cells -> HTML in
            let cells = zip(cells, headings).map { cell, heading -> HTML in
                "<td align=\"\(heading.hasPrefix("#") ? "right" : "left")\" valign=\"top\" style=\"\(font);font-size:13px;"
                    + "line-height:18px;color:\(Colour.text.rawValue);padding:4px 8px 4px 0;"
                    + "border-top:1px solid \(Colour.line.rawValue)\">\(cell)</td>"
            }
            return "<tr>\(cells.joined())</tr>\n"
        }
        let table: HTML = """
            <table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse">
            <tr>\(heads.joined())</tr>
            \(lines.joined())</table>
            """
        return "<tr><td style=\"padding:6px 20px\">\(table)</td></tr>\n"
    }

    /// A bar of two cells, of which the first is a part of the whole. What it shows stands beside it as text.
    static func bar(_ part: Int, of whole: Int, _ colour: Colour) -> HTML {
        guard whole > 0 else { return "" }
        let share = min(max(Double(part) / Double(whole), 0), 1)
        var percent = Int((share * 100).rounded())
        // As shares in words, neither nothing nor all unless it is that.
        if part > 0 { percent = max(percent, 1) }
        if part < whole { percent = min(percent, 99) }
        func cell(_ percent: Int, _ colour: Colour) -> HTML {
            percent == 0
                ? ""
                : "<td width=\"\(percent)%\" height=\"8\" bgcolor=\"\(colour.rawValue)\" "
                    + "style=\"background-color:\(colour.rawValue);font-size:1px;line-height:8px\">&nbsp;</td>"
        }
        return "<table role=\"presentation\" width=\"90\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\"><tr>"
            + cell(percent, colour) + cell(100 - percent, .line) + "</tr></table>"
    }

    static func strong(_ text: String, _ colour: Colour) -> HTML {
        "<b style=\"color:\(colour.rawValue)\">\(text)</b>"
    }

    static func soft(_ text: String) -> HTML { "<span style=\"color:\(Colour.soft.rawValue)\">\(text)</span>" }
}
