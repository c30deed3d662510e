import DaybookPages

/// A line of a file with its marked part.
enum ExcerptMarkup {
    static func of(_ excerpt: Excerpt) -> HTML {
        guard !excerpt.marked.isEmpty else { return "<code class=\"line\">\(excerpt.line)</code>" }
        let scalars = Array(excerpt.line.unicodeScalars)
        func part(_ range: Range<Int>) -> String {
            String(String.UnicodeScalarView(scalars[range.clamped(to: 0..<scalars.count)]))
        }
        let (start, end) = (excerpt.marked.lowerBound, excerpt.marked.upperBound)
        return "<code class=\"line\">\(part(0..<start))<mark>\(part(start..<end))</mark>"
            + "\(part(end..<max(end, scalars.count)))</code>"
    }
}

/// What stopped the run, with the lines of the job file.
struct ErrorList {
    let run: RunReport

    var markup: HTML {
        let errors = run.outcome.errors + run.afterthoughts
        guard !errors.isEmpty else { return "" }
        return "<ol class=\"errors\">\n\(errors.map(item).joined(separator: "\n"))\n</ol>\n"
    }

    private func item(_ error: DaybookError) -> HTML {
        let mask = run.mask
        var text: HTML = "<li>"
        if let place = error.place { text += "<span class=\"soft\">\(RunPage.text(mask.masking("\(place)"))):</span> " }
        text += "<span class=\"failed\">\(RunPage.text(mask.masking(error.message)))</span>"
        text += " <span class=\"soft\">[\(RunPage.text(error.code.rawValue))]</span>"
        if let place = error.place, let source = run.source, source.file == place.file,
            let excerpt = Excerpt(of: place, in: source, maskedBy: mask)
        {
            text += ExcerptMarkup.of(excerpt)
        }
        if let hint = error.hint { text += "<br>Hint: \(RunPage.text(mask.masking(hint)))" }
        return text + "</li>"
    }
}
