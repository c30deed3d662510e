/// The beginning of a page up to its body: what kind of page it is, what it may do, and how it looks.
package enum PageHead {
    /// Nothing may be loaded, run, sent or framed; the style sheet inside the page is all there is.
    package static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

    package static func markup(title: String, sheet: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="generator" content="Daybook">
        <title>\(HTMLText.escaped(title))</title>
        <link rel="icon" href="data:,">
        <style>
        \(sheet)
        </style>
        </head>
        <body>

        """
    }
}
