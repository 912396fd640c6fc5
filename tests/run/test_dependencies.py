#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `./run` keeps in .deps, what it takes from KINDRED_DOWNLOADS, and how it ends and recovers where something is missing or broken."""
import os
import shutil
import subprocess
import unittest

from machine import ARCHIVE, CONFIGURED, Machine


class Kokkos(Machine):
    def built(self):
        """The number of builds of Kokkos since the last time."""
        return sum(CONFIGURED in line for line in self.log())

    def test_is_built_once_and_keeps_both_sources(self):
        self.run_command("demo")
        self.assertEqual(self.built(), 1)
        sources = self.root / ".deps/sources"
        self.assertTrue((sources / "kokkos/CMakeLists.txt").exists() and (sources / "kokkos-kernels/CMakeLists.txt").exists())
        self.assertFalse((sources / "json").exists())
        self.run_command("demo")
        self.assertEqual(self.built(), 0)

    def test_is_built_again_for_another_compiler_or_other_flags(self):
        self.program(self.fakes / "g++-42", 'echo "g++ 42.1"')
        self.run_command("build", CXX="g++-42")
        self.program(self.fakes / "g++-42", 'echo "g++ 42.2"')
        self.run_command("build", CXX="g++-42")
        self.run_command("build", CXX="g++-42", CXXFLAGS="-O3")
        self.assertEqual(self.built(), 3)
        self.assertEqual(len(self.builds()), 3)

    def test_half_built_ones_are_built_again(self):
        self.run_command("demo")
        prefix = self.root / ".deps" / self.builds()[0]
        for broken in (prefix, self.root / ".deps/sources"):
            (broken / ".complete").unlink()
        shutil.rmtree(self.root / ".deps/sources/kokkos")
        (prefix / "stale").touch()
        self.log()
        self.run_command("demo")
        self.assertEqual(self.built(), 1)
        self.assertFalse((prefix / "stale").exists())
        self.assertTrue((self.root / ".deps/sources/kokkos/CMakeLists.txt").exists())

    def test_a_failed_build_is_reported_and_the_next_run_recovers(self):
        self.fails("demo", FAKE_CMAKE="--build", saying=("error: of the compiler", "could not be built; the whole log is"))
        self.assertEqual(self.builds(), [])
        self.assertIn("release: ", self.run_command("demo").stdout)
        self.fails("build", "debug", FAKE_CMAKE="--preset", saying="could not be configured")
        self.run_command("build", "debug")

    def test_two_runs_at_once_build_it_once(self):
        runs = [subprocess.Popen([str(self.root / "run"), "demo"], cwd=self.root, env=self.environment({"FAKE_SLEEP": "0.2"}), text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
        results = [run.communicate(timeout=60) for run in runs]
        self.assertEqual([run.returncode for run in runs], [0] * 3, results)
        self.assertEqual(self.built(), 1)
        self.assertTrue(any("waiting for another ./run" in error for _, error in results))

    def test_one_of_the_user(self):
        root = str(self.folder / "kokkos")
        self.fails("demo", Kokkos_ROOT=root, saying=("holds no Kokkos (lib/cmake/Kokkos/KokkosConfig.cmake)", "or unset it, and ./run builds one"))
        self.kokkos_of_the_user("4.5.1")
        self.fails("demo", Kokkos_ROOT=root, saying="holds Kokkos 4.5.1; Kindred needs 4.6 or newer")
        config = self.kokkos_of_the_user("4.6.0")
        self.log()
        self.run_command("demo", Kokkos_ROOT=root)
        self.assertTrue(any(f"-DKokkos_DIR={config}" in line for line in self.log()))
        self.assertEqual(self.builds(), [])

    def test_a_wrong_hash(self):
        self.fails("demo", FAKE_PIP="hash", saying=("has another SHA-256", "Nothing of it was used"))
        right = (self.downloads / ARCHIVE).read_bytes()
        (self.downloads / ARCHIVE).write_bytes(right[:-10])
        self.fails("demo", KINDRED_DOWNLOADS=str(self.downloads), saying=(f"{ARCHIVE} is damaged or another file", "Nothing of it was used"))
        self.assertFalse((self.root / ".deps/sources").exists())
        (self.downloads / ARCHIVE).write_bytes(right)
        self.run_command("demo", KINDRED_DOWNLOADS=str(self.downloads))

    def test_no_network(self):
        self.fails("demo", FAKE_PIP="network", saying=("versions: none", "./run download FOLDER", "set KINDRED_DOWNLOADS=FOLDER"))
        self.run_command("demo")
        self.program(self.fakes / "apt-get", "echo 'E: Temporary failure resolving' >&2; exit 100")
        self.program(self.fakes / "sudo", '[[ $1 != -n ]] || shift; "$@"')
        self.fails("demo", FAKE_MISSING="zlib1g-dev", saying=("E: Temporary failure", "Debian packages could not be installed", "set KINDRED_DOWNLOADS=FOLDER"))


class Commands(Machine):
    def test_keep_what_another_command_configured(self):
        self.tests_pass()
        self.run_command("test")
        self.log()
        self.run_command("demo")
        self.assertFalse(any("--preset release --log-level" in line for line in self.log()))
        self.run_command("install", str(self.folder / "prefix"))  # of which the tests are no part
        self.assertTrue(any("--preset release --log-level" in line and "-DKindred_ENABLE_TESTS=OFF" in line for line in self.log()))

    def test_say_where_they_cannot_write(self):
        self.folder.chmod(0o755)
        self.root.chmod(0o555)
        self.addCleanup(self.root.chmod, 0o755)
        prefix = () if os.geteuid() != 0 else ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        self.fails("demo", prefix=prefix, saying=("cannot write to", "Copy the repository to a folder that you may write to"))

    def test_go_on_with_a_home_that_cannot_be_written(self):
        done = self.run_command("demo", HOME="/proc/none")
        self.assertIn("cannot write to /proc/none/.cache: this command keeps its caches in", done.stderr)
        self.assertIn(f"cache={self.root}/.deps/cache", done.stdout)

    def test_say_that_the_device_is_full(self):
        self.fails("demo", FAKE_CMAKE="--build", FAKE_ERROR="c++: fatal: No space left on device", saying=("no space is left on the device of", "2 GB"))
        self.run_command("demo")

    def test_say_that_a_real_device_is_full(self):
        self.sources({"kokkos/large": os.urandom(4_000_000)})
        script = f"""
          set -e
          mount -t tmpfs -o size=2m none "{self.root}"
          cp -a {self.folder}/copy/. "{self.root}"
          "{self.root}/run" demo 2>&1 && exit 1
          mount -o remount,size=40m "{self.root}"
          "{self.root}/run" demo 2>&1"""
        shutil.copytree(self.root, self.folder / "copy")
        unshare = ["unshare", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",))]
        if subprocess.run([*unshare, "mount", "-t", "tmpfs", "none", str(self.root)], capture_output=True, check=False).returncode != 0:
            self.skipTest("this machine allows no mount")
        done = subprocess.run([*unshare, "bash", "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False,
                              env=self.environment({"KINDRED_DOWNLOADS": str(self.downloads)}))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("no space is left on the device of", done.stdout)
        self.assertIn("release: ", done.stdout)


class Downloads(Machine):
    def setUp(self):
        super().setUp()
        self.settings = {"KINDRED_DOWNLOADS": str(self.downloads)}

    def package(self, name, needs=""):
        """A Debian package with one library, which is not installed."""
        (self.fakes / f"not-installed-{name}").touch()
        content = self.folder / "content"
        (content / "DEBIAN").mkdir(parents=True)
        (content / "usr/lib/here").mkdir(parents=True)
        (content / f"usr/lib/here/{name}.so.1").touch()
        (content / "DEBIAN/control").write_text(f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: no one\nDescription: none\n"
                                                + (f"Depends: {needs}\n" if needs else ""))
        subprocess.run(["dpkg-deb", "--build", "-Znone", str(content), str(self.downloads / f"{name}_1_all.deb")], check=True, capture_output=True)
        shutil.rmtree(content)

    @unittest.skipUnless(shutil.which("dpkg-deb"), "needs dpkg-deb")
    def test_are_unpacked_where_they_cannot_be_installed(self):
        self.package("libzstd-dev", "libneeded1 (>= 1), libc6 | libother")
        self.package("libneeded1")
        self.package("libc6")
        self.package("libnotneeded1")
        (self.fakes / "not-installed-cmake").touch()  # as a package: there is the program
        done = self.run_command("demo", **self.settings)
        here = self.root / ".deps/packages/usr/lib/here"
        self.assertEqual(sorted(path.name for path in here.iterdir()), ["libneeded1.so.1", "libzstd-dev.so.1"])
        self.assertIn(f"libraries={here}", done.stdout)
        self.assertFalse(any(line.startswith(("apt-get", "python")) for line in self.log()))
        self.assertNotIn("unpacking", self.run_command("demo", **self.settings).stderr)

    def test_name_what_they_lack(self):
        self.fails("demo", FAKE_MISSING="libdnnl-dev zlib1g-dev", saying="lacks the packages zlib1g-dev libdnnl-dev", **self.settings)
        self.fails("demo", FAKE_MISSING="ninja-build", saying="which only root can install: ninja-build", PATH=self.path_without("ninja"), **self.settings)
        (self.downloads / ARCHIVE).unlink()
        self.fails("demo", saying=(f"{ARCHIVE} does not exist", "./run download FOLDER"), **self.settings)
        self.fails("demo", KINDRED_DOWNLOADS="/nowhere", saying="KINDRED_DOWNLOADS=/nowhere is not a folder")

    def path_without(self, program):
        """A folder with links to the system's programs but one."""
        folder = self.folder / "programs"
        folder.mkdir()
        for source in ("/usr/bin", "/bin"):
            for path in os.listdir(source):
                if path != program and not (folder / path).exists() and not (folder / path).is_symlink():
                    (folder / path).symlink_to(f"{source}/{path}")
        return f"{self.fakes}:{folder}"

    @unittest.skipUnless(shutil.which("dpkg-deb"), "needs dpkg-deb")
    def test_are_installed_by_root_on_debian_12(self):
        self.system("debian", "12")
        self.program(self.fakes / "sudo", '[[ $1 != -n ]] || shift; "$@"')
        self.package("libzstd-dev", "libneeded1")
        self.package("libneeded1")
        self.run_command("demo", "-y", **self.settings)
        install = self.logged("apt-get")
        self.assertIn("install -y --no-install-recommends -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=/dev/null /", install)
        for name in ("libzstd-dev", "libneeded1"):
            self.assertIn(str(self.downloads / f"{name}_1_all.deb"), install)
        self.assertFalse((self.root / ".deps/packages").exists())

    def test_serve_python_packages(self):
        self.tests_pass()
        self.run_command("test", **self.settings)
        self.assertIn(f"--no-index --find-links {self.downloads}", self.logged("pip install"))
        self.run_command("test", **self.settings)
        self.assertFalse(any("pip install" in line for line in self.log()))

    def test_are_fetched_by_a_command(self):
        (self.downloads / ARCHIVE).write_bytes(b"of an interrupted download")
        self.run_command("download", str(self.downloads))
        self.assertEqual((self.downloads / ARCHIVE).read_bytes(), (self.fakes / "archive.tar.gz").read_bytes())
        log = self.log()
        self.assertTrue(any("pip wheel -q" in line and f"-w {self.downloads}" in line for line in log))
        self.run_command("download", str(self.downloads))
        self.assertFalse(any("kokkos-source-package" in line for line in self.log()))

    def test_of_debian_are_what_a_new_system_lacks(self):
        self.system("debian", "12")
        self.program(self.fakes / "apt-get", r"""
          case " $* " in
            *" download "*) touch ${@:2}; printf '%s\n' "${@:2}" >>"$FAKES/log" ;;
            *" zlib1g-dev "*) printf 'Inst %s (1)\n' libc6 zlib1g zlib1g-dev ;;
            *) echo 'Inst libc6 (1)' ;;
          esac""")
        self.run_command("download", "packages")
        self.assertEqual(self.log()[-2:], ["zlib1g", "zlib1g-dev"])
        self.assertTrue((self.root / "packages/zlib1g").exists())


if __name__ == "__main__":
    unittest.main()
