# case: a script asks for type, size and age of each file, one check at a time, and for its directory each time
# first: stat|check
# first: again|times|per path|same
# useful: stat|check
# saves: calls
use strict;
use warnings;
my $corrected = @ARGV && $ARGV[0] eq 'corrected';
mkdir 'docs';
for my $i (1 .. 40) {
	open(my $f, '>', "docs/$i.txt") or die;
	print $f "text $i\n";
}
my $total = 0;
my %kept;
for my $round (1 .. 40) {
	for my $i (1 .. 40) {
		my $name = "docs/$i.txt";
		if ($corrected) {
			$kept{$name} //= [stat $name];
			$total += $kept{$name}[7];
		} elsif (-d 'docs' && -e $name && -f $name && -s $name) {
			$total += -s $name;
		}
	}
}
print "$total\n";
