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
        case link = "#1657a1"
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
        \(font);font-size:\(size)px;line-height:\(size + 6)px;word-break:break-word;padding:10px 20px">\(content)</td></tr>

        """
    }

    static func heading(_ text: String) -> HTML {
        "<tr><td align=\"left\" style=\"\(font);font-size:16px;line-height:22px;font-weight:bold;color:\(Colour.text.rawValue);"
            + "padding:16px 20px 0 20px\">\(text)</td></tr>\n"
    }

    /// A table of data; a heading with `#` before it stands over numbers.
    static func table(_ headings: [String], _ rows: [[HTML]]) -> HTML {
        // Columns of words share the width, so that none becomes as narrow as a letter.
        let width: HTML = " width=\"\(100 / max(1, headings.count))%\""
        let heads = headings.map { heading -> HTML in
            let isNumber = heading.hasPrefix("#")
            return
                "<th scope=\"col\"\(width, if: !headings.contains { $0.hasPrefix("#") }) align=\"\(isNumber ? "right" : "left")\" style=\"\(font);font-size:12px;line-height:16px;"
                + "font-weight:bold;color:\(Colour.soft.rawValue);padding:4px 8px 4px 0\">"
                + "\(isNumber ? String(heading.dropFirst()) : heading)</th>"
        }
        let lines = rows.map { cells -> HTML in
            let cells = zip(cells, headings).map { cell, heading -> HTML in
                "<td align=\"\(heading.hasPrefix("#") ? "right" : "left")\" valign=\"top\" style=\"\(font);font-size:13px;"
                    + "line-height:18px;color:\(Colour.text.rawValue);padding:4px 8px 4px 0;\(heading.hasPrefix("#") ? "" : "word-break:break-word;" as HTML)"
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

    /// A measure with its spark.
    static func figure(_ text: HTML, _ spark: HTML) -> HTML {
        """
        <tr><td align="left" valign="bottom" style="\(font);font-size:13px;line-height:20px;color:\(Colour.text.rawValue);\
        word-break:break-word;padding:6px 8px 6px 0;border-top:1px solid \(Colour.line.rawValue)">\(text)</td>\
        <td align="right" valign="bottom" style="padding:6px 0 8px 0;border-top:1px solid \(Colour.line.rawValue)">\(spark)</td></tr>

        """
    }

    static func figures(_ rows: [HTML]) -> HTML {
        """
        <tr><td style="padding:6px 20px"><table width="100%" cellpadding="0" cellspacing="0" border="0" \
        style="border-collapse:collapse">
        \(rows.joined())</table></td></tr>

        """
    }

    static func large(_ text: String) -> HTML { "<b style=\"font-size:18px\">\(text)</b>" }

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

    /// A small bar for each day, the last at the right; a day without a value has a gap. The values stand beside it as text.
    ///
    /// - Parameter heights: between 0 and 1.
    static func spark(_ heights: [Double?]) -> HTML {
        let tall = 24.0
        let bars = heights.enumerated().map { place, height -> HTML in
            let colour = place == heights.count - 1 ? Colour.text : .soft
            guard let height else { return "<td width=\"6\" style=\"font-size:1px;line-height:1px\">&nbsp;</td>" }
            let bar = Int(max(2, (height * tall).rounded()))
            return """
                <td width="6" valign="bottom" style="padding:0 1px 0 0"><table role="presentation" width="5" cellpadding="0" \
                cellspacing="0" border="0"><tr><td height="\(bar)" bgcolor="\(colour.rawValue)" \
                style="background-color:\(colour.rawValue);font-size:1px;line-height:\(bar)px">&nbsp;</td></tr></table></td>
                """
        }
        return
            "<table role=\"presentation\" width=\"\(heights.count * 6)\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\">"
            + "<tr>\(bars.joined())</tr></table>"
    }

    /// - Parameter address: checked where the job names it.
    static func link(_ text: String, to address: String) -> HTML {
        "<a href=\"\(address)\" style=\"color:\(Colour.link.rawValue)\">\(text)</a>"
    }

    static func strong(_ text: String, _ colour: Colour) -> HTML { "<b style=\"color:\(colour.rawValue)\">\(text)</b>" }

    static func soft(_ text: String) -> HTML { "<span style=\"color:\(Colour.soft.rawValue)\">\(text)</span>" }
}
