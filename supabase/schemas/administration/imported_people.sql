-- Claims of imported people by members, who get their messages and memberships. Decision 109 gives the reasons.
--
-- The command moves the memberships. A job then changes the messages in batches, as an import does: without an event for each.

-- Reading ----------------------------------------------------------------------------------------------

create function app.is_address_of(email text, person uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select from public.profiles p join auth.users u on u.id = p.user_id
    where p.id = person and u.email = is_address_of.email and u.email_confirmed_at is not null and u.deleted_at is null);
end
$$;
comment on function app.is_address_of is 'Whether a person has confirmed this mail address.';

create function app.imported_person_as_json(person public.imported_people) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('profile_id', p.id, 'name', p.name, 'title', p.title, 'email', person.email,
      'claimed_by', person.claimed_by, 'is_merged', person.merged_at is not null, 'suggested_id', case
        when person.claimed_by is null and person.email is not null then (
          select m.profile_id from auth.users u
          join public.profiles o on o.user_id = u.id and o.kind = 'person'
          join public.workspace_members m on m.profile_id = o.id and m.workspace_id = person.workspace_id
            and m.state = 'active' and (m.expires_at is null or m.expires_at > now())
          where u.email = person.email and u.email_confirmed_at is not null and u.deleted_at is null
          order by m.profile_id limit 1) end)
    from public.profiles p where p.id = person.profile_id);
end
$$;
comment on function app.imported_person_as_json is
  'An imported person as owners and admins see them. `suggested_id`: the member who has confirmed the mail address of the export.';

create function public.list_imported_people(
  workspace uuid, query text default null, after uuid default null, "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  size constant integer := least(greatest(coalesce(list_imported_people."limit", 50), 1), 100);
  term constant text := lower(btrim(coalesce(list_imported_people.query, '')));
  listed public.imported_people[];
begin
  perform app.require_role(workspace, 'owner', 'admin');
  listed := array(
    select i from public.imported_people i join public.profiles p on p.id = i.profile_id
    where i.workspace_id = workspace and (i.claimed_by is null or i.merged_at is null)
      and (list_imported_people.after is null or i.profile_id > list_imported_people.after)
      and (term = '' or strpos(lower(p.name), term) > 0 or strpos(i.email, term) > 0)
    order by i.profile_id limit size + 1);
  return jsonb_build_object(
    'people', coalesce((
      select jsonb_agg(app.imported_person_as_json(i) order by i.profile_id) from unnest(listed[1:size]) i), '[]'),
    'suggested', case when list_imported_people.after is null and term = '' then coalesce((
      select jsonb_agg(app.imported_person_as_json(i.person) order by (i.person).profile_id)
      from (
        select s as person from public.imported_people s
        join auth.users u on u.email = s.email and u.email_confirmed_at is not null and u.deleted_at is null
        join public.profiles o on o.user_id = u.id and o.kind = 'person'
        join public.workspace_members m on m.profile_id = o.id and m.workspace_id = workspace
          and m.state = 'active' and (m.expires_at is null or m.expires_at > now())
        where s.workspace_id = workspace and s.claimed_by is null
        order by s.profile_id limit 100) i), '[]') else '[]'::jsonb end,
    'after', case when cardinality(listed) > size then listed[size].profile_id end);
end
$$;
comment on function public.list_imported_people is
  'A page of the imported people who are not claimed, or whose messages are still being given to a member, by a part of their name '
  'or mail address. `suggested`, on the first page: up to 100 people whose mail address a member has confirmed. For owners and '
  'admins.';

create function app.require_imported_person(imported uuid) returns public.imported_people
language plpgsql stable security definer set search_path = ''
as $$
declare
  found_person public.imported_people;
begin
  select * into found_person from public.imported_people i where i.profile_id = imported;
  perform app.require_role(found_person.workspace_id, 'owner');
  return found_person;
end
$$;
comment on function app.require_imported_person is
  'An imported person of a workspace that the caller owns; fails with not_found outside the workspace.';

create function app.gained_channels(imported uuid, member uuid) returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
    select m.channel_id from public.channel_members m
    cross join lateral app.channel_access_of_person(member, m.channel_id) a
    where m.profile_id = imported and (a.member is null or a.history_from_seq > m.history_from_seq);
end
$$;
comment on function app.gained_channels is
  'The channels and conversations of an imported person that a member cannot read yet, or not from the same message on.';

create function public.preview_claim(imported uuid, member uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  person constant public.imported_people := app.require_imported_person(imported);
  gained uuid[];
begin
  if not exists (
    select from public.workspace_members m join public.profiles p on p.id = m.profile_id
    where m.workspace_id = person.workspace_id and m.profile_id = member and p.kind = 'person' and app.is_active_member(m))
  then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  gained := array(select c from app.gained_channels(imported, member) c);
  return jsonb_build_object(
    'has_same_address', app.is_address_of(person.email, member),
    'messages', (
      select count(*) from (select from public.messages m where m.author_id = imported limit 100000) counted),
    'gained_count', cardinality(gained),
    'gained', coalesce((
      select jsonb_agg(g.channel order by g.is_direct, g.name, g.id)
      from (
        select c.id, c.name, c.kind in ('direct', 'group') as is_direct, jsonb_build_object(
          'id', c.id, 'kind', c.kind, 'name', c.name, 'people', case when c.kind in ('direct', 'group') then (
            select jsonb_agg(case when p.is_erased then '' else p.name end order by p.name, p.id)
            from public.channel_members o join public.profiles p on p.id = o.profile_id
            where o.channel_id = c.id and o.profile_id <> imported) end) as channel
        from public.channels c where c.id = any (gained)
        order by c.kind in ('direct', 'group'), c.name, c.id limit 200) g), '[]'));
end
$$;
comment on function public.preview_claim is
  'What a member would get with a claim: the number of messages, to 100,000, and the channels and conversations that they cannot '
  'read yet, at most 200 by name. For owners, who decide whether the member is this person.';

-- The command ------------------------------------------------------------------------------------------

create function app.set_conversation_keys(changed uuid[]) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  conversation record;
begin
  for conversation in
    select c.id, c.workspace_id, app.direct_key(array(
      select m.profile_id from public.channel_members m where m.channel_id = c.id)) as key
    from public.channels c where c.id = any (changed) and c.kind in ('direct', 'group') order by c.id
  loop
    if exists (
      select from public.channels c
      where c.workspace_id = conversation.workspace_id and c.direct_key = conversation.key and c.id <> conversation.id)
    then
      update public.channels c
      set kind = 'private', direct_key = null, name = coalesce((
        select left(string_agg(p.name, ', ' order by p.name), 70)
        from public.channel_members m join public.profiles p on p.id = m.profile_id
        where m.channel_id = c.id and not p.is_erased), 'Conversation')
      where c.id = conversation.id;
    else
      update public.channels c set direct_key = conversation.key where c.id = conversation.id;
    end if;
  end loop;
end
$$;
comment on function app.set_conversation_keys is
  'Computes channels.direct_key of conversations again, after a person in them was replaced by another one. A conversation becomes a '
  'private channel if its people have another conversation already.';

create function app.move_imported_memberships(imported uuid, member uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  moved constant uuid[] := array(
    select m.channel_id from public.channel_members m where m.profile_id = imported order by m.channel_id);
  is_guest constant boolean := exists (
    select from public.workspace_members w join public.channels c on c.workspace_id = w.workspace_id
    where c.id = moved[1] and w.profile_id = member and w.role = 'guest');
begin
  perform app.lock_channels(moved);
  insert into public.channel_member_state (channel_id, profile_id, notify, last_read_seq)
  select c.id, member, case when c.kind in ('direct', 'group') then 'all' else 'default' end, k.last_seq
  from public.channels c join public.channel_counters k on k.channel_id = c.id
  where c.id = any (moved) on conflict do nothing;
  insert into public.channel_members as n (channel_id, profile_id, role, history_from_seq)
  select m.channel_id, member, case when is_guest then 'member' else m.role end, m.history_from_seq
  from public.channel_members m where m.profile_id = imported and m.channel_id = any (moved)
  on conflict (channel_id, profile_id) do update
  set history_from_seq = excluded.history_from_seq
  where n.history_from_seq > excluded.history_from_seq;
  delete from public.channel_members m where m.profile_id = imported and m.channel_id = any (moved);
  delete from public.channel_member_state s where s.profile_id = imported;
  perform app.set_conversation_keys(moved);
  perform app.increment_meta_rev(c) from unnest(moved) c;
end
$$;
comment on function app.move_imported_memberships is
  'Gives the memberships of an imported person to a member, with everything marked as read. If the member has a conversation with the '
  'same people already, the imported one becomes a private channel beside it.';

create function public.claim_imported_person(imported uuid, member uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  person public.imported_people := app.require_imported_person(imported);
  me constant uuid := app.my_profile_id();
begin
  select * into person from public.imported_people i where i.profile_id = imported for update;
  if person.claimed_by is not null then
    if person.claimed_by = member then return app.imported_person_as_json(person); end if;
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  if not exists (
    select from public.workspace_members m join public.profiles p on p.id = m.profile_id
    where m.workspace_id = person.workspace_id and m.profile_id = member and p.kind = 'person' and app.is_active_member(m))
  then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  -- Otherwise an owner could read private conversations of everybody.
  if member = me and app.is_address_of(person.email, me) is not true then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  perform app.move_imported_memberships(imported, member);
  update public.imported_people i set claimed_by = member, claimed_at = now()
  where i.profile_id = imported returning * into person;
  perform app.record_action(person.workspace_id, 'import.person_claimed', jsonb_build_object(
    'profile_id', member, 'imported_id', imported));
  return app.imported_person_as_json(person);
end
$$;
comment on function public.claim_imported_person is
  'Gives the memberships and messages of an imported person to a member, including private channels and direct conversations: the '
  'caller has decided that the member is this person. For owners. An owner can claim a person for themselves only with the mail '
  'address of the export. A job changes the messages.';

-- The job ----------------------------------------------------------------------------------------------

create function app.replace_person(value text, before uuid, after uuid) returns text
language sql immutable set search_path = ''
as $$ select replace(value, before::text, after::text) $$;
comment on function app.replace_person is 'A text or JSON value that names another person. Ids have the same length.';

create function app.merge_some_messages(imported uuid, max_messages integer, out changed integer, out channels uuid[])
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  claim public.imported_people;
  member uuid;
  chosen uuid[];
  written uuid[];
  affected uuid[];
begin
  changed := 0;
  channels := '{}';
  select * into claim from public.imported_people i
  where i.profile_id = imported and i.claimed_by is not null and i.merged_at is null for no key update;
  if not found then return; end if;
  member := claim.claimed_by;
  -- Neither events nor notifications for old messages, and no checks of their texts.
  perform set_config('linnet.is_importing', 'true', true);
  chosen := array(
    select distinct f.id from (
      (select m.id from public.messages m where m.author_id = imported limit max_messages)
      union all (select n.message_id from public.mentions n where n.profile_id = imported limit max_messages)
      union all (select r.message_id from public.reactions r where r.profile_id = imported limit max_messages)
      union all (select p.message_id from public.pins p where p.pinned_by = imported limit max_messages)) f (id)
    limit max_messages);
  changed := cardinality(chosen);
  written := array(select m.id from public.messages m where m.id = any (chosen) and m.author_id = imported);
  affected := chosen || array(
    select distinct m.thread_root from public.messages m where m.id = any (written) and m.thread_root is not null);
  -- Messages before counters, as every lock of both.
  perform from public.messages m where m.id = any (affected) order by m.id for no key update;
  channels := array(
    select distinct m.channel_id from public.messages m where m.id = any (affected));
  perform app.lock_channels(channels);
  delete from public.reactions r
  where r.profile_id = imported and r.message_id = any (chosen) and exists (
    select from public.reactions o where o.message_id = r.message_id and o.emoji = r.emoji and o.profile_id = member);
  update public.reactions r set profile_id = member where r.profile_id = imported and r.message_id = any (chosen);
  update public.reactions r set message_author_id = member where r.message_id = any (written);
  delete from public.mentions n
  where n.profile_id = imported and n.message_id = any (chosen) and exists (
    select from public.mentions o where o.message_id = n.message_id and o.kind = n.kind and o.profile_id = member);
  update public.mentions n set profile_id = member where n.profile_id = imported and n.message_id = any (chosen);
  update public.mentions n set author_id = member where n.message_id = any (written);
  -- Nobody mentions themselves.
  delete from public.mentions n where n.message_id = any (chosen) and n.profile_id = n.author_id;
  update public.pins p set pinned_by = member where p.pinned_by = imported and p.message_id = any (chosen);
  update public.message_revisions v set body = app.replace_person(v.body, imported, member)
  where v.message_id = any (chosen) and strpos(v.body, imported::text) > 0;
  update public.listed_files f set author_id = member where f.message_id = any (written);
  update public.message_search s
  set words = ts_delete(s.words, '=from:' || imported) || array_to_tsvector(array['=from:' || member])
  where s.message_id = any (written);
  update public.messages m
  set author_id = case when m.author_id = imported then member else m.author_id end,
    body = app.replace_person(m.body, imported, member),
    system = app.replace_person(m.system::text, imported, member)::jsonb,
    extras = app.replace_person(m.extras::text, imported, member)::jsonb,
    reply_people = array(
      select p from unnest(array_replace(m.reply_people, imported, member)) with ordinality o (p, i)
      group by p order by min(i)),
    rev = app.next_rev(m.channel_id)
  where m.id = any (affected);
end
$$;
comment on function app.merge_some_messages is
  'Gives the next messages, reactions, mentions and pins of a claimed person to the member. Returns how many messages it has '
  'changed, 0 at the end, and their channels.';

create function app.finish_claim(imported uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  member uuid;
begin
  select i.claimed_by into member from public.imported_people i
  where i.profile_id = imported and i.claimed_by is not null and i.merged_at is null for no key update;
  if member is null then return; end if;
  perform set_config('linnet.is_importing', 'true', true);
  -- An import after the claim may have written further ones.
  perform app.move_imported_memberships(imported, member);
  update public.channels c set created_by = member where c.created_by = imported and c.deleted_at is null;
  update public.channel_bookmarks b set author_id = member where b.author_id = imported;
  update public.custom_emoji e set author_id = member where e.author_id = imported;
  update public.user_groups g set created_by = member where g.created_by = imported;
  update public.reports r set author_id = member where r.author_id = imported;
  insert into public.thread_members (root_id, profile_id, follows, last_read_thread_seq, read_version, marked_at)
  select t.root_id, member, t.follows, t.last_read_thread_seq, 0, t.marked_at
  from public.thread_members t where t.profile_id = imported on conflict do nothing;
  delete from public.thread_members t where t.profile_id = imported;
  insert into public.user_group_members (group_id, workspace_id, profile_id)
  select g.group_id, g.workspace_id, member from public.user_group_members g where g.profile_id = imported
  on conflict do nothing;
  delete from public.user_group_members g where g.profile_id = imported;
  delete from public.workspace_members w where w.profile_id = imported;
  update public.imported_people i set merged_at = clock_timestamp() where i.profile_id = imported;
end
$$;
comment on function app.finish_claim is
  'Gives the rest of a claimed person to the member, and ends their membership. The profile stays, so that another import of the '
  'same export finds the member.';

create procedure app.merge_claimed_people()
language plpgsql
as $$
declare
  claim record;
  step record;
begin
  for claim in
    select i.profile_id, i.workspace_id from public.imported_people i
    where i.claimed_at is not null and i.merged_at is null order by i.claimed_at
  loop
    loop
      step := app.merge_some_messages(claim.profile_id, 500);
      commit;
      exit when step.changed = 0;
      -- Open pages fetch what has changed.
      perform app.notify_channel(k.channel_id, 'rev', jsonb_build_object('channel_id', k.channel_id, 'rev', k.rev))
      from public.channel_counters k where k.channel_id = any (step.channels);
      commit;
    end loop;
    perform app.finish_claim(claim.profile_id);
    commit;
    perform app.notify_workspace(claim.workspace_id, 'workspace_changed',
      jsonb_build_object('workspace', app.workspace_as_json(claim.workspace_id)));
    commit;
  end loop;
end
$$;
comment on procedure app.merge_claimed_people is 'Gives the messages of claimed people to the members, 500 in a transaction.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.list_imported_people, public.preview_claim, public.claim_imported_person
  from public, anon, authenticated, service_role;
grant execute on function public.list_imported_people, public.preview_claim, public.claim_imported_person to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: merge claimed people', '* * * * *', 'call app.merge_claimed_people()');
