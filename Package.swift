// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors in .ci/run, but not for whoever builds with a later compiler than it.
let isStrict = Context.environment["DAYBOOK_STRICT"] != nil
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
    name: "Daybook",
    products: [
        .executable(name: "daybook", targets: ["DaybookMain"]),
        .library(name: "DaybookContracts", targets: ["DaybookContracts"]),
        .library(name: "DaybookStandard", targets: ["DaybookStandard", "DaybookQuality"]),
        .library(name: "DaybookCLI", targets: ["DaybookCLI"]),
        .library(name: "DaybookTestSupport", targets: ["DaybookTestSupport"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        .target(name: "CScan"),
        .systemLibrary(name: "CFiles"),
        .systemLibrary(name: "CSpawn"),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CISAL", pkgConfig: "libisal", providers: [.apt(["libisal-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // Only its types: no link, so no pkgConfig.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CXXHash", providers: [.apt(["libxxhash-dev"])]),
        .target(
            name: "DaybookValues",
            dependencies: ["CScan", "CCrypto", "CFiles", "CXXHash"],
            swiftSettings: settings
        ),
        .target(name: "DaybookContracts", dependencies: ["DaybookValues"], swiftSettings: settings),
        .target(name: "DaybookDates", dependencies: ["DaybookContracts"], swiftSettings: settings),
        .target(name: "DaybookExpressions", dependencies: ["DaybookDates"], swiftSettings: settings),
        .target(
            name: "DaybookBytes",
            dependencies: ["DaybookContracts", "CFiles", "CISAL", "CSQLite", "CYAML", "CZstd"],
            swiftSettings: settings
        ),
        .target(name: "DaybookPages", dependencies: ["DaybookContracts"], swiftSettings: settings),
        .target(
            name: "DaybookTables",
            dependencies: ["DaybookContracts", "CScan", "CXXHash"],
            swiftSettings: settings
        ),
        .target(name: "DaybookDelimited", dependencies: ["DaybookDates", "CScan"], swiftSettings: settings),
        .target(name: "DaybookJSON", dependencies: ["DaybookBytes", "DaybookDates", "CScan"], swiftSettings: settings),
        .target(
            name: "DaybookSQLite",
            dependencies: ["DaybookBytes", "DaybookDates", "CSQLite"],
            swiftSettings: settings
        ),
        .target(name: "DaybookApple", dependencies: ["DaybookJSON", "DaybookSQLite"], swiftSettings: settings),
        .target(name: "DaybookCalendars", dependencies: ["DaybookExpressions"], swiftSettings: settings),
        .target(
            name: "DaybookStages",
            dependencies: ["DaybookExpressions", "DaybookJSON", "DaybookPages", "DaybookTables"],
            swiftSettings: settings
        ),
        .target(
            name: "DaybookQuality",
            dependencies: ["DaybookBytes", "DaybookExpressions", "DaybookTables"],
            swiftSettings: settings
        ),
        .target(name: "DaybookJob", dependencies: ["DaybookBytes", "DaybookDates"], swiftSettings: settings),
        .target(
            name: "DaybookEngine",
            dependencies: ["DaybookJob", "CFiles", "CScan"],
            swiftSettings: settings
        ),
        .target(name: "DaybookReports", dependencies: ["DaybookEngine", "DaybookPages"], swiftSettings: settings),
        .target(
            name: "DaybookHistory",
            dependencies: ["DaybookDelimited", "DaybookReports", "CSQLite"],
            swiftSettings: settings
        ),
        .target(
            name: "DaybookNotify",
            dependencies: ["DaybookReports", "CCurl", "CCrypto", "CSpawn"],
            swiftSettings: settings
        ),
        .target(
            name: "DaybookDiscover",
            dependencies: ["DaybookQuality", "DaybookReports", "CScan"],
            swiftSettings: settings
        ),
        .target(
            name: "DaybookJobTools",
            dependencies: ["DaybookDelimited", "DaybookDiscover"],
            swiftSettings: settings
        ),
        .target(
            name: "DaybookStandard",
            dependencies: [
                "DaybookApple", "DaybookCalendars", "DaybookDelimited", "DaybookPages", "DaybookQuality",
                "DaybookStages",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "DaybookCLI",
            dependencies: [
                "DaybookApple", "DaybookStandard", "DaybookHistory", "DaybookJSON", "DaybookNotify",
                "DaybookJobTools",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(name: "DaybookMain", dependencies: ["DaybookCLI"], swiftSettings: settings),
        .target(
            name: "DaybookTestSupport",
            dependencies: ["DaybookBytes", "CScan", "CSQLite"],
            path: "Tests/DaybookTestSupport",
            exclude: ["Sheets"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookValuesTests",
            dependencies: ["CScan", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(name: "DaybookContractsTests", dependencies: ["DaybookTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "DaybookDatesTests",
            dependencies: ["DaybookDates", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookExpressionsTests",
            dependencies: ["DaybookExpressions", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookPagesTests",
            dependencies: ["DaybookPages", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookTablesTests",
            dependencies: ["DaybookTables", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookDelimitedTests",
            dependencies: ["DaybookDelimited", "CScan", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookJSONTests",
            dependencies: ["DaybookJSON", "CScan", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookSQLiteTests",
            dependencies: ["DaybookApple", "CSQLite", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookAppleTests",
            dependencies: ["DaybookApple", "DaybookStages", "DaybookTestSupport"],
            exclude: ["CoreData/Stores", "PropertyList/python-lists.py"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookCalendarsTests",
            dependencies: ["DaybookCalendars", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookStagesTests",
            dependencies: ["DaybookStages", "DaybookPages", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookQualityTests",
            dependencies: ["DaybookQuality", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookStandardTests",
            dependencies: ["DaybookStandard", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookEngineTests",
            dependencies: [
                "DaybookStandard", "DaybookHistory", "DaybookJobTools", "DaybookTestSupport", "DaybookMain",
            ],
            exclude: ["Cases", "ForeignFiles/Sheets", "Golden", "Reference/Snapshots", "Reports/Snapshots"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookCLITests",
            // The command itself: these tests run it as a process.
            dependencies: [
                "DaybookCLI",
                "DaybookTestSupport", "DaybookMain",
            ],
            exclude: ["Snapshots", "Faults/faults.c"],
            swiftSettings: settings
        ),
    ]
)

// The thread sanitizer needs a build of its own, and asks one target of tests: .ci/run builds no other for it.
if Context.environment["DAYBOOK_THREADS"] != nil {
    package.targets.removeAll { $0.type == .test && $0.name != "DaybookEngineTests" }
}
