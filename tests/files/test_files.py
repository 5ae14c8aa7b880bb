"""`berm-files` by itself: what it says of files, what it makes of archives, and what it refuses.

Each refusal has a control: Python's tarfile or tar does what the archive asks for.
"""
import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("BERM_BUILD", Path(__file__).resolve().parents[2] / "build"))
PROGRAM = BUILD / "src/files/berm-files"
# A program that hangs is not waited for.
PATIENCE_S = 60


@pytest.fixture(scope="session", autouse=True)
def program():
    if not PROGRAM.exists():
        pytest.exit(f"{PROGRAM} is missing; build it first", returncode=2)


@pytest.fixture
def work(tmp_path):
    """The current directory of berm-files; what stands beside it is out of bounds."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def run(folder, *words, given=b"", environment=None):
    return subprocess.run([str(PROGRAM), *words], cwd=folder, input=given, capture_output=True, timeout=PATIENCE_S,
                          env={**os.environ, **(environment or {})})


def paths(*names):
    return b"".join(os.fsencode(name) + b"\0" for name in names)


def member(name, data=b"", kind=tarfile.REGTYPE, **fields):
    made = tarfile.TarInfo(name)
    made.type = kind
    made.size = len(data)
    for field, value in fields.items():
        setattr(made, field, value)
    return made, data


def archive(*members, format=tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as tar:
        for made, data in members:
            tar.addfile(made, io.BytesIO(data))
    return out.getvalue()


def unpack(folder, given, *words):
    """(exit status, lines)"""
    done = run(folder, "unpack", *words, given=given)
    return done.returncode, done.stdout.decode("ascii").splitlines()


def extract_trusting(given, folder):
    """The control: an unpacker that does all that it is told."""
    trust = {"filter": "fully_trusted"} if hasattr(tarfile, "fully_trusted_filter") else {}
    with tarfile.open(fileobj=io.BytesIO(given)) as tar:
        tar.extractall(folder, **trust)


@pytest.fixture
def control(tmp_path):
    folder = tmp_path / "control"
    folder.mkdir()
    return folder


def below(folder):
    """{path: bytes, or None for a directory}"""
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
            for path in folder.rglob("*") if not path.is_symlink()}


# inspect

def test_hashes_come_before_all_types_and_both_are_right(work):
    (work / "text").write_bytes(b"hello\n")
    (work / "empty").touch()
    (work / "sub").mkdir()
    (work / "sub/picture").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0")
    names = ["text", "empty", "sub/picture"]
    done = run(work, "inspect", given=paths(*names))
    hashes = [f"hash {i} {hashlib.sha256((work / name).read_bytes()).hexdigest()}" for i, name in enumerate(names)]
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0 and lines[:3] == hashes, done
    assert (lines[3], lines[5]) == ("type 0 text/plain", "type 2 image/png")
    assert re.fullmatch("type 1 (inode|application)/x-empty", lines[4]) and len(lines) == 6


def test_a_big_file_is_hashed_whole(work):
    data = os.urandom(3_000_001)
    (work / "big").write_bytes(data)
    assert hashlib.sha256(data).hexdigest().encode() in run(work, "inspect", given=paths("big")).stdout


def test_what_is_no_regular_file_below_is_an_error_and_nothing_hangs(work, tmp_path):
    (tmp_path / "secret").write_text("secret")
    os.mkfifo(work / "fifo")
    (work / "link").symlink_to(tmp_path / "secret")
    (work / "folder-link").symlink_to(tmp_path)
    (work / "directory").mkdir()
    (work / "good").write_text("good")
    names = ["fifo", "link", "folder-link/secret", "directory", "gone", "../secret", str(tmp_path / "secret"), "",
             "good/x", "a" * 300, "good"]
    for name in ("link", "folder-link/secret", "../secret"):  # the control: an ordinary open reads it
        assert (work / name).read_text() == "secret"
    lines = run(work, "inspect", given=paths(*names)).stdout.decode().splitlines()
    assert [line.split()[:2] for line in lines] == (
        [["error", str(i)] for i in range(len(names) - 1)] + [["hash", "10"], ["type", "10"]])


def test_a_null_device_is_not_read(work):
    try:
        os.mknod(work / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("cannot make devices here")
    assert run(work, "inspect", given=paths("zero")).stdout.startswith(b"error 0 ")


def test_rules_for_types_that_a_program_left_are_not_read(work):
    (work / ".magic").write_text("0\tstring\thello\tgreeting\n!:mime\tevil/type\n")
    (work / "text").write_text("hello\n")
    variables = {"HOME": str(work), "MAGIC": str(work / ".magic")}
    control = subprocess.run(["file", "-b", "--mime-type", "text"], cwd=work, capture_output=True, text=True,
                             env={**os.environ, **variables}) if shutil.which("file") else None
    assert control is None or control.stdout == "evil/type\n"
    assert run(work, "inspect", given=paths("text"), environment=variables).stdout.endswith(b"type 0 text/plain\n")


@pytest.mark.parametrize("given", [b"a\0" * 65537, b"a" * 4096 + b"\0", b"a\0b"],
                         ids=["65537-paths", "4096-bytes", "no-nul-at-the-end"])
def test_a_list_out_of_bounds_is_refused(work, given):
    for verb in ("inspect", "pack"):
        done = run(work, verb, given=given)
        assert done.returncode == 1 and done.stdout == b"" and done.stderr.startswith(b"failed "), verb


def test_65536_paths_are_taken(work):
    done = run(work, "inspect", given=b"a\0" * 65536)
    assert done.returncode == 0 and done.stdout.count(b"error ") == 65536


# unpack

GOOD = archive(member("./", kind=tarfile.DIRTYPE, mode=0o755), member("./a/", kind=tarfile.DIRTYPE, mode=0o750),
               member("./a/b", b"bytes", mode=0o640, mtime=1_000_000_000), member("c/d/e", b""))


@pytest.mark.parametrize("squeeze", ["", "gzip", "xz", "bzip2", "zstd"])
def test_a_tar_is_unpacked_plain_and_compressed(work, squeeze):
    in_python = {"": bytes, "gzip": gzip.compress, "xz": lzma.compress, "bzip2": bz2.compress}
    if squeeze in in_python:
        given = in_python[squeeze](GOOD)
    elif shutil.which(squeeze):
        given = subprocess.run([squeeze, "-c"], input=GOOD, capture_output=True, check=True).stdout
    else:
        pytest.skip(f"there is no {squeeze} here")
    assert unpack(work, given) == (0, ["file 5 a/b", "file 0 c/d/e", "done 2 5"])
    assert below(work) == {"a": None, "a/b": b"bytes", "c": None, "c/d": None, "c/d/e": b""}
    status = (work / "a/b").stat()
    assert stat.S_IMODE(status.st_mode) == 0o640 and status.st_mtime == 1_000_000_000


def test_an_absolute_name_is_left_out(work, control, tmp_path):
    target = tmp_path / "absolute"
    given = archive(member(str(target), b"x"), member("after", b"y"))
    extract_trusting(given, control)
    assert target.read_bytes() == b"x"
    target.unlink()
    assert unpack(work, given) == (0, [f"left-out absolute {target}", "file 1 after", "done 1 1"])
    assert not target.exists() and below(work) == {"after": b"y"}


@pytest.mark.parametrize("name", ["../escaped", "a/../../escaped", "./../escaped"])
def test_a_name_with_dotdot_is_left_out_even_where_it_stays_inside(work, control, tmp_path, name):
    given = archive(member(name, b"x"), member("a/../inside", b"z"), member("after", b"y"))
    (control / "a").mkdir()
    extract_trusting(given, control)
    assert (tmp_path / "escaped").read_bytes() == b"x"
    (tmp_path / "escaped").unlink()
    assert unpack(work, given) == (0, [f"left-out dotdot {name}", "left-out dotdot a/../inside", "file 1 after",
                                       "done 1 1"])
    assert not (tmp_path / "escaped").exists() and below(work) == {"after": b"y"}


def test_a_file_through_a_link_of_the_archive_stays_inside(work, control, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    given = archive(member("link", kind=tarfile.SYMTYPE, linkname=str(outside)), member("link/file", b"x"))
    extract_trusting(given, control)
    assert (outside / "file").read_bytes() == b"x"
    (outside / "file").unlink()
    assert unpack(work, given) == (0, ["left-out link link", "file 1 link/file", "done 1 1"])
    assert list(outside.iterdir()) == [] and not (work / "link").is_symlink()
    assert (work / "link/file").read_bytes() == b"x"


def test_a_link_that_was_there_before_is_neither_followed_nor_written_through(work, control, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "victim").write_bytes(b"victim")
    given = archive(member("door/file", b"x"), member("file", b"y"), member("door", kind=tarfile.DIRTYPE))
    for folder in (work, control):
        (folder / "door").symlink_to(outside)
        (folder / "file").symlink_to(tmp_path / "victim")
    extract_trusting(archive(member("door/file", b"x")), control)
    assert (outside / "file").exists()
    (outside / "file").unlink()
    status, lines = unpack(work, given)
    assert status == 0 and lines[:2] == ["left-out link door/file", "file 1 file"], lines
    assert list(outside.iterdir()) == [] and (tmp_path / "victim").read_bytes() == b"victim"
    assert (work / "file").read_bytes() == b"y" and not (work / "file").is_symlink()


def test_a_hard_linked_file_that_was_there_is_replaced_and_not_written_into(work, tmp_path):
    (tmp_path / "victim").write_bytes(b"victim")
    os.link(tmp_path / "victim", work / "file")
    assert unpack(work, archive(member("file", b"new"))) == (0, ["file 3 file", "done 1 3"])
    assert (tmp_path / "victim").read_bytes() == b"victim" and (work / "file").read_bytes() == b"new"


def test_a_hard_link_out_is_left_out(work, control, tmp_path):
    (tmp_path / "passwd").write_bytes(b"root")
    given = archive(member("stolen", kind=tarfile.LNKTYPE, linkname=str(tmp_path / "passwd")),
                    member("also", kind=tarfile.LNKTYPE, linkname="/etc/passwd"))
    subprocess.run(["tar", "-xP", "-C", str(control)], input=given, capture_output=True, check=False)
    assert (control / "stolen").read_bytes() == b"root"
    assert unpack(work, given) == (0, ["left-out link stolen", "left-out link also", "done 0 0"])
    assert below(work) == {}


@pytest.mark.parametrize("kind, word", [(tarfile.CHRTYPE, "device"), (tarfile.BLKTYPE, "device"),
                                        (tarfile.FIFOTYPE, "fifo")], ids=["character", "block", "fifo"])
def test_what_is_no_file_is_left_out(work, control, kind, word):
    given = archive(member("special", kind=kind, devmajor=1, devminor=3))
    try:
        extract_trusting(given, control)
        assert not (control / "special").is_file() and os.path.lexists(control / "special")
    except (PermissionError, tarfile.ExtractError):
        pass  # only root can make a device, so that there is no control for others
    assert unpack(work, given) == (0, [f"left-out {word} special", "done 0 0"])
    assert list(work.iterdir()) == []


def test_set_id_and_sticky_bits_and_owners_are_dropped(work, control):
    given = archive(member("setid", b"x", mode=0o6755, uid=4242, gid=4242),
                    member("sticky", kind=tarfile.DIRTYPE, mode=0o7777, uid=4242))
    extract_trusting(given, control)
    assert (control / "sticky").stat().st_mode & 0o7000 and (control / "setid").stat().st_mode & 0o6000
    assert unpack(work, given)[0] == 0
    for name in ("setid", "sticky"):
        status = (work / name).stat()
        assert status.st_mode & 0o7000 == 0 and status.st_uid == os.geteuid(), name


def test_extended_attributes_and_acls_are_dropped(work):
    attributes = {"SCHILY.xattr.user.mark": "here", "LIBARCHIVE.xattr.user.mark": "aGVyZQ==",
                  "SCHILY.acl.access": "user::rwx,user:4242:rwx,group::r-x,mask::rwx,other::r-x"}
    given = archive(member("file", b"x", pax_headers=attributes, mode=0o644))
    assert unpack(work, given) == (0, ["file 1 file", "done 1 1"])
    assert os.listxattr(work / "file") == []


def test_a_file_over_its_cap_is_left_out_and_the_rest_comes(work):
    given = archive(member("big", b"x" * 11), member("small", b"y" * 10))
    assert unpack(work, given, "--file-bytes", "10") == (0, ["left-out size big", "file 10 small", "done 1 10"])
    assert unpack(work, given, "--file-bytes", "11")[1][-1] == "done 2 21"


def test_the_total_and_the_count_end_everything(work):
    given = archive(*(member(f"f{i}", b"12345") for i in range(5)))
    assert unpack(work, given, "--bytes", "12") == (0, ["file 5 f0", "file 5 f1", "left-out total f2", "done 2 10"])
    assert sorted(below(work)) == ["f0", "f1"]
    assert unpack(work, given, "--files", "3")[1][-2:] == ["left-out count f3", "done 3 15"]
    assert unpack(work, given, "--files", "5", "--bytes", "25")[1][-1] == "done 5 25"


def test_directories_count_too(work):
    given = archive(*(member(f"d{i}", kind=tarfile.DIRTYPE) for i in range(5)))
    assert unpack(work, given, "--files", "3") == (0, ["left-out count d3/", "done 0 0"])
    assert len(list(work.iterdir())) == 3


def test_a_small_archive_cannot_print_without_end(work):
    given = gzip.compress(archive(member("l", kind=tarfile.SYMTYPE, linkname="x"))[:512] * 70_000 + bytes(1024))
    assert len(given) < 200_000
    status, lines = unpack(work, given)
    assert status == 0 and len(lines) == 65_537 and lines[-2:] == ["left-out count l", "done 0 0"]


def test_a_bomb_of_zeros_is_left_out_by_its_size(work):
    given = gzip.compress(archive(member("zeros", bytes(50_000_000)), member("after", b"x")))
    assert len(given) < 100_000
    assert unpack(work, given, "--file-bytes", "1000000") == (0, ["left-out size zeros", "file 1 after", "done 1 1"])


def test_a_name_makes_at_most_64_directories_deep(work):
    fits, deep = "/".join(["d"] * 64), "/".join(["d"] * 65)
    assert unpack(work, archive(member(deep, b"x"))) == (0, [f"left-out depth {deep}", "done 0 0"])
    assert unpack(work, archive(member(fits, b"x")))[1][-1] == "done 1 1"


@pytest.mark.parametrize("cut", [700, 512 + 5, 300], ids=["in-the-contents", "behind-the-header", "in-the-header"])
def test_a_truncated_archive_fails_and_leaves_no_half_file(work, cut):
    given = archive(member("file", b"x" * 5000), format=tarfile.USTAR_FORMAT)[:cut]
    status, lines = unpack(work, given)
    assert status == 1 and lines[-1].startswith("failed "), lines
    assert below(work) == {}


@pytest.mark.parametrize("given", [b"", b"no archive", os.urandom(5000), gzip.compress(GOOD)[:100],
                                   b"PK\3\4" + bytes(100)],
                         ids=["empty", "text", "noise", "half-gzip", "zip"])
def test_what_is_no_tar_fails_in_one_line(work, given):
    status, lines = unpack(work, given)
    assert status == 1 and len(lines) == 1 and re.fullmatch(r"failed [ -~]+", lines[0]), lines


def test_a_file_that_cannot_be_written_whole_fails_and_is_removed(work):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    given = archive(member("small", b"x"), member("big", b"x" * 300_000))
    done = subprocess.run([str(PROGRAM), "unpack"], cwd=work, input=given, capture_output=True, timeout=PATIENCE_S,
                          preexec_fn=limit, restore_signals=False)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 1 and lines[0] == "file 1 small" and lines[-1].startswith("failed ") and len(lines) == 2
    assert below(work) == {"small": b"x"}


def test_a_damaged_header_fails(work):
    given = bytearray(archive(member("a", b"x"), member("b", b"y"), format=tarfile.USTAR_FORMAT))
    given[1024 + 10] ^= 0xff
    status, lines = unpack(work, bytes(given))
    assert status == 1 and lines[0] == "file 1 a" and lines[-1].startswith("failed ")


NAMES = [b"new\nline", b"invalid\xff\xfe", "umlaut-\u00e4".encode(), "decomposed-a\u0308".encode(), b"100%",
         b"\x1b[31mred", b" space "]


# Without one: libarchive composes the UTF-8 of pax archives; the next test says so.
@pytest.mark.parametrize("name, format", [
    *((name, tarfile.GNU_FORMAT) for name in NAMES),
    *((name, tarfile.PAX_FORMAT) for name in NAMES if not name.startswith(b"decomposed"))], ids=repr)
def test_a_name_stays_as_it_is_and_is_shown_in_printable_ascii(work, name, format):
    given = archive(member(os.fsdecode(name), b"x"), format=format)
    shown = "".join(chr(b) if 0x20 <= b < 0x7f and b != 0x25 else f"%{b:02X}" for b in name)
    assert unpack(work, given) == (0, [f"file 1 {shown}", "done 1 1"])
    assert os.listdir(os.fsencode(work)) == [name]


def test_a_decomposed_name_of_a_pax_archive_is_shown_as_it_then_lies_there(work):
    status, lines = unpack(work, archive(member("a\u0308", b"x")))
    assert (status, lines[-1]) == (0, "done 1 1")
    assert lines[0] in ("file 1 %C3%A4", "file 1 a%CC%88")
    (name,) = os.listdir(os.fsencode(work))
    assert name == ("\u00e4" if lines[0].endswith("%C3%A4") else "a\u0308").encode()


@pytest.mark.parametrize("words", [["--files"], ["--files", "many"], ["--frob", "1"], ["--bytes", "-1"]],
                         ids=" ".join)
def test_an_option_that_cannot_be_meant_is_refused(work, words):
    done = run(work, "unpack", *words, given=GOOD)
    assert done.returncode == 2 and done.stdout == b"" and done.stderr.startswith(b"berm-files: ")
    assert below(work) == {}


# pack

def make_tree(folder):
    (folder / "a").mkdir(mode=0o700)
    (folder / "a/file").write_bytes(b"1" * 20_000)
    (folder / "a-b").write_bytes(b"2")
    (folder / "a-b").chmod(0o4777)
    for i, name in enumerate(NAMES):
        (folder / os.fsdecode(name)).write_bytes(bytes([i]))
    (folder / "empty").mkdir()
    (folder / "private").touch(mode=0o600)
    os.link(folder / "a-b", folder / "twin")


def members_of(given):
    with tarfile.open(fileobj=io.BytesIO(given)) as tar:
        return {made.name: made for made in tar}


def test_a_packed_tree_is_unpacked_to_equal_bytes(work, tmp_path):
    make_tree(work)
    done = run(work, "pack")
    assert done.returncode == 0 and done.stderr == b""
    copy = tmp_path / "copy"
    copy.mkdir()
    status, lines = unpack(copy, done.stdout)
    assert status == 0 and not any(line.startswith("left-out") for line in lines), lines
    assert below(copy) == below(work)
    assert run(copy, "pack").stdout == done.stdout


def test_another_unpacker_reads_the_same_bytes(work, control):
    make_tree(work)
    extract_trusting(run(work, "pack").stdout, control)
    assert below(control) == below(work)


def test_entries_are_nobodys_sorted_and_without_special_bits(work):
    make_tree(work)
    found = members_of(run(work, "pack").stdout)
    assert [os.fsencode(name) for name in found] == sorted(os.fsencode(name) for name in found)
    for made in found.values():
        assert (made.uid, made.gid, made.uname, made.gname) == (0, 0, "", "")
        assert made.isdir() or made.isreg()  # the twin too: no hard link
        assert made.mode in ({0o755} if made.isdir() else {0o644, 0o755})
    assert found["a-b"].mode == 0o755 and found["private"].mode == 0o644
    assert not any("xattr" in key for made in found.values() for key in made.pax_headers)
    assert int(found["private"].mtime) == int((work / "private").stat().st_mtime)


def test_links_and_what_is_no_file_are_left_out_and_named(work, tmp_path):
    (tmp_path / "secret").write_bytes(b"secret")
    (work / "link").symlink_to(tmp_path / "secret")
    (work / "door").symlink_to(tmp_path)
    os.mkfifo(work / "fifo")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(work / "socket"))
        (work / "file").write_bytes(b"x")
        done = run(work, "pack")
    assert list(members_of(done.stdout)) == ["file"] and b"secret" not in done.stdout
    assert sorted(done.stderr.decode().splitlines()) == ["left-out fifo fifo", "left-out link door",
                                                         "left-out link link", "left-out socket socket"]
    control = subprocess.run(["tar", "-chf", "-", "link"], cwd=work, capture_output=True, check=True).stdout
    assert b"secret" in control


def test_only_what_is_listed_is_packed_and_nothing_outside(work, tmp_path):
    make_tree(work)
    (tmp_path / "secret").write_bytes(b"secret")
    (work / "door").symlink_to(tmp_path)
    done = run(work, "pack", given=paths("./a-b", "a", "../secret", str(tmp_path / "secret"), "door/secret", "gone"))
    assert list(members_of(done.stdout)) == ["a-b", "a"]
    assert done.stderr.decode().splitlines() == ["left-out dotdot ../secret", f"left-out absolute {tmp_path}/secret",
                                                 "left-out gone door/secret", "left-out gone gone"]


def test_a_tree_300_levels_deep_is_cut_at_64_and_said(work):
    here = os.open(work, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=here)
        below_fd = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below_fd
    os.close(here)
    done = run(work, "pack")
    deepest = "/".join(["d"] * 64)
    assert done.returncode == 0 and done.stderr.decode() == f"left-out depth {deepest}\n"
    assert list(members_of(done.stdout))[-1] == deepest
    subprocess.run(["rm", "-rf", str(work / "d")], check=True)


def test_an_empty_directory_gives_an_empty_archive(work):
    done = run(work, "pack")
    assert done.returncode == 0 and members_of(done.stdout) == {}


def test_a_full_disk_is_not_a_success(work):
    (work / "file").write_bytes(b"x" * 100_000)
    with open("/dev/full", "wb") as full:
        for verb in ("pack", "inspect"):
            done = subprocess.run([str(PROGRAM), verb], cwd=work, input=b"file\0", stdout=full, stderr=subprocess.PIPE,
                                  timeout=PATIENCE_S)
            assert done.returncode == 1 and done.stderr.startswith(b"failed "), verb


def test_an_unknown_verb_is_refused(work):
    done = run(work, "frob")
    assert done.returncode == 2 and b'"frob"' in done.stderr
