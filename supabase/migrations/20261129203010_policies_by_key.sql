-- Three policies look up rows by key. Before, each statement built a set: of all messages that the reader had ever written to
-- read an earlier text, of all members of the workspace to read one avatar, and of all invitations to read their channels.

create function app.can_read_avatar(path text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  person constant uuid := case when path ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' then split_part(path, '/', 1)::uuid end;
  me constant uuid := app.my_profile_id();
begin
  return person is not null and me is not null and (person = me
    or exists (
      select from public.workspace_members mine
      join public.workspace_members other on other.workspace_id = mine.workspace_id and other.profile_id = person
      where mine.profile_id = me and mine.role <> 'guest'
        and mine.state = 'active' and (mine.expires_at is null or mine.expires_at > now()))
    or exists (
      select from public.workspace_members w
      join public.channel_members mine on mine.workspace_id = w.workspace_id and mine.profile_id = me
      join public.channel_members other on other.channel_id = mine.channel_id and other.profile_id = person
      where w.profile_id = me and w.role = 'guest' and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
        and (mine.expires_at is null or mine.expires_at > now())));
end
$$;
comment on function app.can_read_avatar is
  'Whether the caller may see the person of this path: one of app.my_visible_profile_ids(). Looks the person up by key in each '
  'of the caller''s workspaces, and for a guest in each of the caller''s channels. The set would have all members.';
revoke execute on all functions in schema app from public;
grant execute on function app.can_read_avatar to authenticated;

drop policy "fellow members see avatars" on storage.objects;
create policy "fellow members see avatars" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'avatars' and (select app.is_permitted_file_operation())
    and app.can_read_avatar(name)
  );

drop policy "authors and people allowed by the workspace see earlier versions" on public.message_revisions;
create policy "authors and people allowed by the workspace see earlier versions" on public.message_revisions
  for select to authenticated using (
    exists (
      select from public.messages m
      where m.id = message_revisions.message_id
        and (m.author_id = (select app.my_profile_id()) or exists (
          select from public.channels c
          where c.id = m.channel_id and c.workspace_id = any (array(select app.my_edit_history_workspace_ids())))))
  );
comment on policy "authors and people allowed by the workspace see earlier versions" on public.message_revisions is
  'Only of messages that they can read: the policies of messages and channels apply to the subqueries.';

drop policy "admins see the channels of invitations" on public.invitation_channels;
create policy "admins see the channels of invitations" on public.invitation_channels
  for select to authenticated using (
    channel_id in (select r.channel_id from app.my_readable_channels() r)
    and exists (
      select from public.invitations i
      where i.id = invitation_channels.invitation_id and i.workspace_id in (select app.my_managed_workspace_ids())
    )
  );
comment on policy "admins see the channels of invitations" on public.invitation_channels is
  'An admin who cannot read a private channel must not learn of it from the invitation of another.';
