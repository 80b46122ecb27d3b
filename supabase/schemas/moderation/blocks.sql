-- Blocking a person in direct messages. Decision 48 gives the reasons.

create table public.blocks (
  profile_id uuid not null references public.profiles (id) on delete cascade,
  blocked_id uuid not null references public.profiles (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (profile_id, blocked_id),
  constraint blocks_of_others check (profile_id <> blocked_id)
);
create index blocks_blocked on public.blocks (blocked_id);
comment on table public.blocks is
  'Who has blocked whom in direct messages: their conversation stays hidden, and what the blocked person writes in direct '
  'and group conversations notifies nobody who has blocked them. At most 500 of a person.';
alter table public.blocks enable row level security;
create policy "people see whom they have blocked" on public.blocks
  for select to authenticated using (profile_id = (select app.my_profile_id()));
comment on policy "people see whom they have blocked" on public.blocks is
  'Nobody learns by whom they are blocked, and neither do those who manage the workspace.';
revoke all on public.blocks from public, anon, authenticated, service_role;
grant select on public.blocks to authenticated;
grant select, insert, update, delete on public.blocks to service_role;

create function app.has_blocked(person uuid, other uuid) returns boolean
language sql stable security definer set search_path = ''
as $$ select exists (select from public.blocks b where b.profile_id = person and b.blocked_id = other) $$;
comment on function app.has_blocked is 'Whether a person has blocked another one.';

create function app.blocked_directs(person uuid) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  select coalesce(array_agg(c.id), '{}')
  from public.blocks b
  join public.channel_members o on o.profile_id = b.blocked_id
  join public.channels c on c.id = o.channel_id and c.kind = 'direct'
  join public.channel_members m on m.channel_id = c.id and m.profile_id = b.profile_id
  where b.profile_id = person
$$;
comment on function app.blocked_directs is 'The direct conversations of a person with those whom they have blocked.';

create function app.keep_blocked_hidden() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from public.blocks b where b.profile_id = new.profile_id)
    and new.channel_id = any (app.blocked_directs(new.profile_id))
  then
    new.hidden := true;
  end if;
  return new;
end
$$;
comment on function app.keep_blocked_hidden is
  'Keeps a direct conversation hidden from a person who has blocked the other one.';
create trigger blocked_conversations_stay_hidden before update of hidden on public.channel_member_state
  for each row when (old.hidden and not new.hidden) execute function app.keep_blocked_hidden();
comment on trigger blocked_conversations_stay_hidden on public.channel_member_state is
  'The blocked person sends as before, and learns nothing.';

create function public.block_person(person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
begin
  if person is null or person = me or person not in (select app.my_visible_profile_ids()) then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  perform from public.profiles p where p.id = me for no key update;
  if 500 <= (select count(*) from public.blocks b where b.profile_id = me) then
    raise exception using errcode = 'PT409', message = 'too_many_blocks';
  end if;
  insert into public.blocks (profile_id, blocked_id) values (me, person) on conflict do nothing;
  update public.channel_member_state s set hidden = true
  where s.profile_id = me and not s.hidden and s.channel_id = any (app.blocked_directs(me));
  return jsonb_build_object('person', person, 'blocked', true);
end
$$;
comment on function public.block_person is
  'Hides the direct conversation with a person; nothing that they write there or in a group conversation notifies the '
  'caller. They learn nothing of it.';

create function public.unblock_person(person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
  directs constant uuid[] := app.blocked_directs(me);
begin
  delete from public.blocks b where b.profile_id = me and b.blocked_id = person;
  if found then
    update public.channel_member_state s set hidden = false
    where s.profile_id = me and s.hidden and s.channel_id = any (directs)
      and s.channel_id <> all (app.blocked_directs(me))
      and exists (select from public.channel_counters k where k.channel_id = s.channel_id and k.last_seq > 0);
  end if;
  return jsonb_build_object('person', person, 'blocked', false);
end
$$;
comment on function public.unblock_person is
  'Ends a block: the conversation is shown again, with what was written meanwhile. Succeeds also if there is none.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.block_person, public.unblock_person from public, anon, authenticated, service_role;
grant execute on function public.block_person, public.unblock_person to authenticated;
