create type public.room_role as enum ('owner', 'member');

create table public.users (
  id uuid primary key references auth.users on delete cascade,
  username text not null,
  status text not null default 'offline'
);

create table public.rooms (
  id bigint generated always as identity primary key,
  slug text not null unique,
  created_by uuid not null references public.users,
  last_message_at timestamptz
);

create table public.room_members (
  room_id bigint references public.rooms on delete cascade,
  user_id uuid references public.users on delete cascade,
  role public.room_role not null default 'member',
  primary key (room_id, user_id)
);

create table public.messages (
  id bigint generated always as identity primary key,
  room_id bigint not null references public.rooms on delete cascade,
  user_id uuid not null default auth.uid() references public.users,
  body text not null check (body <> ''),
  attachment text,
  inserted_at timestamptz not null default now()
);
alter table public.messages replica identity full;

-- A policy on room_members that queries it would recurse; a function of the owner avoids that.
create function public.is_member(room bigint) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select 1 from public.room_members where room_id = room and user_id = (select auth.uid())
  );
$$;

alter table public.users enable row level security;
alter table public.rooms enable row level security;
alter table public.room_members enable row level security;
alter table public.messages enable row level security;

create policy "users are seen by all who signed in" on public.users
  for select to authenticated using (true);
create policy "users change themselves" on public.users
  for update to authenticated using (id = (select auth.uid()));

create policy "rooms are seen by their members" on public.rooms
  for select to authenticated using (public.is_member(id));

create policy "members see each other" on public.room_members
  for select to authenticated using (public.is_member(room_id));
create policy "members leave" on public.room_members
  for delete to authenticated using (user_id = (select auth.uid()));

create policy "members read" on public.messages
  for select to authenticated using (public.is_member(room_id));
create policy "members write" on public.messages
  for insert to authenticated with check (public.is_member(room_id) and user_id = (select auth.uid()));
create policy "authors edit" on public.messages
  for update to authenticated using (user_id = (select auth.uid()));
create policy "authors delete" on public.messages
  for delete to authenticated using (user_id = (select auth.uid()));

-- Privileges are explicit grants; row level security then selects the rows.
grant select, update on public.users to authenticated;
grant select on public.rooms to authenticated;
grant select, delete on public.room_members to authenticated;
grant select, insert, update, delete on public.messages to authenticated;
grant all on public.users, public.rooms, public.room_members, public.messages to service_role;
