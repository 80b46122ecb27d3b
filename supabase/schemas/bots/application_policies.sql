-- What OAuth applications may read in the tables: one restrictive policy for each table that clients access. It limits what all
-- other policies of the table permit. Applications write to no table directly. Decision 49 gives the reasons.
--
-- supabase/tests/inventory.test.ts fails if a table that clients access is missing here.

do $$
declare
  limited record;
  name text;
begin
  for limited in
    select l.* from (values
      ('channels:read',
        array['bots', 'channel_bookmarks', 'channel_counters', 'channel_member_state', 'channel_members', 'channels',
          'custom_emoji', 'profiles', 'sections', 'user_group_members', 'user_groups', 'workspace_members', 'workspaces'],
        'Applications see who and what there is with the scope channels:read, and write nothing here.'),
      ('messages:read',
        array['attachments', 'mentions', 'message_revisions', 'messages', 'pins', 'reactions', 'thread_members'],
        'Applications see it with the scope messages:read, and write nothing here.'),
      -- No scope is enough.
      (null,
        array['application_grants', 'blocks', 'command_responses', 'drafts', 'invitation_channels', 'invitations',
          'notification_preferences', 'reminders', 'saved_messages', 'saved_searches', 'scheduled_messages', 'silences'],
        'What concerns only the person, or those who manage a workspace, is closed to applications.')
    ) l (scope, tables, reason)
  loop
    foreach name in array limited.tables loop
      execute format('create policy "applications are limited to their scopes" on public.%I as restrictive for all to authenticated '
        || case when limited.scope is null then 'using ((select app.is_first_party_session()))'
          else 'using ((select app.has_scope(%L))) with check ((select app.is_first_party_session()))' end,
        name, limited.scope);
      execute format('comment on policy "applications are limited to their scopes" on public.%I is %L', name, limited.reason);
    end loop;
  end loop;
end
$$;
