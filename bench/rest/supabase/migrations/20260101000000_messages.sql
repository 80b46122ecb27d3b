-- What a messenger's page costs the database: 20 channels of 5,000 messages, readable by their members.
create table public.profiles (id int primary key, name text not null);
create table public.members (channel_id int not null, user_id uuid not null, primary key (channel_id, user_id));
create index members_by_user on public.members (user_id);
create table public.messages (
  channel_id int not null, seq bigint not null, id uuid not null unique default gen_random_uuid(),
  author_id int not null references public.profiles, body text not null, created_at timestamptz not null default now(),
  reply_count int not null default 0, primary key (channel_id, seq));

insert into public.profiles select n, 'Person ' || n from generate_series(1, 50) n;
insert into public.members select n, '00000000-0000-4000-8000-000000000001' from generate_series(1, 20) n;
insert into public.messages (channel_id, seq, author_id, body)
  select c, s, 1 + (c * 7 + s) % 50, 'Message number ' || s || ', as long as what people write to each other.'
  from generate_series(1, 20) c, generate_series(1, 5000) s;

create schema app;
create function app.my_channels() returns setof int language sql stable security definer set search_path = '' as
  $$ select channel_id from public.members where user_id = (select auth.uid()) $$;
grant usage on schema app to authenticated;
grant execute on function app.my_channels() to authenticated;

alter table public.messages enable row level security;
create policy "members read messages" on public.messages for select to authenticated
  using (channel_id in (select app.my_channels()));
alter table public.profiles enable row level security;
create policy "people read profiles" on public.profiles for select to authenticated using (true);
grant select on public.messages, public.profiles to authenticated;

-- A command with laws: one number a channel, taken under its lock.
create table public.counters (channel_id int primary key, last_seq bigint not null) with (fillfactor = 50);
insert into public.counters select n, 5000 from generate_series(1, 20) n;
create function public.send_message(channel int, id uuid, body text) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  taken bigint;
begin
  if channel not in (select app.my_channels()) then
    raise exception 'not a member' using errcode = '42501';
  end if;
  update public.counters c set last_seq = c.last_seq + 1 where c.channel_id = channel returning c.last_seq into taken;
  insert into public.messages (channel_id, seq, id, author_id, body) values (channel, taken, send_message.id, 1, send_message.body);
  return jsonb_build_object('id', send_message.id, 'seq', taken);
end
$$;
revoke execute on function public.send_message(int, uuid, text) from public;
grant execute on function public.send_message(int, uuid, text) to authenticated;
