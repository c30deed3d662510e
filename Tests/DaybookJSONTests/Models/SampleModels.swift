import DaybookTestSupport
import Foundation

// The models of an app: the tests decode with them, and read this file as any file of an app's.

/// A diary as an app may keep it. /* A comment in a comment: /* } */ */
struct SampleDiary: Codable, Equatable {
    /// What a person felt.
    enum Mood: String, Codable, CaseIterable, Hashable {
        case calm, `default`
        case angry = "very angry"
    }

    enum Channel: String, Codable, CaseIterable, CodingKeyRepresentable {
        case mail
        case phone = "tele phone"
    }

    enum Level: Int16, Codable, CaseIterable {
        case low = -2
        case middle, high
        case top = 0x7F
    }

    indirect enum Reminder: Codable, Equatable {
        case never
        case at(Date, note: String?)
        case every(days: Int, from: Date)
        case both(Reminder, Reminder)

        enum CodingKeys: String, CodingKey {
            case at, every, both
            case never = "none"
        }
    }

    final class Place: Codable, Equatable {
        var latitude, longitude: Double
        let name: String?

        init(_ latitude: Double, _ longitude: Double, _ name: String?) {
            (self.latitude, self.longitude, self.name) = (latitude, longitude, name)
        }

        static func == (one: Place, other: Place) -> Bool {
            one.latitude == other.latitude && one.longitude == other.longitude && one.name == other.name
        }
    }

    typealias Days = [Date]

    let id: UUID
    var title: String = "without \("a } \(1 + 1)") title", mood: Mood
    private(set) var days: Days
    var link: URL?
    var price: Decimal
    var count = 0
    var small: UInt8, flag = false
    var ratio: Float?
    var photo: Data
    var level: Swift.Optional<Level>
    var reminder: Reminder? { didSet { count += 1 } }
    var place: Place?
    var byDay: [String: [Int?]]
    var byNumber: [Int: Mood]
    var byMood: [Mood: Date]
    var byIdentity: [UUID: Place]
    var byChannel: [Channel: Int]
    var tags: Set<String>
    var children: [SampleDiary]
    let version = 3
    var secret: String? = nil
    static let shared: [Int] = []
    lazy var cache: [String: Any] = { ["}": 1] }()

    var isLong: Bool { title.count > 10 || days.contains { $0 > .now } }
    var text: String {
        get { title }
        set { title = newValue }
    }

    enum CodingKeys: String, CodingKey {
        case id, title, mood, days, link, price, count, small
        case flag = "is/done"
        case ratio, photo, level, reminder, place, byDay, byNumber, byMood, byIdentity, byChannel, tags, children
        case version
    }

    static func == (one: SampleDiary, other: SampleDiary) -> Bool { one.id == other.id && one.days == other.days }

    subscript(index: Int) -> Date { days[index] }

    func longest<T: Comparable>(_ value: T) -> [T] where T: Sendable { [value] }
}

extension SampleDiary {
    /// A diary of random values.
    static func random(_ random: inout SeededGenerator, depth: Int = 0) -> SampleDiary {
        func chance() -> Bool { Bool.random(using: &random) }
        func date() -> Date {
            Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...900_000_000, using: &random)))
        }
        func text() -> String { ["", "milk", "a\"b\\c/d", "감정 ~1", "line\nline"].randomElement(using: &random)! }
        func uuid() -> UUID {
            UUID(uuidString: "8E544BEB-B83B-4C27-8B65-5BB1358E03" + String(Int.random(in: 10...99, using: &random)))!
        }
        func mood() -> Mood { Mood.allCases.randomElement(using: &random)! }
        func place() -> Place {
            Place(Double.random(in: -90...90, using: &random), 12, chance() ? text() : nil)
        }
        func reminder(_ depth: Int) -> Reminder {
            switch Int.random(in: 0..<(depth < 2 ? 4 : 3), using: &random) {
            case 0: .never
            case 1: .at(date(), note: chance() ? text() : nil)
            case 2: .every(days: Int.random(in: -3...3, using: &random), from: date())
            default: .both(reminder(depth + 1), reminder(depth + 1))
            }
        }
        var diary = SampleDiary(
            id: uuid(),
            title: text(),
            mood: mood(),
            days: [],
            price: 0,
            small: 3,
            photo: Data(),
            level: nil,
            byDay: [:],
            byNumber: [:],
            byMood: [:],
            byIdentity: [:],
            byChannel: [:],
            tags: [],
            children: []
        )
        diary.days = (0..<Int.random(in: 0...3, using: &random)).map { _ in date() }
        if chance() { diary.link = URL(string: "https://example.org/a?b=\(Int.random(in: 0...9, using: &random))") }
        diary.price = Decimal(Int.random(in: -10_000...10_000, using: &random)) / 100
        diary.count = Int.random(in: -1_000_000...1_000_000, using: &random)
        if chance() { diary.ratio = Float.random(in: -1...1, using: &random) }
        diary.photo = Data((0..<Int.random(in: 0...7, using: &random)).map { UInt8($0) })
        if chance() { diary.level = Level.allCases.randomElement(using: &random) }
        if chance() { diary.reminder = reminder(0) }
        if chance() { diary.place = place() }
        if chance() { diary.byDay = ["2026-11-20": [1, nil], text(): []] }
        if chance() { diary.byNumber = [Int.random(in: -5...5, using: &random): mood()] }
        if chance() { diary.byMood = [.calm: date(), .angry: date()] }
        if chance() { diary.byIdentity = [uuid(): place()] }
        if chance() { diary.byChannel = [.mail: 1, .phone: 2] }
        if chance() { diary.tags = [text(), "x"] }
        if depth < 2, chance() { diary.children = [.random(&random, depth: depth + 1)] }
        return diary
    }
}
