-- A count of what is unread that does not use what the counts of the app are made of: neither the numbers that mentions
-- have copied from their message, nor what thread_members has copied from the root. It verifies them, and corrects the
-- copies of the caller.

create function app.correct_thread_copies(viewer uuid) returns integer
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wrong uuid;
  head public.messages;
  corrected integer := 0;
begin
  for wrong in
    select t.root_id from public.thread_members t
    join public.messages h on h.id = t.root_id
    cross join lateral (
      select coalesce(max(r.thread_seq), 0) as thread_seq from public.messages r
      where r.channel_id = h.channel_id and r.thread_root = h.id) last
    where t.profile_id = viewer and t.follows
      and (t.has_unread <> (t.last_read_thread_seq < last.thread_seq) or t.reply_at is distinct from h.last_reply_at)
    order by t.root_id limit 100
  loop
    -- Under the lock of the root, as every change of the copies.
    head := app.lock_thread_root(wrong);
    update public.thread_members t
    set has_unread = t.last_read_thread_seq < head.last_thread_seq, reply_at = head.last_reply_at
    where t.root_id = wrong and t.profile_id = viewer and t.follows
      and (t.has_unread <> (t.last_read_thread_seq < head.last_thread_seq)
        or t.reply_at is distinct from head.last_reply_at);
    if found then corrected := corrected + 1; end if;
  end loop;
  return corrected;
end
$$;
comment on function app.correct_thread_copies is
  'Corrects what the rows of thread_members of a person have copied from the roots, in 100 threads at most, and returns '
  'in how many it was wrong.';

create function public.recount_unread(workspace uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  max_examined constant integer := 1000;
  corrected constant integer := app.correct_thread_copies(me);
begin
  return jsonb_build_object(
    'corrected', corrected,
    'channels', coalesce((
      select jsonb_agg(jsonb_build_object('channel_id', m.channel_id,
        'unread', least(counted.unread, 100), 'mentions', least(counted.mentions, 100)))
      from public.channel_members m
      join public.channel_state s on s.channel_id = m.channel_id and s.profile_id = me
      cross join lateral (
        select count(*) as examined, count(*) filter (where later.counts) as unread,
          count(*) filter (where later.counts and exists (
            select from public.mentions n
            where n.message_id = later.id and n.seq is not null and (n.profile_id = me or n.profile_id is null)
          )) as mentions
        from (
          select r.id, r.kind = 'text' and r.deleted_at is null and r.author_id <> me as counts
          from public.messages r
          where r.channel_id = m.channel_id and r.seq > greatest(s.last_read_seq, m.history_from_seq - 1)
          order by r.seq limit max_examined) later) counted
      where m.profile_id = me and m.workspace_id = workspace and (m.expires_at is null or m.expires_at > now())
        and counted.examined < max_examined), '[]'),
    'threads', coalesce((
      select jsonb_agg(jsonb_build_object('root_id', t.root_id,
        'unread', least(counted.unread, 100), 'mentions', least(counted.mentions, 100)))
      from (
        select t.root_id, t.last_read_thread_seq, h.channel_id from public.thread_members t
        join public.messages h on h.id = t.root_id
        where t.profile_id = me and t.follows and t.has_unread and t.reply_at is not null
          and app.is_thread_visible(me, workspace, h.channel_id, h.base_seq)
        order by t.reply_at desc, t.root_id desc limit 100) t
      cross join lateral (
        select count(*) as examined, count(*) filter (where later.counts) as unread,
          count(*) filter (where later.counts and exists (
            select from public.mentions n
            where n.message_id = later.id and n.thread_seq is not null and (n.profile_id = me or n.profile_id is null)
          )) as mentions
        from (
          select r.id, r.deleted_at is null and r.author_id <> me as counts
          from public.messages r
          where r.channel_id = t.channel_id and r.thread_root = t.root_id and r.thread_seq > t.last_read_thread_seq
          order by r.thread_seq limit max_examined) later) counted
      where counted.examined < max_examined), '[]'));
end
$$;
comment on function public.recount_unread is
  'Counts the caller''s unread messages and mentions message by message, and corrects their copies of the numbers of '
  'threads. Conversations with 1,000 or more messages after the read marker are left out, since counts end at 100. At most '
  '100 threads.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.recount_unread from public, anon, authenticated, service_role;
grant execute on function public.recount_unread to authenticated;
