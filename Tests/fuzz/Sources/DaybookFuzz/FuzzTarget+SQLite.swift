import DaybookContracts
import Foundation

@testable import DaybookApple
@testable import DaybookSQLite
@testable import DaybookTestSupport

/// Databases, with a write-ahead log behind them where its magic number stands at the beginning of a page.
extension FuzzTarget {
    static let sqlite = FuzzTarget("sqlite") { bytes in
        let log = stride(from: 512, to: bytes.count - 4, by: 512).first { place in
            bytes[place] == 0x37 && bytes[place + 1] == 0x7F && bytes[place + 2] == 0x06
                && bytes[place + 3] & 0xFE == 0x82
        }
        let directory = try TemporaryDirectory()
        let url = try directory.write(Data(bytes[..<(log ?? bytes.count)]), to: "store.sqlite")
        if let log { try directory.write(Data(bytes[log...]), to: "store.sqlite-wal") }
        for stage in tables { try readStore(url, stage) }
        for stage in entities { try readStore(url, stage) }
    }

    private static let tables = stages(
        ImportSqlite.self,
        ["table: t", "query: SELECT a, count(*) AS n FROM t GROUP BY a"]
    )
    private static let entities = stages(
        ImportCoreData.self,
        ["entity: Word\nkey_column: key\nentity_column: kind"]
    )

    private static func readStore<S: StoreSource>(_ url: URL, _ stage: S) throws {
        do {
            let store = try stage.open(try StoreFile(url, companions: S.companions))
            let schema = try stage.schemaWithFile(of: [store])
            let rows = try stage.rowsWithFile(of: store, schema: schema)
            var drawn = 0
            while drawn < 10_000 {
                var findings = Findings()
                guard let batch = try rows.next(4_096, reporting: &findings) else { break }
                try promise(
                    findings.recordsSeen == batch.count,
                    "\(findings.recordsSeen) rows seen, \(batch.count) came"
                )
                try promise(findings.misplaced(in: batch.count).isEmpty, "a finding points outside its batch")
                drawn += batch.count
            }
        } catch is DaybookError {}
    }
}
