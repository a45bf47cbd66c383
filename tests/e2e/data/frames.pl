# A server of protocol 2 whose figures follow from what it built: 10 / TILE / WAYS, with failures.
use strict;
use warnings;
use Time::HiRes qw(time);
$| = 1;

sub say_line { print $_[0], "\n"; }
sub member {    # of a request, a number or a text without quotes in it
  my ($line, $name) = @_;
  return $line =~ /"\Q$name\E": ("?)([^",}\]]*)\1/ ? $2 : undef;
}

say_line(qq({"hello": 2, "roles": ["build", "measure"], "versions": {"perl": "$]"}}));
while (my $line = <STDIN>) {
  my $id = member($line, 'id');
  if (member($line, 'do') eq 'drop') {
    say_line(qq({"dropped": $id}));
    next;
  }
  my $tile = member($line, 'TILE') // 1;
  my $ways = member($line, 'WAYS') // 1;
  my $folder = member($line, 'artifact');
  if (member($line, 'do') eq 'build') {
    say_line(qq({"id": $id, "phase": "build"}));
    if ($tile == 64) {
      say_line(qq({"id": $id, "failure": "build_failed", "words": "no tile of 64"}));
      next;
    }
    open(my $code, '>', "$folder/code") or die $!;
    print $code ($tile > 16 ? 16 : $tile), ' ', $ways;    # 32 builds to the code of 16
    close $code;
    say_line(qq({"id": $id, "built": true, "registers": ) . 8 * $tile . '}');
    next;
  }
  open(my $code, '<', "$folder/code") or die $!;
  my ($built, undef) = split ' ', <$code>;
  say_line(qq({"id": $id, "phase": "$_"})) for qw(load build prepare verify);
  if ($ways == 11) {    # compiles for ever
    say_line(qq({"id": $id, "phase": "build"}));
    <STDIN>;
    say_line(qq({"dropped": $id}));
    next;
  }
  if ($ways == 3) {
    say_line(qq({"id": $id, "failure": "wrong_result", "words": "three ways lose a word"}));
    next;
  }
  say_line(qq({"id": $id, "phase": "measure"}));
  exit 3 if $ways == 5;
  if ($ways == 7) {
    say_line(qq({"id": $id, "died": {"signal": 11}, "words": "seven ways"}));
    next;
  }
  my ($least) = $line =~ /"samples": \[(\d+)/;
  my $time = 10 / $built / $ways;
  my $times = join(', ', map { $time * (1 + 0.001 * ($_ % 5)) } 1 .. $least);
  say_line(qq({"id": $id, "time": [$times], "conditions": {"blocks": $built, "exact": true}}));
}
