# A formula of Homebrew that builds Daybook from source: brew install --build-from-source ./packaging/daybook.rb
#
# Untried so far, like Daybook on macOS; 'OWNER' and the digest are filled in when a release is published.
class Daybook < Formula
  desc "Batch data processor in which every row is accounted for"
  homepage "https://github.com/OWNER/daybook"
  url "https://github.com/OWNER/daybook/archive/refs/tags/v0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"
  head "https://github.com/OWNER/daybook.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on "python@3.13" => :build
  depends_on xcode: ["16.3", :build]
  depends_on "isa-l"
  depends_on "libyaml"
  depends_on "openssl@3"
  depends_on "sqlite"
  depends_on "xxhash"
  depends_on "zstd"

  on_linux do
    depends_on "swift" => [:build, :test]
  end

  def install
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "daybook"
    bin.install ".build/release/daybook"
    system "python3", "packaging/make-manuals", "--daybook", bin/"daybook", "--day", time.strftime("%Y-%m-%d"), "--out", buildpath/"man"
    man1.install Dir["man/man1/*"]
    man5.install Dir["man/man5/*"]
    generate_completions_from_executable(bin/"daybook", "--generate-completion-script", shell_parameter_format: :none)
    pkgshare.install "pipelines", "samples"
  end

  test do
    cp_r [pkgshare/"pipelines", pkgshare/"samples"], testpath
    system bin/"daybook", "run", "pipelines/nightly-report.yaml", "--as-of", "2026-11-21"
    assert_path_exists testpath/"out/nightly-report.html"
  end
end
