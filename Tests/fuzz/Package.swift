// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

// A package of its own, so that the flags of sanitizers reach no package that depends on Daybook.
let package = Package(
    name: "DaybookFuzz",
    dependencies: [.package(name: "Daybook", path: "../..")],
    targets: [
        .executableTarget(
            name: "DaybookFuzz",
            dependencies: [
                .product(name: "DaybookCLI", package: "Daybook"),
                .product(name: "DaybookContracts", package: "Daybook"),
                .product(name: "DaybookStandard", package: "Daybook"),
                .product(name: "DaybookTestSupport", package: "Daybook"),
            ],
            swiftSettings: settings
        )
    ]
)
