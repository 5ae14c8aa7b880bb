"""Claims about tools/check-*: each finds what it is there to find, names the place, and passes what is good.

A check that cannot fail proves nothing.
"""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools')


def run_check(name, *args):
    """(exit status, everything printed)"""
    done = subprocess.run([os.path.join(TOOLS, name), *map(str, args)], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def write(root, path, text):
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def compile_c(folder, name, source, *flags):
    """An object or an executable made from one piece of C."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(['gcc', '-x', 'c', '-', '-o', path, *flags], input=source, text=True, check=True)
    return path


@pytest.mark.parametrize('path, line', [
    ('src/policy/a.c', '#include "policy/policy.h"'),
    ('src/policy/a.c', '#include "base/error.h"'),
    ('src/layers/a.c', '#include "linux/host.h"'),
    ('src/enter/a.c', '#include "plan/plan.h"'),
    ('src/enter/a.c', '#include <linux/filter.h>'),
    ('src/enter/a.c', '#include <berm/berm.h>'),
    ('src/run/a.c', '#include "enter/protocol.h"'),
    ('src/linux/filter.h', '#include "plan/plan.h"'),
    ('src/policyreader/a.c', '#include <jansson.h>'),
    ('src/cli/a.c', '#include "berm-config.h"'),
])
def test_an_allowed_arrow_passes(tmp_path, path, line):
    write(tmp_path, path, line + '\n')
    status, out = run_check('check-arrows', tmp_path)
    assert status == 0, out


@pytest.mark.parametrize('path, line', [
    ('src/base/a.c', '#include "policy/policy.h"'),
    ('src/policy/a.c', '#include "linux/host.h"'),
    ('src/layers/a.c', '#include "linux/cgroup.h"'),
    ('src/layers/a.c', '#include "run/run.h"'),
    ('src/enter/a.c', '#include "base/error.h"'),
    ('src/enter/a.c', '#include "plan/dump.h"'),
    ('src/enter/a.c', '#include <stdio.h>'),
    ('src/enter/a.c', '  #  include  <stdlib.h>'),
    ('src/linux/a.c', '#include "plan/plan.h"'),
    ('src/run/a.c', '#include "layers/layer.h"'),
    ('src/wire/a.c', '#include "run/run.h"'),
    ('src/plan/a.c', '#include "wire/json.h"'),
    ('src/cli/a.c', '#include <jansson.h>'),
    ('src/cli/a.c', '#include "options.h"'),
    ('src/newroom/a.c', '#include "base/error.h"'),
])
def test_a_wrong_arrow_is_named_with_its_place(tmp_path, path, line):
    write(tmp_path, path, '/* first line */\n' + line + '\n')
    status, out = run_check('check-arrows', tmp_path)
    assert status == 1
    assert path in out
    assert 'newroom' in path or f'{path}:2:' in out


def test_nothing_to_check_is_not_clean(tmp_path):
    for name in ('check-arrows', 'check-sizes', 'check-names', 'check-inside-symbols'):
        status, out = run_check(name, tmp_path)
        assert status == 2, (name, out)


def test_a_file_of_900_lines_passes_and_901_do_not(tmp_path):
    write(tmp_path, 'src/base/a.c', '\n' * 900)
    assert run_check('check-sizes', tmp_path)[0] == 0
    write(tmp_path, 'src/base/a.c', '\n' * 901)
    status, out = run_check('check-sizes', tmp_path)
    assert status == 1
    assert 'a.c: 901 lines' in out


def function_of(lines):
    return 'int f(void)\n{\n' + '    g();\n' * (lines - 3) + '}\n'


@pytest.mark.parametrize('has_ctags', [True, False])
def test_a_function_of_80_lines_passes_and_81_do_not(tmp_path, has_ctags, monkeypatch):
    if has_ctags and not shutil.which('ctags'):
        pytest.skip('universal-ctags is not installed')
    if not has_ctags:
        # A PATH in which only python is found.
        bare = tmp_path / 'bin'
        bare.mkdir()
        (bare / 'python3').symlink_to('/usr/bin/python3')
        monkeypatch.setenv('PATH', str(bare))
    write(tmp_path, 'src/base/a.c', function_of(80))
    assert run_check('check-sizes', tmp_path)[0] == 0
    write(tmp_path, 'src/base/a.c', function_of(81))
    status, out = run_check('check-sizes', tmp_path)
    assert status == 1
    assert 'has 81 lines' in out


@pytest.mark.parametrize('path', ['src/base/util.c', 'src/run/cgroup_helpers.h', 'tests/common/a.py',
                                  'tools/misc-checks', 'src/utils/a.c'])
def test_a_name_that_says_nothing_is_found(tmp_path, path):
    write(tmp_path, path, '')
    status, out = run_check('check-names', tmp_path)
    assert status == 1
    assert path.split('/')[0] in out


@pytest.mark.parametrize('path', ['src/base/text.c', 'src/run/commonality.c', 'src/base/futile.c'])
def test_a_name_that_only_looks_like_one_passes(tmp_path, path):
    write(tmp_path, path, '')
    assert run_check('check-names', tmp_path)[0] == 0


def test_a_stray_printf_between_clone_and_exec_is_found(tmp_path):
    objects = tmp_path / 'src' / 'lib.a.p'
    compile_c(objects, 'enter_a.c.o', 'void b(void); void a(void) { b(); }', '-c')
    compile_c(objects, 'enter_b.c.o', '#include <string.h>\n'
              'void b(void); unsigned long n; void b(void) { n = strlen((char *)&n); }', '-c')
    status, out = run_check('check-inside-symbols', tmp_path)
    assert status == 0, out
    compile_c(objects, 'enter_c.c.o', '#include <stdio.h>\nvoid c(void); void c(void) { puts("x"); }',
              '-c')
    status, out = run_check('check-inside-symbols', tmp_path)
    assert status == 1
    assert 'enter_c.c.o: calls puts' in out


def test_objects_of_other_rooms_may_call_what_they_like(tmp_path):
    objects = tmp_path / 'src' / 'lib.a.p'
    compile_c(objects, 'enter_a.c.o', 'void a(void); void a(void) {}', '-c')
    compile_c(objects, 'run_a.c.o', '#include <stdlib.h>\nvoid *m; void r(void); void r(void) { m = malloc(1); }',
              '-c')
    assert run_check('check-inside-symbols', tmp_path)[0] == 0


MAIN = 'int main(void) { return 0; }'


def test_a_static_position_independent_executable_passes(tmp_path):
    path = compile_c(tmp_path, 'good', MAIN, '-static-pie', '-Wl,-z,noexecstack', '-Wl,-z,relro')
    status, out = run_check('check-linkage', path)
    assert status == 0, out


@pytest.mark.parametrize('flags, words', [
    (['-pie', '-fPIE'], 'interpreter'),
    (['-static', '-no-pie'], 'position-independent'),
    (['-static-pie', '-Wl,-z,execstack'], 'stack is executable'),
    (['-static-pie', '-Wl,-z,norelro'], 'RELRO'),
])
def test_each_wrong_linkage_is_named(tmp_path, flags, words):
    path = compile_c(tmp_path, 'bad', MAIN, *flags)
    status, out = run_check('check-linkage', path)
    assert status == 1
    assert words in out


def test_what_is_no_executable_cannot_be_judged(tmp_path):
    write(tmp_path, 'text', 'hello')
    assert run_check('check-linkage', tmp_path / 'text')[0] == 2
    assert run_check('check-linkage', tmp_path / 'absent')[0] == 2


def test_no_executable_of_an_ordinary_build_knows_a_planted_defect():
    """They stand in berm-defective alone, which only a build option makes."""
    build = pathlib.Path(os.environ.get('BERM_BUILD', ROOT / 'build'))
    names = re.findall(r'X\(([a-z0-9_]+),', (ROOT / 'src/plan/defect.h').read_text())
    assert len(names) > 20
    assert not (build / 'berm-defective').exists()
    for executable in ('berm', 'berm-engine', 'libberm.so.0.1.0'):
        content = (build / executable).read_bytes()
        assert [name for name in names if name.encode() in content] == []
        assert b'--plant' not in content
