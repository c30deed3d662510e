import DaybookContracts
import DaybookJSON
import DaybookTestSupport
import Foundation
import Testing

/// What an app's own encoder wrote goes in as JSON, comes out as JSON, and is read by its own decoder.
@Suite struct CodableExportTests {
    /// Rows as `import_json` makes them of a dump, without a job around it.
    static func imported(_ dump: Data, _ options: String = "") throws -> Batch {
        let stage = try ExampleRunner.make(ImportJSON.self, "path: input.json\n" + options)
        let bytes = Bytes(capacity: dump.count)
        dump.withUnsafeBytes { bytes.append($0.assumingMemoryBound(to: UInt8.self)) }
        let source = SourceName(index: 0, path: "input.json")
        let format = try stage.format(of: SourceHead(source: source, bytes: bytes, isWhole: true))
        let reader = stage.reader(of: format, schema: try stage.schema(of: [format]))
        var cutter = format.makeCutter()
        let start = format.dataStart
        let cut = try cutter.cut(UnsafeBufferPointer(rebasing: bytes.filled[start...]), isLast: true)
        let part = Bytes(capacity: cut.length)
        part.append(UnsafeBufferPointer(rebasing: bytes.filled[start..<start + cut.length]))
        withExtendedLifetime(bytes) {}
        var findings = Findings()
        let morsel = Morsel(source: source, bytes: part, offset: start, firstLine: 1, firstRecord: 0)
        let batch = reader.read(morsel, reporting: &findings)
        #expect(findings.isEmpty)
        return batch
    }

    /// The bytes that `export_json` makes of rows, and the findings as `row column code`.
    static func exported(_ rows: Batch, _ options: String) throws -> (Data, [String]) {
        let stage = try ExampleRunner.make(ExportJSON.self, "path: out.json\n" + options)
        _ = try stage.bind(StageInputs(rows.schema))
        let out = MemoryOutput()
        var writer = try stage.writer(in: SinkContext(rows.schema))
        try writer.begin(out)
        var findings = Findings()
        try writer.append(stage.piece(of: rows, from: 0, reporting: &findings), input: 0, to: out)
        try writer.finish(RunSummary(job: "test", asOf: ExampleRunner.context.asOf, ledger: []), out)
        let lines = findings.rejectedRows.map { finding in
            let subject = findings.subjects[findings.index(of: finding.token)]
            return "\(finding.row + 1) \(subject.column ?? "-") \(subject.kind.code)"
        }
        return (Data(out.written.array), lines)
    }

    static func roundTrip<Model: Codable>(_ values: [Model], columns: String = "{}", fields: String) throws -> [Model] {
        let rows = try imported(try JSONEncoder().encode(values), "columns: \(columns)")
        let (json, findings) = try exported(rows, "dates: apple_seconds\nfields: \(fields)")
        #expect(findings == [])
        return try JSONDecoder().decode([Model].self, from: json)
    }

    @Test("models come back equal from JSON to rows to JSON, dates to the last bit")
    func models() throws {
        let ddays = "{ targetDate: date, dday: integer, backgroundColor: text }"
        #expect(try Self.roundTrip(AppModels.ddays, fields: ddays) == AppModels.ddays)
        let emotions = "{ emotionState: text, emotionCount: integer }"
        #expect(try Self.roundTrip(AppModels.emotions, fields: emotions) == AppModels.emotions)
        let todos = "{ id: integer, isDone: flag, detail: text, isToday: flag }"
        #expect(try Self.roundTrip(AppModels.todos, fields: todos) == AppModels.todos)
        let words = "{ text: text, savedDate: date, meaning: text? }"
        #expect(try Self.roundTrip(AppModels.words, fields: words) == AppModels.words)
        let locations = "{ location: text, savedDate: date, units: text, privacyLocation: flag }"
        #expect(try Self.roundTrip(AppModels.locations, fields: locations) == AppModels.locations)
    }

    /// A model with a map that may be empty, an object whose parts may all lack, and keys with dots in them.
    struct Settings: Codable, Equatable {
        struct Place: Codable, Equatable {
            var name: String?
            var geoHash: String?
            enum CodingKeys: String, CodingKey {
                case name
                case geoHash = "geo.hash"
            }
        }
        var id: Int
        var counts: [String: Int]
        var place: Place?
        var appVersion: String
        enum CodingKeys: String, CodingKey {
            case id, counts, place
            case appVersion = "app.version"
        }
    }

    @Test("empty objects and keys with dots come back as they came")
    func emptyObjectsAndDots() throws {
        let settings = [
            Settings(id: 1, counts: ["a": 1], place: .init(name: "x", geoHash: "wydm"), appVersion: "1.0"),
            Settings(id: 2, counts: [:], place: .init(), appVersion: "1.1"),
            Settings(id: 3, counts: ["b.c": 2, "a": 0], place: nil, appVersion: "1.2"),
        ]
        let dump = try JSONEncoder().encode(settings)
        let rows = try Self.imported(dump)
        for options in [
            "nest: true\nmissing: leave_out", "fields: { id: integer, counts: json, place: json?, app.version: text }",
        ] {
            let (json, findings) = try Self.exported(rows, options)
            #expect(findings == [])
            #expect(try JSONDecoder().decode([Settings].self, from: json) == settings, "\(options)")
        }
        let stored = try DefaultsExportTests.propertyList(try DefaultsExportTests.exported(rows, "key: k"))
        let data = try #require(stored["k"] as? Data)
        #expect(try JSONDecoder().decode([Settings].self, from: data) == settings)
        // The same after the rows were on disk, and in another order of columns.
        let bytes = Bytes()
        rows.write(to: bytes)
        var reader = ByteReader(bytes.filled)
        let back = try Batch(reading: &reader)
        withExtendedLifetime(bytes) {}
        #expect(back.schema.fields == rows.schema.fields)
    }

    @Test("text that is JSON fills a field of any kind as JSON")
    func textAsJSON() throws {
        struct Entry: Codable, Equatable {
            var id: Int
            var extra: [String: [Int]]
        }
        let rows = try BatchText.read(
            "id:integer,extra:text\n1,\"{\"\"a\"\": [1, 2]}\"\n2,{}\n3,none\n4,\"{\"\"a\"\":\""
        )
        let (json, findings) = try Self.exported(rows, "fields: { id: integer, extra: json }")
        #expect(findings == ["3 extra not-json", "4 extra not-json"])
        #expect(
            try JSONDecoder().decode([Entry].self, from: json) == [
                Entry(id: 1, extra: ["a": [1, 2]]), Entry(id: 2, extra: [:]),
            ]
        )
    }

    @Test("an optional that no value has is declared where it is imported, and an empty list stays one")
    func nothingThere() throws {
        let words = AppModels.dates.map { AppModels.Word(text: "a", savedDate: $0, meaning: nil) }
        let fields = "{ text: text, savedDate: date, meaning: text? }"
        #expect(throws: DaybookError.self) { try Self.roundTrip(words, fields: fields) }
        let declared = try Self.roundTrip(words, columns: "{ meaning: text }", fields: fields)
        #expect(declared == words)
        #expect(try Self.roundTrip([AppModels.Word](), fields: fields) == [])
        let rows = try Self.imported(Data("[{\"note\":null,\"text\":\"a\"}]".utf8))
        let (json, _) = try Self.exported(rows, "fields: { text: text, note: text? }")
        #expect(String(decoding: json, as: UTF8.self) == "[\n{\"text\":\"a\"}\n]\n")
    }

    @Test("random dates come back to the last bit, whatever the encoding")
    func randomDates() throws {
        var random = SeededGenerator(seed: 1)
        let dates = (0..<2_000).map { _ in
            Date(timeIntervalSinceReferenceDate: Double.random(in: -1e10...1e10, using: &random))
        }
        struct Entry: Codable, Equatable { var at: Date }
        let entries = dates.map(Entry.init)
        let encodings: [(String, JSONEncoder.DateEncodingStrategy, JSONDecoder.DateDecodingStrategy)] = [
            ("apple_seconds", .deferredToDate, .deferredToDate),
            ("epoch_seconds", .secondsSince1970, .secondsSince1970),
            ("epoch_millis", .millisecondsSince1970, .millisecondsSince1970),
        ]
        for (name, encoding, decoding) in encodings {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = encoding
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = decoding
            let dump = try encoder.encode(entries)
            let expected = try decoder.decode([Entry].self, from: dump)
            let (json, findings) = try Self.exported(try Self.imported(dump), "dates: \(name)\nfields: { at: date }")
            #expect(findings == [])
            #expect(try decoder.decode([Entry].self, from: json) == expected, "\(name)")
        }
    }

    @Test("a web service's answer is written back whole")
    func weather() throws {
        struct Answer: Codable, Equatable {
            var weather: AppModels.Weather
            var unread: [String: [Int]]
        }
        let answer = Answer(weather: AppModels.weather, unread: ["a": [1, 2]])
        let rows = try Self.imported(try JSONEncoder().encode(answer))
        let (json, _) = try Self.exported(rows, "layout: object\nnest: true")
        #expect(try JSONDecoder().decode(Answer.self, from: json) == answer)
        let declared = """
            layout: object
            nest: true
            pretty: true
            fields:
              name: { from: weather.name, kind: text }
              main.temp: { from: weather.main.temp, kind: decimal }
              main.temp_max: { from: weather.main.temp_max, kind: decimal }
              main.temp_min: { from: weather.main.temp_min, kind: decimal }
              main.feels_like: { from: weather.main.feels_like, kind: decimal }
              main.humidity: { from: weather.main.humidity, kind: integer }
              main.pressure: { from: weather.main.pressure, kind: integer }
              wind.speed: { from: weather.wind.speed, kind: decimal }
              wind.gust: { from: weather.wind.gust, kind: decimal? }
              weather: { from: weather.weather, kind: json }
              rain.hour: { from: weather.rain.hour, kind: decimal? }
            """
        let optional = "columns: { weather.wind.gust: decimal, weather.rain.hour: decimal }"
        let (picked, _) = try Self.exported(try Self.imported(try JSONEncoder().encode(answer), optional), declared)
        #expect(try JSONDecoder().decode(AppModels.Weather.self, from: picked) == answer.weather)
        // An object whose every member is left out is left out itself.
        #expect(!String(decoding: picked, as: UTF8.self).contains("rain"))
    }

    @Test("an object needs one row")
    func oneRow() throws {
        let rows = try BatchText.read("a:integer\n1\n2")
        #expect(throws: DaybookError.self) { try Self.exported(rows, "layout: object") }
        #expect(throws: DaybookError.self) { try Self.exported(rows.keeping([]), "layout: object") }
        let (one, _) = try Self.exported(rows.keeping([1]), "layout: object")
        #expect(String(decoding: one, as: UTF8.self) == "{\"a\":2}\n")
    }

    @Test("instants and days are written with all their digits")
    func digits() throws {
        let rows = try BatchText.read(
            """
            at:instant,day:day
            2001-01-01T00:00:00Z,2026-03-01
            2000-12-31T23:59:59.999999Z,1969-12-31
            2001-01-01T00:00:00.100001Z,2026-10-25
            1969-12-31T23:59:59.5Z,0001-01-01
            """
        )
        for (name, factor, reference) in [
            ("apple_seconds", 1.0, 978_307_200.0), ("epoch_seconds", 1, 0), ("epoch_millis", 1_000, 0),
        ] {
            struct Row: Decodable { var at: Double, day: Double }
            let (json, findings) = try Self.exported(rows, "dates: \(name)")
            #expect(findings == [])
            let decoded = try JSONDecoder().decode([Row].self, from: json)
            let (instants, days) = (rows.instants(in: ColumnName("at")), rows.days(in: ColumnName("day")))
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = TimeZone(identifier: "Asia/Seoul")!
            for (row, value) in decoded.enumerated() {
                let seconds = Double(instants.elements[row]) / 1e6 - reference
                #expect(abs(value.at - seconds * factor) < 1e-3, "\(name) \(row)")
                // The calendar of Foundation turns to Julian days in 1582; only later days agree.
                guard days.elements[row] > -100_000 else { continue }
                let noon = Date(timeIntervalSince1970: Double(days.elements[row]) * 86_400 + 3 * 3_600)
                let start = calendar.startOfDay(for: noon).timeIntervalSince1970
                #expect(value.day == (start - reference) * factor, "\(name) \(row)")
            }
        }
        let (json, _) = try Self.exported(rows, "dates: apple_seconds\nlayout: lines\nfields: { at: date }")
        let lines = String(decoding: json, as: UTF8.self)
        #expect(lines == "{\"at\":0}\n{\"at\":-0.000001}\n{\"at\":0.100001}\n{\"at\":-978307200.5}\n")
    }
}
