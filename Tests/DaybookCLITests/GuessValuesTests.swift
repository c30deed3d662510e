import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// What `daybook guess` says of columns: codes, dates, days of a spreadsheet, years of another calendar.
@Suite struct GuessValuesTests: GuessingSuite {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    @Test func codesStayText() throws {
        let job = try guess("id,code,version\n1,1E10,1.10\n2,2E05,1.9\n3,3E22,1.1\n")
        #expect(
            job.contains("'code' stays text: as a number, '1E10' (line 2) would not come out as it went in"),
            "\(job)"
        )
        #expect(job.contains("'version' stays text: as a number, '1.10' (line 2) would not"), "\(job)")
        #expect(place.text("out/in.csv") == place.text("in.csv"))
    }

    @Test(arguments: [
        ["1.50", "2.00", "12", "-3.25"], ["1.0", "2.25", "7.5"], ["1e3", "7", "-0.5"], ["1.5E+05", "2E10", "3"],
    ])
    func numbersAreNoCodes(_ values: [String]) throws {
        let job = try guess("id,n\n" + values.enumerated().map { "\($0),\($1)\n" }.joined())
        #expect(job.contains("        n: decimal"), "\(job)")
    }

    @Test func oneCommaAmongWholeNumbersIsNoDecimalComma() throws {
        let rows = (1...60).map { "\($0);\($0 % 9 + 1)\n" }.joined()
        let job = try guess("id;n\n\(rows)61;2,2\n")
        #expect(!job.contains("number_format"), "\(job)")
        #expect(job.contains("'n' stays text: 60 of 61 values are whole numbers, but '2,2' (line 62) is not"), "\(job)")
        let many = try guess("id;n\n\(rows)" + (61...90).map { "\($0);2,\($0)\n" }.joined())
        #expect(many.contains("number_format"), "\(many)")
    }

    @Test(arguments: [
        ("Jan 1 2000", "MMM d yyyy"), ("2026-11-21 오후 5:00", "yyyy-MM-dd a h:mm"),
        ("\"Sat, 21 Nov 2026 05:00:00 GMT\"", "EEE, dd MMM yyyy HH:mm:ss ZZZZ"),
        ("11/21/2026 2:30:00 PM", "M/d/yyyy h:mm:ss a"), ("2026-11-21 05:00:00 UTC", "yyyy-MM-dd HH:mm:ss ZZZZ"),
    ])
    func datesThatPeopleWriteAreRead(_ date: String, _ format: String) throws {
        let job = try guess("id,at\n1,\(date)\n2,\(date)\n")
        #expect(job.contains("normalise_dates") && job.contains(format), "\(job)")
    }

    @Test func daysOfASpreadsheetAreToldOf() throws {
        let job = try guess("Date,v\n45982,1\n45983.5,2\n")
        #expect(job.contains("'Date' may hold days as spreadsheets count them: 2025-11-21 to 2025-11-22"), "\(job)")
        let profile = try command.run("profile", "in.csv")
        #expect(profile.output.contains("may hold days as spreadsheets count them"), "\(profile.output)")
        #expect(try !guess("count,v\n45982,1\n45983.5,2\n").contains("spreadsheets"))
    }

    @Test func yearsOfAnotherCalendarAreToldOf() throws {
        let job = try guess("id,at\n1,2569-11-21\n2,0008-11-21\n3,2026-11-20\n")
        #expect(job.contains("2 dates lie before 1900 or after 2100, such as '2569-11-21' (line 2)"), "\(job)")
        let profile = try command.run("profile", "in.csv")
        #expect(profile.output.contains("2 dates lie before 1900 or after 2100"), "\(profile.output)")
        #expect(try !guess("id,at\n1,2026-11-21\n2,1931-11-21\n3,2026-11-20\n").contains("before 1900"))
    }

    @Test func aColumnThatAPersonMayDeclareIsNotReadByTheFormatOfOthers() throws {
        let job = try guess("name;sum;count\na;1.234,50;1.000\nb;2,25;2.000\nc;3.000,75;3.000\n")
        #expect(job.contains("'columns: { count: decimal }' the other"), "\(job)")
        #expect(job.contains("columns: [sum]"), "\(job)")
    }
}
