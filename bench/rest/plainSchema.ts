import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The user of all requests, a member of every other channel. */
export const person = '8a1f0c9e-6f0b-4a53-9d0e-2f6f5b0c7a11'

export const channels = 40
export const messagesPerChannel = 250

/** A migration that Linnet and its peer both run: plain tables under row security, with data. */
const migration = `
create table public.authors (id int primary key, name text not null);
create table public.channels (id int primary key, name text not null);
create table public.channel_members (
  channel_id int not null references public.channels, user_id uuid not null, primary key (user_id, channel_id)
);
create table public.messages (
  id int primary key,
  channel_id int not null references public.channels,
  author_id int not null references public.authors,
  body text not null,
  created_at timestamptz not null default now()
);
create index messages_in_channel on public.messages (channel_id, id);
create table public.reactions (
  message_id int not null references public.messages, emoji text not null, people int not null,
  primary key (message_id, emoji)
);
create table public.notes (
  id bigint generated always as identity primary key,
  user_id uuid not null, channel_id int not null, body text not null
);
create table public.markers (
  channel_id int not null, user_id uuid not null, seen int not null, primary key (user_id, channel_id)
);

create function public.newest(channel int) returns int language sql stable
  as $$ select max(id) from public.messages where channel_id = channel $$;

alter table public.authors enable row level security;
alter table public.channels enable row level security;
alter table public.channel_members enable row level security;
alter table public.messages enable row level security;
alter table public.reactions enable row level security;
alter table public.notes enable row level security;
alter table public.markers enable row level security;
create policy "everyone reads authors" on public.authors for select to authenticated using (true);
create policy "members read channels" on public.channels for select to authenticated
  using (id in (select channel_id from public.channel_members where user_id = (select auth.uid())));
create policy "one reads one's memberships" on public.channel_members for select to authenticated
  using (user_id = (select auth.uid()));
create policy "members read messages" on public.messages for select to authenticated
  using (channel_id in (select channel_id from public.channel_members where user_id = (select auth.uid())));
create policy "everyone reads reactions" on public.reactions for select to authenticated using (true);
create policy "one has notes" on public.notes for all to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy "one has markers" on public.markers for all to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
grant usage on schema public to authenticated;
grant select on public.authors, public.channels, public.channel_members, public.messages, public.reactions
  to authenticated;
grant select, insert, update on public.notes, public.markers to authenticated;
grant execute on function public.newest(int) to authenticated;

insert into public.authors select n, 'Author ' || n from generate_series(1, 60) as n;
insert into public.channels select n, 'Channel ' || n from generate_series(1, ${channels}) as n;
insert into public.channel_members
  select n, '${person}' from generate_series(1, ${channels}, 2) as n;
insert into public.messages
  select n, n % ${channels} + 1, n % 60 + 1, 'A message, as long as what people write to each other: ' || n,
    timestamptz '2026-01-01' + n * interval '1 minute'
  from generate_series(1, ${channels * messagesPerChannel}) as n;
insert into public.reactions
  select id, emoji, id % 5 + 1 from public.messages, unnest(array['+1', 'tada']) as emoji where id % 3 = 0;
`

/** Writes config.toml and the migration to `dir`, a `supabase` folder. */
export function writePlainSchema(dir: string, config: string): void {
  mkdirSync(join(dir, 'migrations'), { recursive: true })
  writeFileSync(join(dir, 'config.toml'), config)
  writeFileSync(join(dir, 'migrations', '20260101000000_plain.sql'), migration)
}
