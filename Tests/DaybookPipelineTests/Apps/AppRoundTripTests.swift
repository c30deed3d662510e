import DaybookTestSupport
import Foundation
import Testing

/// Each app's dump goes through its pipeline, and what is written back decodes to the records that were encoded, but for the
/// corrections that are stated here.
@Suite struct AppRoundTripTests {
    @Test func todosComeBackWithIdsOfTheirOwn() throws {
        let run = try AppRun("todo-list")
        var todos = AppRecords.todos
        // The second with number 6 is the first to the letter, so one of them is enough.
        let repeated = try #require(todos.lastIndex { $0.id == 6 })
        todos.remove(at: repeated)
        // The others that come again are todos of their own, and 8 is the largest number in use.
        var taken: Set<Int> = []
        var next = 9
        for index in todos.indices where !taken.insert(todos[index].id).inserted {
            todos[index].id = next
            next += 1
        }
        #expect(next == 12)
        #expect(try run.records("todos.json") == todos)
        #expect(run.warnings("duplicate-row") == 1)
        #expect(run.warnings("key-renumbered") == 3)
        #expect(Set(todos.map(\.id)).count == todos.count)
    }

    @Test func monthsAndMarksComeBackOnDaysThatExist() throws {
        let run = try AppRun("mj-calendar")
        let months = AppRecords.months.map { month in
            var month = month
            month.day = min(month.day, month.lastDay)
            return month
        }
        #expect(try run.records("months.json") == months)
        let lengths = [2: 28, 4: 30]
        let marks = AppRecords.marks.map { mark in
            var mark = mark
            mark.day = min(mark.day, lengths[mark.month] ?? 31)
            return mark
        }
        #expect(try run.records("marks.json") == marks)
        #expect(run.warnings("impossible-date-clamped") == 5)
    }
}
