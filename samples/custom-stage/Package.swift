// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Wordbook",
    products: [.executable(name: "wordbook", targets: ["WordbookMain"])],
    dependencies: [
        // Outside this repository: .package(url: "…/daybook", from: "0.1.0")
        .package(name: "Daybook", path: "../..")
    ],
    targets: [
        .target(
            name: "WordbookStages",
            dependencies: [
                .product(name: "DaybookCore", package: "Daybook"), .product(name: "DaybookStages", package: "Daybook"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "WordbookMain",
            dependencies: ["WordbookStages", .product(name: "DaybookCLI", package: "Daybook")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WordbookTests",
            dependencies: [
                "WordbookStages", "WordbookMain",
                .product(name: "DaybookCore", package: "Daybook"),
                .product(name: "DaybookTestSupport", package: "Daybook"),
            ],
            swiftSettings: settings
        ),
    ]
)
