#!/usr/bin/env python3
"""Tunes known programs over `-O3 -march=native` and says what is left of it on inputs that nobody trained on.

    tools/bench/programs.py --sources SOURCES --into FOLDER [--only gzip,lz4] [--budget 10m]

Of each program the flags of gcc's option set are tuned, and whether a training run says how it is compiled (PGO).
It is trained on one input, measured on a second, and compared with the plain build on three others, which is the
figure: the geometric mean of the programs' times over the plain ones', with an interval of 95 % of these programs
on these inputs. A build whose output on the training input differs from the plain one's fails.

SOURCES has unpacked sources of Debian; in an empty folder, where deb-src lines are in the list of sources:

    apt-get source gzip bzip2 lz4 lua5.4 libzstd brotli zopfli mujs sqlite3 lame

FOLDER gets a folder for each program with its problem file, which `nightshift tune` takes as well, and
result.json. What is in it already is gone on with. A machine that does other work gives no figures.
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parents[2]
PLAIN = ("-O3", "-march=native")
UNSEEN = ("prose", "numbers", "records")
# A source of automake has its generated files; with other times of files make would want to make them again.
MAKE = "make -s AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOM4TE=:"


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    package: str            # the source folder is called so, and a version
    run: str                # behind the program's path; {input} is a file; prints what is to stay as it is
    sources: tuple          # patterns below the source folder
    without: tuple = ()     # of these
    flags: str = ""         # of each compilation
    libraries: str = ""
    prepare: str = ""       # run once in a copy of the sources
    language: str = ""      # of its inputs, where they are programs


CATALOGUE = [
    Program("gzip", "gzip", "-6 -n -c {input}", ("*.c",), ("dfltcc.c",), "-I. -Ilib -DHAVE_CONFIG_H",
            "lib/libgzip.a", f"./configure --quiet && {MAKE} -C lib && {MAKE} version.c version.h"),
    Program("bzip2", "bzip2", "-9 -c {input}", ("*.c",),
            ("bzip2recover.c", "dlltest.c", "mk251.c", "spewG.c", "unzcrash.c"), "-D_FILE_OFFSET_BITS=64"),
    Program("lz4", "lz4", "-9 -c {input}", ("lib/*.c", "programs/*.c"), (), "-Ilib -Iprograms -DXXH_NAMESPACE=LZ4_"),
    Program("lua", "lua5.4", "{input}", ("src/*.c",), ("luac.c",), "-Isrc -DLUA_COMPAT_5_3 -DLUA_USE_POSIX", "-lm",
            """echo '#define DEB_HOST_MULTIARCH "."' >src/lua5.4-deb-multiarch.h""", "lua"),
    Program("zstd", "libzstd", "-9 -c --single-thread {input}",
            ("lib/common/*.c", "lib/compress/*.c", "lib/decompress/*.c", "lib/dictBuilder/*.c", "programs/*.c"), (),
            "-Ilib -Ilib/common -Iprograms -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_"),
    Program("brotli", "brotli", "-q 6 -c {input}", ("c/common/*.c", "c/dec/*.c", "c/enc/*.c", "c/tools/*.c"), (),
            "-Ic/include", "-lm"),
    Program("zopfli", "zopfli", "--i1 -c {input}", ("src/zopfli/*.c",), (), "", "-lm"),
    Program("mujs", "mujs", "{input}", ("one.c", "main.c"), (), "", "-lm", language="js"),
    Program("sqlite", "sqlite3", ":memory: <{input}", ("sqlite3.c", "shell.c"), (),
            "-I. -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION", "-lm",
            f"./configure --quiet --disable-tcl && {MAKE} sqlite3.c shell.c", language="sql"),
    Program("lame", "lame", "--quiet {input} -", ("libmp3lame/*.c", "libmp3lame/vector/*.c", "mpglib/*.c", "frontend/*.c"),
            ("mp3rtp.c", "mp3x.c", "gtkanal.c", "gpkplotting.c", "rtp.c"),
            "-I. -Iinclude -Ilibmp3lame -Impglib -DHAVE_CONFIG_H", "-lm",
            f"./configure --quiet --disable-nasm && sed -i /HAVE_TERMCAP/d config.h && {MAKE}", language="wav"),
]

BUILD = """#!/bin/sh
# build.sh FOLDER TRAINING FLAG...: FOLDER/program, by the profile of a training run where TRAINING is "trained".
set -eu
folder=$1 training=$2
shift 2
compile() {
  for file in @FILES@; do
    gcc -w @FLAGS@ "$@" -c "$file" -o "$TMPDIR/$(echo "$file" | tr / _).o"
  done
}
cd source
if [ "$training" = trained ]; then
  compile "$@" -fprofile-generate
  gcc -fprofile-generate "$TMPDIR"/*.o -o "$TMPDIR/program" @LIBRARIES@
  "$TMPDIR/program" @RUN@ >"$TMPDIR/output"
  ls "$TMPDIR"/*.gcda >"$TMPDIR/counts"
  set -- "$@" -fprofile-use -fprofile-partial-training
fi
compile "$@"
gcc "$TMPDIR"/*.o -o "$folder/program" @LIBRARIES@
"$folder/program" @RUN@ >"$TMPDIR/output"
test ! -e ../expected || cmp "$TMPDIR/output" ../expected >&2
"""

PROBLEM = """name = "@NAME@"
include = ["gcc"]

[command]
build = ["sh", "build.sh", "{artifact}", "{TRAINING}", @PLAIN@, "{flags}"]
baseline_build = ["sh", "build.sh", "{artifact}", "plain", @PLAIN@]
inputs = ["build.sh", "expected", "source", "inputs"]
argv = ["sh", "-c", "exec {artifact}/program @RUN@ >/dev/null"]
runs = 1
cores = 1

[[command.figure]]
objective = "time"
source = "wall-time"

[parameters]
TRAINING = ["plain", "trained"]

[[objective]]
name = "time"
unit = "ms"

[limits]
build = 600
"""


def text_of(patterns, folder, size):
    """The text of files in the order of their names, cut off."""
    text = b""
    for path in sorted(path for pattern in patterns for path in folder.rglob(pattern) if path.is_file()):
        text += path.read_bytes()
        if len(text) >= size:
            break
    return text[:size]


def numbers(size, rng):
    lines, length = [], 0
    while length < size:
        lines.append(f"{len(lines)},{rng.gauss(20, 5):.3f},{rng.randrange(1000)},{rng.random():.6f}\n")
        length += len(lines[-1])
    return "".join(lines).encode()[:size]


def records(size, rng):
    kinds = [rng.randbytes(24) for _ in range(40)]
    return b"".join(rng.choice(kinds) + rng.randbytes(8) for _ in range(size // 32))


def wave(seconds, rng):
    """Chords that change four times a second, with noise, as a mono WAV of 44.1 kHz."""
    samples, rate = [], 44100
    for _ in range(max(1, int(4 * seconds))):
        tones = [rng.uniform(80, 2000) for _ in range(4)]
        samples += [int(5000 * sum(math.sin(2 * math.pi * tone * i / rate) for tone in tones) / 4
                        + rng.gauss(0, 300)) for i in range(rate // 4)]
    data = b"".join(s.to_bytes(2, "little", signed=True) for s in samples)
    return (b"RIFF" + (36 + len(data)).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
            + b"\1\0\1\0" + rate.to_bytes(4, "little") + (2 * rate).to_bytes(4, "little") + b"\2\0\x10\0data"
            + len(data).to_bytes(4, "little") + data)


# Input -> what a program of each language does. N is how much.
LUA = {
    "train": "local t={} for i=1,N do t[i]=(i*7919)%10007 end table.sort(t) print(t[1],t[N])",
    "tune": "local s=0 for i=1,N do local w=('%d'):format(i*31) s=s+#w+(w:find('7') or 0) end print(s)",
    "prose": "local t={} for i=1,N do local k='k'..i%997 t[k]=(t[k] or 0)+i end print(t.k1,t.k996)",
    "numbers": "local function f(n) if n<2 then return n end return f(n-1)+f(n-2) end for i=1,N/20000 do print(f(20)) end",
    "records": "local s={} for i=1,N do s[#s+1]={x=i,y=i%13} end local z=0 for _,p in ipairs(s) do z=z+p.x*p.y end print(z)",
}
JS = {
    "train": "var t=[];for(var i=0;i<N/4;i++)t.push(i*7919%10007);t.sort(function(a,b){return a-b});print(t[0])",
    "tune": "var s=0;for(var i=0;i<N;i++){s+=String(i*31).indexOf('7')}print(s)",
    "prose": "var t={};for(var i=0;i<N;i++){var k='k'+i%997;t[k]=(t[k]||0)+i}print(t.k1)",
    "numbers": "function f(n){return n<2?n:f(n-1)+f(n-2)}for(var i=0;i<N/20000;i++)print(f(20))",
    "records": "var s=[];for(var i=0;i<N;i++)s.push({x:i,y:i%13});var z=0;for(i in s)z+=s[i].x*s[i].y;print(z)",
}
ROWS = "create table t(a integer primary key,b,c);with recursive n(i) as (select 1 union all select i+1 from n where " \
       "i<N) insert into t select i,i*7919%10007,'w'||i%97 from n;"
SQL = {
    "train": ROWS + "select sum(b) from t;select c,count(*) from t group by c order by 2,1 limit 3;",
    "tune": ROWS + "create index u on t(b);select count(*) from t x join t y on y.b=x.a%10007;",
    "prose": ROWS + "select count(*) from t where c like '%7%' and c>'w3';",
    "numbers": ROWS + "select avg(b*b),min(b%17) from t group by a%101 order by 1 limit 5;",
    "records": ROWS + "update t set b=b+1 where a%3=0;delete from t where b%5=0;select count(*) from t;",
}


def inputs_of(language, sources, size):
    """Name -> bytes. The training input is a quarter as large as the others."""
    names = ("train", "tune", *UNSEEN)
    if language == "wav":
        return {name: wave(size / 400_000 / (4 if name == "train" else 1), random.Random(name)) for name in names}
    if language:
        texts = {"lua": LUA, "js": JS, "sql": SQL}[language]
        return {name: texts[name].replace("N", str(size // (40 if name == "train" else 10))).encode() for name in names}
    code = text_of(["*.c"], sources, size + size // 4)
    return {"train": code[:size // 4], "tune": code[size // 4:],
            "prose": text_of(["*.1", "*.md", "*.txt", "*.html", "README*"], sources, size),
            "numbers": numbers(size, random.Random(1)), "records": records(size, random.Random(2))}


def source_of(program, sources):
    found = sorted(path for path in sources.glob(f"{program.package}-[0-9]*") if path.is_dir())
    return found[-1] if found else None


def files_of(program, source):
    files = {str(path.relative_to(source)) for pattern in program.sources for path in source.glob(pattern)
             if path.name not in program.without}
    return sorted(files)


def filled(template, program, files, run):
    words = {"NAME": program.name, "FILES": " ".join(map(shlex.quote, files)), "FLAGS": program.flags,
             "LIBRARIES": program.libraries, "RUN": run, "PLAIN": ", ".join(f'"{flag}"' for flag in PLAIN)}
    for word, text in words.items():
        template = template.replace(f"@{word}@", text)
    return template


def build(folder, into, *arguments):
    """The program that build.sh makes in `into`."""
    scratch = into.with_suffix(".tmp")
    for path in (into, scratch):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
    subprocess.run(["sh", "build.sh", into.resolve(), *arguments], cwd=folder, check=True,
                   env=dict(os.environ, TMPDIR=str(scratch.resolve())))
    shutil.rmtree(scratch)
    return into / "program"


def prepare(program, source, sources, folder, size):
    """Makes the folder of the problem; one that is whole is left as it is."""
    if (folder / "problem.toml").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "inputs").mkdir(parents=True)
    for name, data in inputs_of(program.language, sources, size).items():
        (folder / "inputs" / name).write_bytes(data)
    copy = folder / "source"
    shutil.copytree(source, copy, symlinks=True)
    if program.prepare:
        subprocess.run(["sh", "-c", program.prepare], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    files = files_of(program, copy)
    (folder / "build.sh").write_text(filled(BUILD, program, files, program.run.format(input="../inputs/train")))
    plain = build(folder, folder / "plain", "plain", *PLAIN)
    answer = subprocess.run(["sh", "-c", f"{plain.resolve()} {program.run.format(input='../inputs/train')}"],
                            cwd=copy, check=True, stdout=subprocess.PIPE).stdout
    (folder / "expected").write_bytes(answer)
    problem = filled(PROBLEM, program, files, program.run.format(input="inputs/tune"))
    (folder / "problem.toml").write_text(problem)


def said(arguments, codes):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in codes:
        raise RuntimeError(f"{shlex.join(map(str, arguments))} ended with {done.returncode}")
    return json.loads(done.stdout)


def arguments_of(configuration):
    """Of build.sh, for a configuration of the problem; PLAIN for the baseline's, which has no values."""
    training = configuration.get("TRAINING", "plain")
    flags = [word for name, value in configuration.items() if name != "TRAINING" for word in str(value).split()]
    return [training, *PLAIN, *flags]


def devices_of(options):
    return ["--devices", options.devices] if options.devices else []


def compared(nightshift, program, folder, best, options):
    """Unseen input -> (logarithm of the ratio, its standard error)."""
    effects = {}
    for name in UNSEEN:
        run = program.run.format(input=(folder / "inputs" / name).resolve())
        sides = [["--", "sh", "-c", f"exec {path.resolve()} {run} >/dev/null"] for path in (folder / "plain/program", best)]
        answer = said([nightshift, "compare", "--json", "--confidence", options.confidence, "--set",
                       "command.cores=1", *devices_of(options), *sides[0], *sides[1]], (0, 3, 10, 11, 12))
        low, high = answer["interval"]
        effects[name] = (math.log(answer["ratio"]), (math.log(high) - math.log(low)) / 2 / 1.96)
    return effects


def geometric(effects):
    """(ratio, low, high) of logarithms with independent standard errors."""
    mean = sum(value for value, _ in effects) / len(effects)
    error = math.sqrt(sum(error**2 for _, error in effects)) / len(effects)
    return tuple(math.exp(mean + step * error) for step in (0, -1.96, 1.96))


def measured(nightshift, program, folder, options):
    """What came of one program, kept in result.json."""
    kept = folder / "result.json"
    if kept.exists():
        return json.loads(kept.read_text())
    study = folder / "study"
    answer = said([nightshift, "tune", folder / "problem.toml", "--study", study, "--continue", "--budget",
                   options.budget, "--json", "--set", f"acceptance.confidence={options.confidence}",
                   *devices_of(options)], (0, 3))
    configuration = answer["best"]["configuration"] if answer.get("best") else {}
    best = build(folder, folder / "best", *arguments_of(configuration))
    effects = compared(nightshift, program, folder, best, options)
    result = {"program": program.name, "configuration": configuration, "effects": effects}
    kept.write_text(json.dumps(result, indent=1) + "\n")
    return result


def table(results):
    lines = ["| program | trained | over the plain build, unseen inputs | " + " | ".join(UNSEEN) + " |",
             "|---|---|---|" + "---|" * len(UNSEEN)]
    for result in results:
        effects = result["effects"]
        trained = "yes" if result["configuration"].get("TRAINING") == "trained" else "no"
        each = " | ".join(f"{math.exp(effects[name][0]):.3f}" for name in UNSEEN)
        lines.append("| {} | {} | {:.3f} [{:.3f}, {:.3f}] | {} |".format(
            result["program"], trained, *geometric(list(effects.values())), each))
    means = [effect for result in results for effect in result["effects"].values()]
    lines.append("| geometric mean of {} | | {:.3f} [{:.3f}, {:.3f}] |{}".format(
        len(results), *geometric(means), " |" * len(UNSEEN)))
    return "\n".join(lines)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=pathlib.Path, required=True, help="unpacked sources of Debian")
    parser.add_argument("--into", type=pathlib.Path, required=True, help="folder of problems and results")
    parser.add_argument("--only", default=",".join(p.name for p in CATALOGUE), help="programs, with commas")
    parser.add_argument("--budget", default="10m", help="of each study (10m)")
    parser.add_argument("--confidence", default="standard", help="of duels and comparisons: quick, standard, publish")
    parser.add_argument("--devices", help="that measure, as of nightshift tune")
    parser.add_argument("--bytes", type=int, default=4_000_000, help="of an input (4000000)")
    parser.add_argument("--prepare", action="store_true", help="write the problems, and measure nothing")
    parser.add_argument("--nightshift", default=str(HERE / "build/release/bin/nightshift"))
    return parser.parse_args()


def main():
    options = parsed()
    chosen = options.only.split(",")
    unknown = set(chosen) - {program.name for program in CATALOGUE}
    if unknown:
        sys.exit(f"--only: no program {', '.join(sorted(unknown))}; there are {', '.join(p.name for p in CATALOGUE)}")
    results, failed = [], 0
    for program in CATALOGUE:
        if program.name not in chosen:
            continue
        source = source_of(program, options.sources)
        if source is None:
            print(f"{program.name} is skipped: no {program.package}-* in {options.sources}; there: apt-get source "
                  f"{program.package}", file=sys.stderr)
            continue
        folder = options.into / program.name
        try:
            prepare(program, source, options.sources, folder, options.bytes)
            if not options.prepare:
                results.append(measured(options.nightshift, program, folder, options))
        except (subprocess.CalledProcessError, RuntimeError) as error:
            failed += 1
            print(f"{program.name} failed: {error}", file=sys.stderr)
    if results:
        print(table(results))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
