#!/usr/bin/perl
# List the action items ("ACTION name: ...") of all minutes, sorted by name.
use strict;
use warnings;

my %items;
while (my $line = <>) {
    if ($line =~ /^ACTION\s+(\w+):\s*(.+?)\s*$/) {
        push @{ $items{$1} }, "$2 ($ARGV:$.)";
    }
    close ARGV if eof;    # restart $. for every file
}
for my $name (sort keys %items) {
    print "$name\n";
    print "    - $_\n" for @{ $items{$name} };
}
