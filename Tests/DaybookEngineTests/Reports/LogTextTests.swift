import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookReports

/// What the runner of a CI service would take for a command is none in what is printed.
@Suite struct LogTextTests {
    @Test(
        arguments: [
            ("next: mend a ##[add-mask]b", "next: mend a # #[add-mask]b"),
            ("##vso[task.setvariable variable=PATH]x", "# #vso[task.setvariable variable=PATH]x"),
            ("a ##teamcity[buildStop] ###[x]", "a # #teamcity[buildStop] ## #[x]"),
            // What no comparison by culture sees: a zero-width joiner, a soft hyphen, a control.
            ("#\u{200D}#[group]", "# \u{200D}#[group]"), ("##v\u{AD}so[a]", "# #v\u{AD}so[a]"),
            ("#\u{1}#[a]", "# \u{1}#[a]"),
            ("::error::x", ". ::error::x"), ("  \u{3000}::stop-commands::t", "  \u{3000}. ::stop-commands::t"),
            ("a\n::error::x\r::error::y\r\n\t::z::", "a\n. ::error::x\r. ::error::y\r\n\t. ::z::"),
            (":\u{200B}:error::x", ". :\u{200B}:error::x"), ("\u{FEFF}::error::x", "\u{FEFF}. ::error::x"),
            // These are none.
            ("done: a::b", "done: a::b"), ("a: ::b", "a: ::b"),
            ("## [import_csv](#import_csv)", "## [import_csv](#import_csv)"),
            ("#[a] # #[b] ##a b[c]", "#[a] # #[b] ##a b[c]"), (":", ":"), ("#", "#"), ("##", "##"), ("", ""),
            ("감정 😀 #1", "감정 😀 #1"),
        ]
    )
    func proseIsNoCommand(_ text: String, _ shown: String) { #expect(LogText.harmless(text) == shown) }

    @Test func jsonMeansTheSame() throws {
        let value = ["::error::x ##[a] ##vso[b]", "###[c] #d"]
        let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        let harmless = LogText.harmless(text, as: .json)
        #expect(!harmless.contains("##"))
        #expect(try JSONDecoder().decode([String].self, from: Data(harmless.utf8)) == value)
    }

    @Test func markupMeansTheSame() {
        #expect(LogText.harmless("<td>##[a]</td>", as: .markup) == "<td>&#35;#[a]</td>")
        #expect(LogText.harmless("a{color:#fff}\n.b::before{x:y}", as: .markup) == "a{color:#fff}\n.b::before{x:y}")
        #expect(
            LogText.harmless("<failure>\n::error::f.csv\n  :\u{200B}:add-mask::y a::b</failure>", as: .markup)
                == "<failure>\n&#58;:error::f.csv\n  &#58;\u{200B}:add-mask::y a::b</failure>"
        )
    }

    @Test func commandsThatAreMeantStay() {
        #expect(LogText.harmless("::error file=a::##[b]", as: .commands) == "::error file=a::# #[b]")
    }

    @Test func onlyARunnerIsFeared() {
        for name in ["GITHUB_ACTIONS", "TF_BUILD", "CI"] { #expect(LogText.isRead { $0 == name ? "true" : nil }) }
        #expect(!LogText.isRead { $0 == "CI" ? "" : nil })
        #expect(!LogText.isRead { _ in nil })
    }
}
