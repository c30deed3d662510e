/// What all pages have around their content: one file that loads nothing, in light and dark.
public enum HTMLFrame {
    /// Nothing may be loaded, run, sent or framed; the style sheet inside the page is all there is.
    public static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

    /// The page up to its body.
    ///
    /// - Parameter title: As it is; it is escaped here.
    public static func head(title: String, sheet: String) -> String {
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

    /// The end of the page.
    ///
    /// - Parameter note: A sentence for the foot of the page, in HTML.
    public static func foot(note: String) -> String {
        """
        <footer>\(note)</footer>
        </body>
        </html>

        """
    }
}
