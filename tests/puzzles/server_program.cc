#include "server_program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace nightshift::puzzles {
namespace {

using Kind = Act::Kind;

// Every byte escaped as `form` says, e.g. "\\%03o".
std::string escaped(const std::string& text, const char* form) {
  std::string result;
  for (const char c : text) {
    char byte[8];
    std::snprintf(byte, sizeof byte, form, static_cast<unsigned>(static_cast<unsigned char>(c)));
    result += byte;
  }
  return result;
}

std::string in_bash(const Act& act) {
  const std::string number = std::to_string(act.number);
  const std::string text = "printf '" + escaped(act.text, "\\%03o") + "'";
  switch (act.kind) {
    case Kind::kAnswer:
      return "answer";
    case Kind::kSay:
      return text;
    case Kind::kComplain:
      return text + " >&2";
    case Kind::kPour:
      return "head -c 300000000 /dev/zero | tr '\\0' '" + act.text + "'";
    case Kind::kPourErrors:
      return "head -c 20000000 /dev/zero >&2";
    case Kind::kLater:
      return "until read -t 0; do :; done";
    case Kind::kExit:
      return "exit " + number;
    case Kind::kSignal:
      return "kill -" + number + " $$";
    case Kind::kHang:
      return "sleep 1000";
    case Kind::kCloseOutput:
      return "exec 1>&-";
    case Kind::kCloseInput:
      return "exec 0<&-";
    case Kind::kGrandchild:
      return "sleep 1000 &";
    case Kind::kDaemon:
      return "setsid sleep 1000 &";
  }
  std::abort();
}

std::string in_perl(const Act& act) {
  const std::string number = std::to_string(act.number);
  const std::string text = "\"" + escaped(act.text, "\\x%02x") + "\"";
  switch (act.kind) {
    case Kind::kAnswer:
      return "answer();";
    case Kind::kSay:
      return "print " + text + ";";
    case Kind::kComplain:
      return "print STDERR " + text + ";";
    case Kind::kPour:
      return "print " + text + " x 1000000 for 1..300;";
    case Kind::kPourErrors:
      return "print STDERR ' ' x 1000000 for 1..20;";
    case Kind::kLater:
      return "{ my $in = ''; vec($in, 0, 1) = 1; select($in, undef, undef, undef); }";
    case Kind::kExit:
      return "exit " + number + ";";
    case Kind::kSignal:
      return "kill " + number + ", $$;";
    case Kind::kHang:
      return "sleep 1000;";
    case Kind::kCloseOutput:
      return "close STDOUT;";
    case Kind::kCloseInput:
      return "close STDIN;";
    case Kind::kGrandchild:
      return "system('sleep 1000 &');";
    case Kind::kDaemon:
      return "system('setsid sleep 1000 &');";
  }
  std::abort();
}

std::string in_node(const Act& act) {
  const std::string number = std::to_string(act.number);
  const std::string text = "Buffer.from('" + escaped(act.text, "%02x") + "', 'hex')";
  switch (act.kind) {
    case Kind::kAnswer:
      return "answer();";
    case Kind::kSay:
      return "fs.writeSync(1, " + text + ");";
    case Kind::kComplain:
      return "fs.writeSync(2, " + text + ");";
    case Kind::kPour:
      return "for (let i = 0; i < 300; ++i) fs.writeSync(1, '" + act.text + "'.repeat(1000000));";
    case Kind::kPourErrors:
      return "try { for (let i = 0; i < 20; ++i) fs.writeSync(2, ' '.repeat(1000000)); }"
             " catch (e) {}";
    case Kind::kLater:
      std::abort();  // see program_in_node()
    case Kind::kExit:
      return "process.exit(" + number + ");";
    case Kind::kSignal:
      return "process.kill(process.pid, " + number + ");";
    case Kind::kHang:
      return "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";
    case Kind::kCloseOutput:
      return "fs.closeSync(1);";
    case Kind::kCloseInput:
      return "process.stdin.destroy();";
    case Kind::kGrandchild:
      return "child.spawn('sleep', ['1000'], {stdio: 'inherit'});";
    case Kind::kDaemon:
      return "child.spawn('setsid', ['sleep', '1000'], {stdio: 'ignore'});";
  }
  std::abort();
}

template <class Say>
std::string joined(const Acts& acts, const Say& in_language, const char* end) {
  std::string text;
  for (const Act& act : acts) text += in_language(act) + end;
  return text;
}

}  // namespace

std::string program_in_bash(const Acts& at_start, const Acts& at_nine) {
  return "answer() { echo \"{\\\"time\\\": $((10 + u))}\"; }\n" + joined(at_start, in_bash, "\n") +
         "while read -r line; do\n"
         "  u=${line//[^0-9]/}; u=${u:-1}\n"
         "  if [ $u != 9 ]; then answer; continue; fi\n" +
         joined(at_nine, in_bash, "\n") + "done\n";
}

std::string program_in_perl(const Acts& at_start, const Acts& at_nine) {
  return "$| = 1;\nmy $u;\nsub answer { print '{\"time\": ' . (10 + $u) . \"}\\n\"; }\n" +
         joined(at_start, in_perl, "\n") +
         "while (my $line = <STDIN>) {\n"
         "  $u = $line =~ /(\\d+)/ ? $1 : 1;\n"
         "  if ($u != 9) { answer(); next; }\n" +
         joined(at_nine, in_perl, "\n") + "}\n";
}

// Node reads on by itself: what is to come later comes in the next turn of its loop.
std::string program_in_node(const Acts& at_start, const Acts& at_nine) {
  const auto split = std::find_if(at_nine.begin(), at_nine.end(),
                                  [](const Act& act) { return act.kind == Kind::kLater; });
  std::string acts = joined(Acts(at_nine.begin(), split), in_node, "\n");
  if (split != at_nine.end()) {
    acts += "setImmediate(() => {" + joined(Acts(split + 1, at_nine.end()), in_node, "\n") + "});";
  }
  return "const fs = require('fs'), child = require('child_process');\nlet u;\n"
         "const answer = () => fs.writeSync(1, `{\"time\": ${10 + u}}\\n`);\n" +
         joined(at_start, in_node, "\n") +
         "require('readline').createInterface({input: process.stdin}).on('line', line => {\n"
         "  u = Number((line.match(/\\d+/) || [1])[0]);\n"
         "  if (u !== 9) { answer(); return; }\n" +
         acts + "\n});\n";
}

}  // namespace nightshift::puzzles
