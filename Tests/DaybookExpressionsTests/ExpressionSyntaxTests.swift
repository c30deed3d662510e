import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookExpressions
@testable import DaybookValues

/// What may be written, how it binds, and what is said of everything else.
@Suite struct ExpressionSyntaxTests {
    @Test(
        "operators bind as in SQL",
        arguments: [
            ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("10 - 4 - 3", "3"), ("2 * 3 % 4", "2"), ("-2 * -3", "6"),
            ("- - 2", "2"), ("7 / 2", "3.5"), ("7 % -2", "1"), ("-7 % 2", "-1"), ("7.5 % 2", "1.5"),
            ("true or false and false", "true"), ("(true or false) and false", "false"),
            ("not false and false", "false"), ("not (false and false)", "true"), ("not 1 = 2", "true"),
            ("not not true", "true"), ("1 + 1 = 2 and 3 > 2", "true"), ("'a' || 'b' = 'ab'", "true"),
            ("'n' || to_text(1 + 1)", "n2"), ("2 between 1 and 3 and true", "true"),
            ("2 not between 1 and 3", "false"), ("not 2 between 3 and 4", "true"), ("2 in (1, 2, 3)", "true"),
            ("2 not in (1, 3)", "true"), ("1 + 1 in (2)", "true"), ("missing is missing", "true"),
            ("1 is not missing", "true"), ("1 is null", "false"), ("1 is not null = true", nil),
            ("case when 1 > 2 then 'a' when 2 > 1 then 'b' else 'c' end", "b"),
            ("case when missing then 1 end", nil), ("case when false then 1 else 2.5 end", "2.5"),
            ("'it''s'", "it's"), ("AS_OF", "2026-11-21"), ("DATE '2026-11-21' = as_of", "true"),
            ("LENGTH('abc') = 3 AND TRUE", "true"), ("-9223372036854775808", "-9223372036854775808"),
            ("1e3", "1000"), ("0.5", "0.5"), ("1 <> 2", "true"), ("1 != 2", "true"), ("'b' > 'abc'", "true"),
            ("'' < 'a'", "true"), ("1 = 1.0", "true"), ("9007199254740993 = 9007199254740992", "false"),
            ("'2026-11-21' = as_of", "true"), ("instant '2026-11-21T00:00:00Z' < '2026-11-21T00:00:01Z'", "true"),
            ("as_of between '2026-11-01' and '2026-11-30'", "true"), ("as_of in ('2026-11-20', '2026-11-21')", "true"),
            ("1 > 2 = false", nil),
        ]
    )
    func value(_ text: String, _ value: String?) throws {
        if value == nil, text.contains("= true") || text.contains("= false") {
            #expect(message(of: text) == "a comparison cannot be compared again")
        } else {
            #expect(try ExpressionTrial.value(of: text) == value)
        }
    }

    @Test(
        "like takes % for any text and _ for one character",
        arguments: [
            ("행복해", "행복%", true), ("행복해", "%복%", true), ("행복해", "_복_", true), ("행복해", "__", false),
            ("행복해", "%해", true), ("행복해", "행복해", true), ("행복해", "행복", false), ("", "%", true), ("", "_", false),
            ("", "", true), ("abcabc", "a%c", true), ("abcabc", "a%b", false), ("aXbXc", "a%X%c", true),
            ("ab", "a%b%c", false), ("a", "a%a", false), ("aba", "a%a", true), ("100%", "100!%", true),
            ("1000", "100!%", false), ("a!b", "a!!b", true), ("aab", "%a_", true), ("abc", "%_c", true),
            ("c", "%_c", false),
            ("aaab", "%aab", true), ("가나다라", "%나_라", true), ("mississippi", "%iss%ip%", true),
        ]
    )
    func like(_ text: String, _ pattern: String, _ matches: Bool) throws {
        let escape = pattern.contains("!") ? " escape '!'" : ""
        #expect(try ExpressionTrial.value(of: "'\(text)' like '\(pattern)'\(escape)") == "\(matches)")
        #expect(try ExpressionTrial.value(of: "'\(text)' not like '\(pattern)'\(escape)") == "\(!matches)")
    }

    @Test(
        "a mistake is named with its remedy",
        arguments: [
            ("count == 3", 6, "'==' means nothing here", "write '=' to compare"),
            ("a && b", 2, "'&&' means nothing here", "write 'and'"),
            ("(count > 3", 0, "this ( is never closed", ""),
            ("count > 3)", 9, "')' does not belong here", "this ) closes nothing"),
            (
                "emotion = 'a", 10, "a text begins here and has no closing '",
                "a ' inside a text is written twice: 'it''s'"
            ),
            ("count >", 7, "expected a value, found the end", ""),
            (
                "3 < count < 5", 10, "a comparison cannot be compared again",
                "write 'x between 1 and 5', or 'x > 1 and x < 5'"
            ),
            (
                "emotion is 3", 11, "expected 'missing' behind 'is', found the number 3",
                "write 'is missing' or 'is not missing'; values are compared with '='"
            ),
            ("count between 1 or 3", 16, "expected 'and' between the two bounds, found 'or'", ""),
            ("emotion in 'a'", 11, "expected '(' behind 'in', found the text 'a'", "a list is written in ('a', 'b')"),
            (
                "case emotion when 'a' then 1 end", 5, "expected 'when' behind 'case', found 'emotion'",
                "write the whole condition each time: case when x = 1 then 'a' when x = 2 then 'b' end"
            ),
            (
                "2fast > 1", 0, "'2fast' is neither a number nor a name",
                "a column whose name begins with a digit stands in double quotes: \"2fast\""
            ),
            ("count > 99999999999999999999", 8, "99999999999999999999 does not fit a 64-bit number", ""),
            ("n > 9223372036854775808", 4, "9223372036854775808 does not fit a 64-bit number", ""),
            ("count > 3", 0, "no column named 'count'", ""),
            ("cuont > 3 and n > 1", 0, "no column named 'cuont'", ""),
            ("n > '3'", 4, "cannot compare text with an integer", "a number stands without quotes: 3"),
            ("t > 3", 0, "cannot compare text with an integer", "write to_integer(t)"),
            ("t = 0.5", 0, "cannot compare text with a decimal", "write to_decimal(t)"),
            ("t < as_of", 0, "cannot compare text with a day", "write to_day(t)"),
            ("d = '2026-02-30'", 4, "'2026-02-30' is not a day of the calendar", ""),
            ("d = 'tomorrow'", 4, "'tomorrow' is not a date such as 2026-11-21", ""),
            ("i > d", 0, "cannot compare an instant with a day", "write day_of(i)"),
            ("d - as_of > 3", 2, "'-' computes with numbers, not with days", "write days_between(as_of, d)"),
            ("d + 1 > d", 2, "'+' computes with numbers, not with days", "write add_days(d, 1)"),
            (
                "t + 'a' = 'b'", 0, "'+' computes with numbers, and this is text",
                "texts are joined with '||'; or write to_integer(t) or to_decimal(t)"
            ),
            ("n || 'a' = ''", 0, "'||' joins texts, and this is an integer", "write to_text(n)"),
            (
                "t", 0, "a condition is true or false, and this is text",
                "compare it with something, such as t = '…', or write to_flag(t)"
            ),
            (
                "n and f", 0, "a condition is true or false, and this is an integer",
                "compare it with something, such as n > 0"
            ),
            ("n = missing", 0, "nothing equals missing, not even missing", "write 'n is missing'"),
            ("n <> missing", 0, "nothing equals missing, not even missing", "write 'n is not missing'"),
            ("n in (1, missing)", 9, "missing is in no list", "write 'or n is missing' behind the list"),
            ("n in (1, n)", 9, "a list holds values that are the same in every row", "compare columns with '=' and or"),
            ("f > true", 0, "of true and false none is less", ""),
            ("j = t", 0, "cannot compare JSON with text", "write to_text(j) for its source text"),
            ("lenght(t) = 1", 0, "there is no function 'lenght'", "did you mean 'length'?"),
            ("len(t) = 1", 0, "there is no function 'len'", "did you mean 'length'?"),
            (
                "sum(n) = 1", 0, "there is no function 'sum'",
                "an expression sees one row at a time; 'summarise_rows' counts and adds up"
            ),
            ("length() = 1", 0, "length takes 1 value, and here are 0", "it is called as length(text)"),
            ("length(n) = 1", 7, "'text' of length is text, and this is an integer", "write to_text(n)"),
            ("year(i) = 1", 5, "'day' of year is a day, and this is an instant", "write day_of(i)"),
            ("round(x, n) = 1", 9, "'decimals' of round has to be the same in every row", ""),
            ("n / 0 > 1", -1, "", ""),
            ("1 / 0 > n", 0, "'1 / 0' cannot be computed", "it divides by 0, or the result is too large"),
            ("t like t", 7, "a pattern is a text in single quotes", ""),
            ("matches(t, t)", 11, "a pattern is a text in single quotes", ""),
            ("matches(t, 'ab[0-9')", 14, "the class is never closed (character 3 of 'ab[0-9')", ""),
            ("matches(t, 'it''s[')", 11, "the class is never closed (character 5 of 'it's[')", ""),
            ("matches(n, '^1') and f", 8, "'text' of matches is text, and this is an integer", "write to_text(n)"),
            ("matches(t)", 0, "matches takes 2 values, and here are 1", "it is called as matches(text, pattern)"),
            ("regexp(t, 'a')", 0, "there is no function 'regexp'", "did you mean 'matches'?"),
            ("t like 'a' escape 'xy'", 18, "an escape is a text of one character", ""),
            (
                "case when n > 1 then 1 else 'a' end > 1", 28, "one case cannot give text with an integer",
                "for text, write to_text(1); 'a' is no number"
            ),
            ("t = \"a\"", 4, "no column named 'a'", "a text stands in single quotes: 'a'; "),
        ]
    )
    func mistake(_ text: String, _ column: Int, _ message: String, _ hint: String) throws {
        let schema = Schema([
            Field("n", .integer), Field("x", .decimal), Field("t", .text), Field("f", .flag), Field("d", .day),
            Field("i", .instant), Field("j", .json),
        ])
        // The place is that in a job's line `where: …`, which begins at column 8.
        let place = SourcePlace(file: "job.yaml", line: 1, column: 8, length: text.unicodeScalars.count)
        let node = OptionNode(.text(text, quoted: false), at: place)
        do {
            _ = try ExpressionText(reading: node).condition(against: schema, context: ExampleRunner.context)
            #expect(column == -1, "\(text) is let pass")
        } catch {
            #expect(error.message == message)
            #expect(error.place?.column == 8 + column, "\(text): \(error.place?.description ?? "no place")")
            if !hint.isEmpty { #expect(error.hint?.hasPrefix(hint) ?? false, "\(error.hint ?? "no hint")") }
        }
    }

    @Test("what is nested or chained without end is refused, and never overflows the stack")
    func depth() {
        let shapes = [
            String(repeating: "(", count: 10_000), String(repeating: "not ", count: 8_000),
            String(repeating: "- ", count: 10_000), String(repeating: "abs(", count: 8_000),
            String(repeating: "1 + ", count: 8_000) + "1", String(repeating: "case when ", count: 3_000),
            String(repeating: "1 * ", count: 80) + "1",
        ]
        for shape in shapes { #expect(message(of: shape).contains("levels deep"), "\(shape.prefix(20))") }
        #expect(message(of: String(repeating: "a", count: 40_000)) == "an expression may have 32768 bytes at most")
        #expect(message(of: "") == "the expression is empty")
        #expect(message(of: " \n ") == "the expression is empty")
    }

    @Test("a long chain of conditions or texts is no nesting")
    func chains() throws {
        let conditions = (0..<2_000).map { "1 = \($0)" }.joined(separator: " or ")
        #expect(try ExpressionTrial.value(of: conditions) == "true")
        let texts = Array(repeating: "'ab'", count: 1_000).joined(separator: " || ")
        #expect(try ExpressionTrial.value(of: "length(\(texts))") == "2000")
    }

    private func message(of text: String) -> String {
        do {
            _ = try ExpressionTrial.value(of: text)
            return ""
        } catch { return (error as? DaybookError)?.message ?? "\(error)" }
    }
}
