# A server that selects. See servers.c.
use strict;
use IO::Select;
use IO::Socket::INET;

my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], Listen => 64, ReuseAddr => 1)
    or die "listen: $!";
my $all = IO::Select->new($listener);
while (1) {
    for my $socket ($all->can_read) {
        if ($socket == $listener) {
            $all->add($listener->accept // die "accept: $!");
        } elsif (sysread($socket, my $line, 256)) {
            syswrite($socket, "answer $line");
        } else {
            $all->remove($socket);
            close $socket;
        }
    }
}
