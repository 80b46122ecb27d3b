-- The policy of blocks for applications is written like the other ones that are closed to them.

drop policy "applications are limited to their scopes" on public.blocks;
create policy "applications are limited to their scopes" on public.blocks
  as restrictive for all to authenticated using ((select app.is_first_party_session()));
comment on policy "applications are limited to their scopes" on public.blocks is
  'What concerns only the person, or those who manage a workspace, is closed to applications.';
