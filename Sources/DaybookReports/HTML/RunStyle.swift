import DaybookPages

/// What the page of a run adds to the sheet that all pages share.
enum RunStyle {
    static var sheet: String {
        let flow = LedgerFlow.style
        return HTMLStyle.sheet(
            with: [own, RunStrip.style, flow.screen].joined(separator: "\n"),
            narrow: narrow + "\n" + flow.narrow,
            print: flow.print
        )
    }

    /// The amber of warnings can be read on the page and on its cards.
    private static let own = """
        :root{--warn:#7a5200}
        @media screen and (prefers-color-scheme:dark){:root{--warn:#e5b95c}}
        .next{margin-top:1.25rem}
        .passed{color:var(--good)}
        .warned{color:var(--warn)}
        .failed{color:var(--bad)}
        td.passed,td.warned,td.failed{font-weight:600;white-space:nowrap}
        td.place{min-width:11rem;overflow-wrap:anywhere}
        .at{white-space:nowrap}
        td.text{min-width:10rem}
        td.cell{min-width:5rem}
        td.hit{--mark:var(--soft);font-weight:600;color:var(--mark);box-shadow:inset 0 0 0 2px var(--mark)}
        .error td.hit{--mark:var(--bad)}
        .warning td.hit{--mark:var(--warn)}
        td.share{min-width:7rem}
        #rules th .strip{min-width:9.3rem;max-width:9.3rem}
        #rules th .strip span{width:.8rem;font-size:.6875rem}
        .part{display:block;height:.45rem;margin-top:.3rem;border-radius:3px;\
        background:linear-gradient(to right,var(--good) var(--s),var(--bad) 0);print-color-adjust:exact;\
        -webkit-print-color-adjust:exact}
        h3{margin-top:2.25rem}
        h3+p{margin-top:-.5rem}
        h3 .soft{font-weight:400}
        .line{display:block;margin:.35rem 0 0;padding:.2rem .5rem;border-radius:6px;background:var(--card);overflow-x:auto;\
        white-space:pre;tab-size:4;font:.86em/1.5 ui-monospace,"SF Mono",Consolas,"Liberation Mono",monospace}
        .line mark{background:none;color:var(--bad);text-decoration:underline wavy;text-underline-offset:.2em}
        .warning .line mark{color:var(--warn)}
        .errors{margin:1rem 0 0;padding:0;list-style:none}
        .errors li{margin-top:1.25rem}
        """

    private static let narrow = """
        td.place{min-width:7.5rem;max-width:8.5rem}
        td.text{min-width:9rem}
        """
}
