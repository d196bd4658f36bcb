# A right shop in Perl, with its core modules only: perl shop.pl
use strict; use warnings;
use Digest::SHA qw(hmac_sha256_hex);
use Fcntl qw(:flock);
use HTTP::Tiny; use IO::Select; use IO::Socket::INET; use JSON::PP;

my ($data, $secret, $base) = @ENV{qw(DATA MALIPO_WEBHOOK_SECRET MALIPO_BASE_URL)};
my $http = HTTP::Tiny->new(timeout => 2, default_headers => { 'X-API-Key' => $ENV{MALIPO_API_KEY}, 'Content-Type' => 'application/json' });

# One file for each order, replaced in one step: a crash leaves the old one or the new one.
sub load { my ($id) = @_; open my $file, '<', "$data/$id.json" or return; local $/; decode_json(<$file>) }
sub save {
  my ($order) = @_;
  open my $file, '>', "$data/$order->{id}.tmp" or die; print $file encode_json($order); close $file;
  rename "$data/$order->{id}.tmp", "$data/$order->{id}.json" or die;
}
sub all_orders { map { load($_) } map { m{/([0-9A-F]+)\.json$} ? $1 : () } glob "$data/*.json" }

sub call {
  my ($method, $path, $body) = @_;
  my $response = $http->request($method, "$base$path", { $body ? (content => encode_json($body)) : () });
  my $content = eval { decode_json($response->{content}) };
  return ($response->{status}, $response->{success} && $content ? $content->{data} : undef);
}

# Children of this process change orders, too: one at a time.
sub change {
  my ($id, $do) = @_;
  open my $lock, '>', "$data/lock" or die; flock $lock, LOCK_EX;
  my $order = load($id) or return;
  save($order) if $do->($order);
}

# Paid stays paid, and ships once. A late success after a failure is a success. The failure of an attempt says
# nothing of the next one.
sub end_order {
  my ($known, $status) = @_;
  change($known->{id}, sub {
    my ($order) = @_;
    return 0 if $status eq 'failed' && $order->{attempt} != $known->{attempt};
    return 0 if $order->{status} eq 'paid' || $order->{status} eq $status;
    $order->{shipped}++ if $status eq 'paid';
    $order->{status} = $status;
  });
}

# A response, or a read after a lost one, tells the reference of an attempt: the next attempt has another one.
sub know {
  my ($known, $reference) = @_;
  change($known->{id}, sub { $_[0]{attempt} == $known->{attempt} && ($_[0]{reference} = $reference) });
}

sub ask {
  my ($order) = @_;
  my ($status, $payment) = call('POST', '/mobile-money/payment/initiate', { phone => $order->{phone}, amount => $order->{amount}, account_reference => $order->{id} });
  if ($payment) { know($order, $payment->{reference}) }
  elsif ($status >= 400 && $status < 500) { end_order($order, 'failed') }
}

# Another amount or currency is not this order's money.
sub is_for { my ($order, $payment) = @_; $payment->{amount} == $order->{amount} && $payment->{currency} eq 'KES' }

sub look {
  for my $order (grep { $_->{status} eq 'pending' } all_orders()) {
    my $reference = $order->{reference};
    if (!$reference) {
      my (undef, $list) = call('GET', '/payments?per_page=100');
      next unless $list;
      ($reference) = map { $_->{reference} } grep { $_->{account_reference} eq $order->{id} && index($order->{former}, $_->{reference}) < 0 } @$list;
      know($order, $reference) if $reference;
    }
    if ($reference) {
      my (undef, $payment) = call('GET', "/payments/$reference");
      my $status = $payment ? $payment->{status} : 'pending';
      end_order($order, 'paid') if $status eq 'completed' && is_for($order, $payment);
      end_order($order, 'failed') if $status eq 'failed';
    } elsif (time - $order->{at} > 8) { end_order($order, 'failed') }
  }
}

sub receive {
  my ($body, $signature) = @_;
  return 401 if hmac_sha256_hex($body, $secret) ne $signature;
  my $event = decode_json($body);
  my $payment = $event->{data};
  my ($order) = grep { ($_->{reference} // '') eq $payment->{reference} || $_->{id} eq ($payment->{account_reference} // '') } all_orders();
  # What contradicts itself says nothing: a read tells what is true.
  my $kind = $event->{event} eq 'payment.' . ($payment->{status} // '') ? $event->{event} : '';
  end_order($order, 'paid') if $order && $kind eq 'payment.completed' && is_for($order, $payment);
  end_order($order, 'failed') if $order && $kind eq 'payment.failed' && index($order->{former}, $payment->{reference}) < 0;
  return 200;
}

my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ENV{PORT}, Listen => 64, ReuseAddr => 1) or die;
my $select = IO::Select->new($server);
my @to_ask;
my $looked = time;
while (1) {
  if ($select->can_read(0.2)) {
    my $client = $server->accept or next;
    my ($line, $length, $signature) = (scalar <$client>, 0, '');
    next unless defined $line;
    while (my $header = <$client>) {
      last if $header =~ /^\r?\n$/;
      $length = $1 if $header =~ /^content-length:\s*(\d+)/i;
      $signature = $1 if $header =~ /^x-service-signature:\s*(\w+)/i;
    }
    my $body = ''; read $client, $body, $length if $length;
    my ($method, $path) = split ' ', $line;
    my ($status, $answer) = (200, '');
    if ($path eq '/webhooks') { $status = receive($body, $signature) }
    elsif ($method eq 'POST' && $path =~ m{^/orders/(\w+)/again$}) {
      change($1, sub {
        my ($order) = @_;
        return 0 if $order->{status} ne 'failed';
        $order->{former} .= delete($order->{reference}) // '';
        @$order{qw(status at)} = ('pending', time);
        $order->{attempt}++;
        push @to_ask, $order;
      });
    }
    elsif ($method eq 'POST') {
      my $order = decode_json($body);
      # Asked after the answer: one process serves all, and a slow service must not stop it.
      if (!load($order->{order})) {
        my $new = { id => $order->{order}, phone => $order->{phone}, amount => $order->{amount}, at => time, status => 'pending', attempt => 1, former => '', shipped => 0 };
        save($new); push @to_ask, $new;
      }
      ($status, $answer) = (201, encode_json({ id => $order->{order} }));
    }
    elsif ($path =~ m{^/orders/(\w+)} and my $order = load($1)) { $answer = encode_json({ map { $_ => $order->{$_} } qw(id status shipped) }) }
    else { $status = 404 }
    print $client "HTTP/1.1 $status Status\r\nContent-Length: " . length($answer) . "\r\nConnection: close\r\n\r\n$answer";
    close $client;
  }
  # A child may wait for the service; the loop goes on.
  while (my $order = shift @to_ask) { if (!fork) { close $server; ask($order); exit 0 } }
  if (time > $looked) { $looked = time; if (!fork) { close $server; look(); exit 0 } }
  1 while waitpid(-1, 1) > 0;
}
