/// The version of Daybook: the one place where it is written.
public enum DaybookVersion {
    public static let text = "0.1.0"
}
