# Makes calls from many kinds of Perl frames. Each call `-e "/stride-mark/N"` is made by `mark`. The file that is named by the first argument gets a line for each: the number, and
# the frames that led to `mark`, as Perl itself knows them (`caller`). The second argument is the trace, for which the program waits: Stride has to know the
# program first.
#
# Perl tells a frame for the block of an eval. Here it is part of the sub around it, as for everything that only looks at subs.
use strict;
use warnings;
no warnings "recursion";
use utf8;
use feature qw(say current_sub);
use threads;
use List::Util;
use Sub::Util;
use POSIX ();
use Fcntl;

my ($told, $number);
BEGIN {
    $number = 0;
    sysopen($told, $ARGV[0], O_WRONLY | O_CREAT | O_APPEND) or die $!;
}

sub known { -e "/stride-known" }

# (Calls bring the trace to its file.)
BEGIN {
    for (1 .. 4000) {
        last if !defined $ARGV[1];
        known();
        my $trace;
        my @lines = open($trace, "<", $ARGV[1]) ? <$trace> : ();
        last if grep { /"main::known"/ } @lines;
        select(undef, undef, undef, 0.005);
    }
}

# Perl tells no frame for the block of a sort. The argument has the index of that of the sub around it, and the line of the sort.
sub mark {
    my ($sort) = @_;
    my @frames;
    my (undef, $file, $line) = caller(0);
    for (my $level = 1; my @caller = caller($level); $level++) {
        my ($sub, $text, $is_file) = @caller[3, 6, 7];
        next if $sub eq "(eval)" && !defined $text && !defined $is_file;
        push @frames, "$sub\t$file\t$line";
        ($file, $line) = @caller[1, 2];
    }
    push @frames, "(main)\t$file\t$line";
    if (defined $sort) {
        my ($sub, $at) = $frames[$sort->[0]] =~ /^([^\t]*\t[^\t]*)\t(\d+)$/ or die;
        splice @frames, $sort->[0] + 1, 0, "$sub\t$sort->[1]";
    }
    my $name = threads->tid() * 10000 + $number++;
    my $text = join("\x01", $name, @frames) . "\n";
    utf8::encode($text);
    syswrite($told, $text);
    -e "/stride-mark/$name";
}

BEGIN { mark() }

sub recursion {
    my ($depth) = @_;
    return mark() if !$depth;
    recursion($depth - 1);
}

package Shape {
    use overload '""' => sub { main::mark(); "shape" }, '<=>' => \&compare, '+' => "add", fallback => 1;
    our $AUTOLOAD;

    sub new {
        my ($class, $size) = @_;
        main::mark();
        bless { size => $size }, $class;
    }

    sub compare {
        my ($one, $other) = @_;
        main::mark();
        $one->{size} - $other->{size};
    }

    sub add {
        main::recursion(1);
    }

    sub area { main::mark() }

    sub AUTOLOAD {
        return if $AUTOLOAD =~ /::DESTROY$/;
        main::mark();
    }

    sub DESTROY {
        main::mark();
    }
}

package Square {
    our @ISA = "Shape";

    sub area {
        my ($self) = @_;
        $self->SUPER::area();
    }
}

package Tied {
    sub TIESCALAR { main::mark(); bless [] }
    sub FETCH { main::mark(); 1 }
    sub STORE { main::recursion(1) }
    sub TIEHANDLE { bless [] }
    sub PRINT { main::mark(); 1 }
    sub DESTROY { }
}

package main;

sub objects {
    my $shape = Square->new(2);
    $shape->area;
    $shape->unknown;
    my $text = "a $shape";
    my $sum = $shape + 1;
    my $method = $shape->can("area");
    $shape->$method;
    undef $shape;
    my @sorted = sort { $a <=> $b } map { Shape->new($_) } 3, 1, 2;
    tie my $tied, "Tied";
    $tied = $tied + 1;
    tie *HANDLE, "Tied";
    print HANDLE "a";
}

sub by_number { mark(); $a <=> $b }

sub sorts {
    no warnings "uninitialized";
    my @sorted = sort by_number 2, 1;
    my $by = sub { mark(); $a <=> $b };
    @sorted = sort $by 2, 1;
    @sorted = sort { mark([0, __LINE__]); inside([1, __LINE__]); $a <=> $b } 2, 1;
    @sorted = sort { inside([1, __LINE__]) } 2, 1;
    @sorted = sort { eval { inside([1, __LINE__]) }; List::Util::first(sub { inside([2, __LINE__]) }, 1) } 2, 1;
}

sub inside {
    mark(@_);
    0;
}

sub blocks {
    my @list = map { mark(); $_ } 1, 2;
    @list = grep { recursion(1) || 1 } 1, 2;
    List::Util::first(sub { mark(); $_ == 2 }, 1, 2);
    List::Util::first { mark(); recursion(1); $_ == 2 } 1, 2;
    my $sum = List::Util::reduce { mark(); $a + $b } 1, 2, 3;
    for my $n (1, 2) {
        while (1) {
            mark();
            last;
        }
    }
    my $text = "abc";
    $text =~ s/[ab]/mark(); "x"/ge;
    "ab" =~ /a(?{ mark([0, __LINE__]); inside([1, __LINE__]) })b/;
    my $code = qr/a(?{ inside() })/;
    "ab" =~ $code;
    "ab" =~ /^$code(?{ List::Util::first(sub { inside([2, __LINE__]) }, 1) })b/;
    sub { sub { mark() }->() }->();
    my $again = sub { $_[0] ? __SUB__->($_[0] - 1) : mark() };
    $again->(3);
    local $_ = 1;
    do { mark() };
    if ($_) {
        unless (0) { mark() }
    }
}

sub evals {
    eval { mark(); recursion(2) };
    eval {
        eval {
            mark();
            die "no\n";
        };
        mark();
        eval { recursion(1); die { no => 1 } };
    };
    eval "mark(); recursion(1)";
    eval "\n\n mark(); eval { mark() }; eval q(mark()); sub { mark() }->();";
    eval "sub named { mark() } named(); 1" or die;
    named();
    local $SIG{__WARN__} = sub { mark() };
    warn "a";
    my $undefined;
    my $text = "a" . $undefined;
    local $SIG{__DIE__} = sub { mark(); eval { recursion(1) } };
    eval { die "a" };
    # An eval that C code leads to.
    List::Util::first(sub { eval { mark(); recursion(1); eval { mark() } }; eval "mark(); recursion(1)"; 1 }, 1);
}

sub signals {
    local $SIG{USR1} = sub { mark(); eval { recursion(1) } };
    kill USR1 => $$;
    for (1 .. 3) { my $n = $_ }
    local $SIG{ALRM} = \&recursion_of_signal;
    kill ALRM => $$;
    mark();
}

sub recursion_of_signal { recursion(2) }

sub other {
    goto &replaced;
}

sub replaced { mark(@_) }

*alias = \&replaced;
*glob = *replaced;

sub größe { mark() }
{ no strict "refs"; *{"函数"} = sub { mark() }; }

sub Other::Package::f { mark() }

sub names {
    other();
    alias();
    &glob();
    größe();
    &{\&{"函数"}}();
    Other::Package::f();
    my sub lexical { mark() }
    lexical();
    my $gone = eval "package Gone; sub { main::mark(); main::recursion(1) }";
    $gone->();
    delete $main::{"Gone::"};
    $gone->();
}

sub files {
    my ($directory) = $ARGV[0] =~ m{^(.*/)} ? $1 : "./";
    open(my $file, ">", "${directory}Made.pm") or die;
    print $file "package Made;\nmain::mark();\nBEGIN { main::mark() }\nsub f {\n  main::mark() }\nf();\nsub import { main::mark(); }\n1;\n";
    close $file;
    local @INC = ($directory, @INC);
    require Made;
    Made->import;
    do "${directory}Made.pm";
    delete $INC{"Made.pm"};
    no warnings;
    eval "use Made; mark(); 1" or die $@;
    List::Util::first(sub { delete $INC{"Made.pm"}; require Made }, 1);
}

sub made {
    for my $n (1 .. 20) {
        my $name = ("one", "two", "six")[$n % 3];
        my $lines = "\n" x ($n % 4);
        eval "package Made$n; sub $name {$lines main::mark() }\n $name(); undef &$name; 1" or die $@;
        delete $main::{"Made${n}::"};
    }
}

# Subs that are given names, each of which goes with its sub.
sub renamed {
    for my $n (1 .. 12) {
        my $name = ("one", "two", "six")[$n % 3] . "_given";
        { Sub::Util::set_subname("main::$name", sub { mark() })->() }
        delete $main::{$name};
    }
}

sub in_threads {
    my @threads = map { threads->create($_ == 2 ? sub { mark(); recursion(2) } : "recursion", 3) } 1 .. 3;
    $_->join for @threads;
}

mark();
recursion($_) for 1, 30, 400;
objects();
sorts();
blocks();
evals();
signals();
names();
files();
made();
renamed();
in_threads();
my $child = fork();
# (The parent does the same.)
recursion(2);
mark();
POSIX::_exit(0) if !$child;
waitpid($child, 0);
my $left = Shape->new(1);
our $last = Shape->new(2);

END {
    mark();
    recursion(1);
}
