// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors in .ci/run, but not for whoever builds with a later compiler than it.
let isStrict = Context.environment["DAYBOOK_STRICT"] != nil
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
    name: "Daybook",
    products: [
        .executable(name: "daybook", targets: ["DaybookMain"]),
        .library(name: "DaybookCore", targets: ["DaybookCore"]),
        .library(name: "DaybookStages", targets: ["DaybookStages"]),
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
        .target(name: "DaybookCore", dependencies: ["CScan", "CCrypto", "CFiles", "CXXHash"], swiftSettings: settings),
        .target(name: "DaybookSQLite", dependencies: ["CSQLite"], swiftSettings: settings),
        .target(
            name: "DaybookFormats",
            dependencies: ["DaybookCore", "DaybookSQLite", "CSQLite", "CYAML", "CISAL", "CZstd", "CScan"],
            swiftSettings: settings
        ),
        .target(name: "DaybookTables", dependencies: ["DaybookCore", "CXXHash", "CScan"], swiftSettings: settings),
        .target(
            name: "DaybookStages",
            dependencies: ["DaybookCore", "DaybookFormats", "DaybookTables", "DaybookSQLite"],
            swiftSettings: settings
        ),
        .target(name: "DaybookFiles", dependencies: ["DaybookCore", "CFiles"], swiftSettings: settings),
        .target(
            name: "DaybookEngine",
            dependencies: ["DaybookCore", "DaybookFiles", "DaybookFormats", "CFiles", "CScan"],
            swiftSettings: settings
        ),
        .target(name: "DaybookReports", dependencies: ["DaybookEngine"], swiftSettings: settings),
        .target(
            name: "DaybookHistory",
            dependencies: ["DaybookReports", "DaybookSQLite", "CSQLite"],
            swiftSettings: settings
        ),
        .target(
            name: "DaybookNotify",
            dependencies: ["DaybookReports", "CCurl", "CCrypto", "CSpawn"],
            swiftSettings: settings
        ),
        .target(
            name: "DaybookWorkbench",
            dependencies: ["DaybookReports", "DaybookTables", "CScan"],
            swiftSettings: settings
        ),
        .target(
            name: "DaybookCLI",
            dependencies: [
                "DaybookStages", "DaybookHistory", "DaybookNotify", "DaybookWorkbench",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(name: "DaybookMain", dependencies: ["DaybookCLI"], swiftSettings: settings),
        .target(
            name: "DaybookTestSupport",
            dependencies: ["DaybookCore", "DaybookEngine", "DaybookWorkbench", "CScan", "CSQLite", "DaybookSQLite"],
            path: "Tests/DaybookTestSupport",
            exclude: ["Sheets"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookCoreTests",
            dependencies: ["DaybookCore", "DaybookTestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookStagesTests",
            dependencies: [
                "DaybookCore", "DaybookFormats", "DaybookTables", "DaybookStages", "DaybookTestSupport", "CScan",
                "CSQLite", "DaybookSQLite",
            ],
            exclude: ["PropertyList/python-lists.py"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookEngineTests",
            dependencies: [
                "DaybookCore", "DaybookFormats", "DaybookTables", "DaybookStages", "DaybookEngine", "DaybookReports",
                "DaybookWorkbench", "DaybookTestSupport", "DaybookMain",
            ],
            exclude: ["Cases", "ForeignFiles/Sheets", "Golden", "Reference/Snapshots", "Reports/Snapshots"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DaybookCLITests",
            // The command itself: these tests run it as a process.
            dependencies: [
                "DaybookCore", "DaybookStages", "DaybookEngine", "DaybookReports", "DaybookWorkbench", "DaybookCLI",
                "DaybookHistory", "DaybookNotify", "DaybookTestSupport", "DaybookMain", "DaybookSQLite",
            ],
            exclude: ["Snapshots", "Faults/faults.c"],
            swiftSettings: settings
        ),
    ]
)
