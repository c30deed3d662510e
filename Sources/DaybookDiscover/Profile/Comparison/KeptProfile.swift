import DaybookBytes
import DaybookQuality
import Foundation

/// A profile that was kept as JSON and is read again, as far as it is compared with another.
public struct KeptProfile: Sendable {
    struct Table: Sendable, Decodable {
        var file: String
        var part: String?
        var rows: Int
        var columns: [Column]

        var title: String { part.map { "\(file): \($0)" } ?? file }
    }

    struct Column: Sendable, Decodable {
        struct Distinct: Sendable, Decodable {
            var count: Int
            var exact: Bool
        }

        struct Top: Sendable, Decodable {
            var value: String
            var count: Int
        }

        struct Length: Sendable, Decodable {
            var least: Int
            var most: Int
        }

        struct Days: Sendable, Decodable {
            var first: String
            var last: String
        }

        struct Format: Sendable, Decodable {
            var format: String
            var count: Int
        }

        var name: String
        var holds: String
        var count: Int
        var missing: Int
        var distinct: Distinct
        var top: [Top]
        var length: Length?
        var numbers: Numbers?
        var days: Days?
        /// Missing in profiles of older versions, as is the digest of the values.
        var formats: [Format]?
        var digest: String?

        enum CodingKeys: String, CodingKey {
            case name, holds, count, missing, distinct, top, length, numbers, days
            case formats = "date_formats"
            case digest = "values_digest"
        }
    }

    struct Numbers: Sendable, Decodable {
        struct Median: Sendable, Decodable {
            var value: Double
            var exact: Bool
        }

        struct Quantile: Sendable, Decodable {
            var share: Double
            var least: Double
            var most: Double
        }

        var least: Double
        var most: Double
        var mean: Double
        var median: Median
        /// Missing in profiles of older versions.
        var quantiles: [Quantile]?
    }

    private struct Document: Decodable {
        var tables: [Table]
    }

    private struct Head: Decodable {
        var profile: Int
    }

    /// The version of the document that is known.
    static let version = 1
    /// A profile of a thousand columns takes about a megabyte.
    private static let sizeLimit = 64 << 20
    /// No file has more rows, and every number up to it is exact as a double.
    private static let mostRows = 1 << 53

    let tables: [Table]

    /// Reads the profile that `profile --format json` wrote to `path`.
    public init(readingFile path: String) throws(DaybookError) {
        let found: Bytes?
        do { found = try WholeFile.read(FilePath.canonical(path), limit: KeptProfile.sizeLimit) } catch {
            throw .cannotRead(path, error)
        }
        guard let bytes = found else { throw .cannotRead(path, SystemFailure(ENOENT)) }
        defer { withExtendedLifetime(bytes) {} }
        let data = Data(bytes.filled)
        guard let head = try? JSONDecoder().decode(Head.self, from: data) else { throw KeptProfile.isNone(path) }
        guard head.profile == KeptProfile.version else {
            throw .machine(
                "bad-profile",
                "'\(path)' is a profile of version \(head.profile), and version \(KeptProfile.version) is the one that is known",
                hint: "make it again with 'profile --format json', or compare it with the Daybook that wrote it"
            )
        }
        guard let document = try? JSONDecoder().decode(Document.self, from: data),
            document.tables.allSatisfy(KeptProfile.isPossible)
        else { throw KeptProfile.isNone(path) }
        tables = document.tables
    }

    /// A profile that was just made, by way of the document that would be kept of it.
    init(_ tables: [ProfiledTable]) {
        do {
            let data = Data(ProfileJSON.text(of: tables).utf8)
            self.tables = try JSONDecoder().decode(Document.self, from: data).tables
        } catch {
            preconditionFailure("a profile is read as it is written: \(error)")
        }
    }

    private static func isNone(_ path: String) -> DaybookError {
        .machine(
            "bad-profile",
            "'\(path)' is no profile",
            hint: "'profile FILE --format json -o OLD.json' writes one"
        )
    }

    /// Whether its numbers are such that a file may have them.
    private static func isPossible(_ table: Table) -> Bool {
        let counts = 0...mostRows
        return counts.contains(table.rows)
            && table.columns.allSatisfy { column in
                counts.contains(column.count) && (0...table.rows).contains(column.missing)
                    && counts.contains(column.distinct.count) && column.top.allSatisfy { counts.contains($0.count) }
                    && column.length.map { counts.contains($0.least) && counts.contains($0.most) } ?? true
            }
    }
}
