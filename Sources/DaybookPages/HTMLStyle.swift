/// The style sheet of a page: nothing in it comes from elsewhere, and nothing from the job.
package enum HTMLStyle {
    /// The sheet, with rules of the page's own parts: for all surroundings, for narrow screens, and for paper.
    package static func sheet(with parts: String = "", narrow: String = "", print paper: String = "") -> String {
        """
        :root{color-scheme:light dark;\(HTMLPalette.definitions(\.light))}
        @media screen and (prefers-color-scheme:dark){:root{\(HTMLPalette.definitions(\.dark))}}
        \(page)
        \(common)
        \(tables)
        \(charts)
        \(parts)
        \(HTMLPalette.classes)
        \(print(narrow, paper))
        """
    }

    private static let page = """
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
        body{margin:0;background:var(--page);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,\
        "Helvetica Neue","Apple SD Gothic Neo","Noto Sans KR","Noto Sans CJK KR","Malgun Gothic",sans-serif;\
        overflow-wrap:break-word}
        header,nav,main,footer{max-width:68rem;margin:0 auto;padding:0 1.75rem}
        header{padding-top:4rem}
        h1{margin:0;font-size:2.25rem;line-height:1.2;letter-spacing:-.02em;font-weight:700}
        h2{margin:0;font-size:1.4rem;line-height:1.3;letter-spacing:-.01em;font-weight:650}
        h3{margin:0 0 .75rem;font-size:1rem;font-weight:600}
        h1,h2,bdi,th,td,dd{unicode-bidi:plaintext}
        h1,h2{word-break:keep-all;overflow-wrap:anywhere}
        p{margin:.5rem 0;word-break:keep-all}
        a{color:var(--accent);text-underline-offset:.2em}
        :focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
        .kicker{margin:0 0 .75rem;color:var(--accent);font-size:.8125rem;font-weight:600;letter-spacing:.08em;\
        text-transform:uppercase}
        .soft{color:var(--soft)}
        .note{color:var(--soft);font-size:.875rem}
        footer{padding-top:1.5rem;padding-bottom:4rem;color:var(--soft);font-size:.8125rem}
        """

    private static let common = """
        nav ul{display:flex;flex-wrap:wrap;gap:.35rem 1.5rem;margin:1.75rem 0 0;padding:0;list-style:none;\
        font-size:.9375rem}
        nav li{max-width:100%}
        .tiles{display:flex;flex-wrap:wrap;gap:.75rem;margin:2rem 0 0}
        .tiles div{--fit:calc(var(--n)*1.15rem + 2.6rem);flex:1 1 min(100%,max(9.5rem,var(--fit)));\
        max-width:min(100%,max(17rem,var(--fit)));container-type:inline-size;padding:1rem 1.25rem 1.1rem;border-radius:12px;\
        background:var(--card);min-width:0}
        .tiles dt{color:var(--soft);font-size:.8125rem}
        .tiles dd{margin:.15rem 0 0;font-size:min(1.75rem,calc(100cqi/var(--n)));line-height:1.25;font-weight:650;letter-spacing:-.02em;\
        font-variant-numeric:tabular-nums}
        .tiles .good{color:var(--good)}
        .tiles .bad{color:var(--bad)}
        section{margin-top:4rem;scroll-margin-top:1.5rem}
        h2+p{margin-top:.35rem}
        .facts{display:flex;flex-wrap:wrap;gap:.25rem 2.5rem;margin:1.25rem 0 0;font-size:.9375rem}
        .facts .soft{font-weight:400}
        .facts div{display:flex;gap:.6rem;min-width:0}
        .facts dt{color:var(--soft)}
        .facts dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums;min-width:0}
        """

    private static let tables = """
        .scroll{position:relative;overflow:auto;margin-top:1.25rem;border:1px solid var(--rule);border-radius:12px;\
        background:linear-gradient(to left,var(--page) 40%,transparent) 100% 0/3rem 100% no-repeat local,\
        linear-gradient(to left,var(--rule),transparent) 100% 0/1.25rem 100% no-repeat scroll}
        .long{max-height:36rem}
        .long::after{content:"";position:sticky;z-index:3;left:0;bottom:0;display:block;height:2.5rem;\
        background:linear-gradient(transparent,var(--page) 90%);pointer-events:none}
        table{border-collapse:separate;border-spacing:0;min-width:100%;font-size:.875rem;line-height:1.5}
        th,td{padding:.42rem .7rem;text-align:start;vertical-align:top;border-bottom:1px solid var(--rule);\
        max-width:30rem}
        td{white-space:pre-wrap;word-break:keep-all;overflow-wrap:break-word}
        td:not([class]),.code{min-width:10rem}
        tbody tr:last-child>*,thead:has(+tbody:empty) th{border-bottom:0}
        thead th{position:sticky;top:0;background:var(--card);font-weight:600;max-width:18rem;z-index:1}
        tbody th{font-weight:500;max-width:18rem}
        .kv{margin:0;padding:0;list-style:none;white-space:normal}
        .kv .kv{padding-inline-start:1rem}
        .kv b{font-weight:500;color:var(--soft)}
        .kvs{min-width:8rem}
        th:first-child,td:first-child{padding-inline-start:1.25rem}
        th:last-child,td:last-child{padding-inline-end:1.25rem}
        @media screen{
        tr>:first-child{position:sticky;inset-inline-start:0;z-index:1;background:var(--page)}
        thead tr>:first-child{z-index:2;background:var(--card)}
        .many tr>:first-child{border-inline-end:1px solid var(--rule)}
        }
        .num{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
        .bar{--s:calc(var(--v)/var(--m)*100%);background:linear-gradient(var(--h2),var(--h2)) 0 50%/var(--s) 62% no-repeat;\
        min-width:6.5rem;print-color-adjust:exact;-webkit-print-color-adjust:exact}
        .one{min-width:0;white-space:nowrap;font-variant-numeric:tabular-nums}
        .code{white-space:normal;font:.93em/1.6 ui-monospace,"SF Mono",Consolas,"Liberation Mono",monospace}
        td.bad{color:var(--bad)}
        .code.one{white-space:nowrap}
        .gap,.zero{color:var(--soft)}
        .gap span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        .gap::before{content:"–"}
        .cut{color:var(--soft)}
        .words{display:block;color:var(--soft);font-size:.93em;white-space:normal}
        .swatch{display:inline-block;width:1.1em;height:1.1em;margin-inline-end:.55em;border-radius:4px;\
        vertical-align:-.18em;border:1px solid var(--soft);background:linear-gradient(var(--c),var(--c)),\
        conic-gradient(#bbb 25%,#fff 0 50%,#bbb 0 75%,#fff 0) 0 0/.55em .55em;print-color-adjust:exact;\
        -webkit-print-color-adjust:exact}
        details{margin-top:1rem}
        summary{cursor:pointer;color:var(--accent);font-size:.9375rem;width:fit-content}
        """

    private static let charts = """
        figure{margin:2.25rem 0 0;min-width:0}
        @media (min-width:62rem){.pair{display:grid;grid-template-columns:1fr 1fr;gap:2rem}}
        figure .frame{overflow-x:auto;overflow-y:hidden}
        svg{display:block;width:100%;height:auto;max-width:var(--w);min-width:min(var(--w),46rem);\
        print-color-adjust:exact;-webkit-print-color-adjust:exact}
        svg text{font-size:12px;fill:var(--ink);font-variant-numeric:tabular-nums}
        svg .end{text-anchor:end;fill:var(--soft)}
        svg .mid{text-anchor:middle}
        svg .name{fill:var(--ink)}
        svg .year{fill:var(--soft);font-weight:600}
        svg .grid{stroke:var(--rule);fill:none}
        svg .axis{stroke:var(--soft);fill:none}
        svg .tick{stroke:var(--rule);fill:none}
        svg .edge{stroke:var(--page);stroke-width:.75}
        svg .none{fill:none;stroke:var(--soft);stroke-width:1;stroke-dasharray:3 2}
        svg .tip{fill:transparent}
        svg .tip:hover{fill:var(--ink);fill-opacity:.06}
        .legend{display:flex;flex-wrap:wrap;gap:.3rem 1.25rem;margin:.35rem 0 0;padding:0;list-style:none;\
        font-size:.875rem}
        .legend li{display:flex;align-items:center;gap:.45rem;min-width:0}
        .legend b{font-weight:500;color:var(--soft);font-variant-numeric:tabular-nums}
        .key{flex:none;width:.8rem;height:.8rem;border-radius:3px;print-color-adjust:exact;\
        -webkit-print-color-adjust:exact}
        .ramp{display:flex;flex-wrap:wrap;align-items:center;gap:.2rem .6rem;margin:.35rem 0 0;color:var(--soft);font-size:.8125rem;\
        font-variant-numeric:tabular-nums}
        .ramp span{display:flex;min-width:0}
        .ramp i{width:1.6rem;height:.7rem;print-color-adjust:exact;-webkit-print-color-adjust:exact}
        .ramp i:first-child{border-radius:3px 0 0 3px}
        .ramp i:last-child{border-radius:0 3px 3px 0}
        .ramp .none{align-items:center;gap:.6rem;margin-inline-start:.6rem;white-space:nowrap}
        .ramp .none i{width:1.4rem;height:.9rem;border:1px dashed var(--soft);border-radius:0}
        """

    private static func print(_ narrow: String, _ paper: String) -> String {
        """
        @media (max-width:40rem){
        header,nav,main,footer{padding-left:1.1rem;padding-right:1.1rem}
        header{padding-top:2.25rem}
        h1{font-size:1.75rem}
        section{margin-top:3rem}
        .tiles div{--fit:calc(var(--n)*1.05rem + 2.1rem);flex-basis:min(100%,max(9rem,var(--fit)));max-width:none;\
        padding-left:1rem;padding-right:1rem}
        .tiles dd{font-size:min(1.4rem,calc(100cqi/var(--n)))}
        th,td{max-width:18rem}
        td:not([class]):first-child{min-width:8rem;max-width:10rem}
        .scroll tr>:first-child{padding-inline-start:.9rem;border-inline-end:1px solid var(--rule)}
        \(narrow)
        }
        @media print{
        @page{margin:16mm}
        body{font-size:10.5pt}
        header,nav,main,footer{max-width:none;padding-left:0;padding-right:0}
        header{padding-top:0}
        nav,details,.hint,.long::after{display:none}
        section>h2{margin-top:1.75rem}
        figure{margin-top:1.25rem}
        .tiles{margin-top:1.25rem;padding-right:1px}
        .tiles div{border:1px solid var(--rule);background:none}
        .scroll,figure .frame{overflow:visible;max-height:none}
        .scroll{border-radius:0;border-width:1px 0;background:none}
        table{font-size:8pt;line-height:1.4}
        .long table{font-size:7pt;line-height:1.3}
        .many table{font-size:6pt;line-height:1.3}
        table th,table td{padding:.15rem .35rem}
        .long table th,.long table td{padding-top:.05rem;padding-bottom:.05rem}
        td:not([class]),.code:not(.one){min-width:8em}
        .many table th,.many table td{padding:.1rem .2rem;min-width:4.2em;white-space:normal;overflow-wrap:anywhere}
        .many table td:not([class]),.many table .code:not(.one){min-width:8em}
        .many table td.num{white-space:nowrap}
        .crowd table{font-size:5pt}
        .crowd table th,.crowd table td{min-width:3.4em}
        .crowd table td:not([class]),.crowd table .code:not(.one){min-width:6em}
        thead th{position:static;overflow:visible}
        svg{min-width:0}
        .tiles div{--fit:calc(var(--n)*.8rem + 1.9rem);flex-basis:max(6rem,var(--fit));padding:.6rem .9rem}
        .tiles dd{font-size:min(1.2rem,calc(100cqi/var(--n)))}
        h2,h3,h2+p,.facts{break-after:avoid}
        h2+p,h3+p,.facts,figure,tr,.tiles div{break-inside:avoid}
        \(foot)
        \(paper)
        }
        """
    }

    /// Prevents the footer from being alone on the last sheet.
    ///
    /// If only the footer does not fit, Chromium looks for an earlier break among its siblings and inside blocks that
    /// begin on that sheet, but not inside one continued from before. So main and sections are no boxes on paper, and
    /// their blocks are the footer's siblings. A table may still continue; its last row reserves the footer's space.
    private static let foot = """
        main,section{display:contents}
        footer{padding-top:.6rem;padding-bottom:0;break-before:avoid;break-inside:avoid}
        @supports selector(:has(*)){
        section:last-child>.scroll:last-child{border-bottom:0}
        section:last-child>.scroll:last-child tbody::after{content:"";display:table-row;height:2rem;break-before:avoid}
        main:has(>section:last-child>.scroll:last-child)+footer{margin-top:-2rem;border-top:1px solid var(--rule)}
        }
        """
}

/// The beginning of a page up to its body: what kind of page it is, what it may do, and how it looks.
package enum PageHead {
    /// Nothing may be loaded, run, sent or framed; the style sheet inside the page is all there is.
    package static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

    /// - Parameter language: the language of the page's own texts.
    package static func markup(title: String, sheet: String, language: String = "en") -> HTML {
        """
        <!DOCTYPE html>
        <html lang="\(language)">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(own: policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="generator" content="Daybook">
        <title>\(title)</title>
        <link rel="icon" href="data:,">
        <style>
        \(own: sheet)
        </style>
        </head>
        <body>

        """
    }
}

/// The colours of a page, light and dark.
///
/// The nine series colours were searched for, not picked: at least 3:1 against the page, and as far apart as nine can be
/// for full colour vision and for protan, deutan and tritan vision, neighbours most of all. Order and legend say the same
/// without colour. The tests measure every contrast claimed here.
package enum HTMLPalette {
    /// One colour for light surroundings and one for dark.
    package struct Pair {
        package let light: String
        package let dark: String

        package init(_ light: String, _ dark: String) { (self.light, self.dark) = (light, dark) }
    }

    package static let seriesCount = 9

    package static let page = Pair("#ffffff", "#14171c")
    package static let card = Pair("#f5f7fa", "#1c2027")
    package static let ink = Pair("#1a1f27", "#e8ebef")
    /// Text of less weight.
    package static let soft = Pair("#566070", "#a3adba")
    package static let rule = Pair("#dce1e8", "#333a45")
    package static let accent = Pair("#1657a1", "#89b7f3")
    package static let good = Pair("#17693f", "#6fcf97")
    package static let bad = Pair("#a3241b", "#ff9a8f")

    /// Saturdays and Sundays of a calendar.
    package static let rest = Pair("#b3202c", "#ff918c")

    package static let series = [
        Pair("#124da6", "#3ba7ff"), Pair("#a55e0f", "#c95328"), Pair("#0e796c", "#2c8c7d"),
        Pair("#732d70", "#dd79c7"), Pair("#929713", "#d5d648"), Pair("#775bc6", "#8263cf"),
        Pair("#109dc3", "#5bdeea"), Pair("#c57d81", "#f6a58b"), Pair("#515103", "#91a809"),
    ]
    package static let others = Pair("#7d8794", "#7d8794")

    /// Shades of 0, and then further and further above it.
    package static let above = [
        Pair("#f0f3f7", "#20252d"), Pair("#ddebfd", "#1e2f44"), Pair("#bed8fa", "#254164"),
        Pair("#99c1f4", "#2e5483"), Pair("#72a7eb", "#3767a4"), Pair("#3475c4", "#639be1"),
        Pair("#1657a1", "#89b7f3"), Pair("#083c75", "#b8d7fe"),
    ]
    /// Shades further and further below 0, from the second on.
    package static let below = [
        Pair("#f0f3f7", "#20252d"), Pair("#fae5d9", "#402719"), Pair("#f5ccb6", "#5d341b"),
        Pair("#ebae8d", "#794220"), Pair("#de8e60", "#975124"), Pair("#b35713", "#d38151"),
        Pair("#8b3f01", "#e8a17a"), Pair("#622b01", "#fbc8ac"),
    ]
    /// Shades on each side of 0, which has one of its own.
    package static let shades = 7
    /// The shades from this one on bear text in the colour of the page.
    package static let firstStrongShade = 5

    /// The definitions of all colours for one kind of surroundings.
    package static func definitions(_ colour: (Pair) -> String) -> String {
        var named = [
            ("page", page), ("card", card), ("ink", ink), ("soft", soft), ("rule", rule), ("accent", accent),
            ("good", good), ("bad", bad), ("rest", rest), ("s0", others),
        ]
        named += series.enumerated().map { ("s\($0 + 1)", $1) }
        named += above.enumerated().map { ("h\($0)", $1) }
        named += below.enumerated().dropFirst().map { ("n\($0)", $1) }
        return named.map { "--\($0):\(colour($1))" }.joined(separator: ";")
    }

    /// The classes that fill with those colours.
    package static var classes: String {
        var rules = (0...seriesCount).map { ".s\($0){--k:var(--s\($0));fill:var(--k);background:var(--k)}" }
        for shade in 0...shades {
            rules.append(".h\(shade){fill:var(--h\(shade));background:var(--h\(shade))}")
            if shade > 0 { rules.append(".n\(shade){fill:var(--n\(shade));background:var(--n\(shade))}") }
        }
        let strong = (firstStrongShade...shades).flatMap { [".on-h\($0)", ".on-n\($0)"] }
        return rules.joined(separator: "\n") + "\nsvg \(strong.joined(separator: ",svg ")){fill:var(--page)}"
    }
}
