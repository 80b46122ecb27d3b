-- Whether this transaction has moved a channel to a new topic is a value in its row, in place of a session setting.

alter table public.channel_counters add column epoch_transaction bigint;
comment on column public.channel_counters.epoch_transaction is
  'A hash of the transaction that has incremented the epoch last: each transaction increments it once.';

create or replace function app.increment_channel_epoch(channel uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- With the time, since a server to which a backup is restored uses the ids of transactions again.
  transaction constant bigint := hash_record_extended(row(pg_current_xact_id()::text, now()), 0);
  counters public.channel_counters;
begin
  -- Once per channel and transaction: a second increment would send clients to a topic on which nothing is broadcast.
  update public.channel_counters k set epoch = k.epoch + 1, epoch_transaction = transaction
  where k.channel_id = channel and k.epoch_transaction is distinct from transaction returning * into counters;
  if not found then return; end if;
  perform realtime.send(
    jsonb_build_object('channel_id', channel, 'epoch', counters.epoch, 'rev', counters.rev, 'members',
      (select count(*) from public.channel_members m where m.channel_id = channel)),
    'epoch', 'channel:' || channel || ':' || (counters.epoch - 1), true);
end
$$;

