-- Notification preferences of a person in a workspace: rows of their owner.

create table public.notification_preferences (
  workspace_id uuid not null,
  profile_id uuid not null default app.my_profile_id(),
  level text not null default 'mentions'
    constraint notification_preferences_level_known check (level in ('all', 'mentions', 'nothing')),
  keywords text[] not null default '{}'
    constraint notification_preferences_keywords_count check (cardinality(keywords) <= 20)
    constraint notification_preferences_keywords_length check (octet_length(array_to_string(keywords, ' ', '')) <= 1000),
  quiet_days smallint[] not null default '{}'
    constraint notification_preferences_quiet_days_known check (quiet_days <@ '{1,2,3,4,5,6,7}' and cardinality(quiet_days) <= 7),
  quiet_from time not null default '18:00',
  quiet_to time not null default '09:00',
  time_zone text not null default 'UTC',
  may_interrupt uuid[] not null default '{}'
    constraint notification_preferences_may_interrupt_count check (cardinality(may_interrupt) <= 20),
  mail boolean not null default true,
  mail_language text
    constraint notification_preferences_mail_language_tag check (mail_language ~ '^[a-z]{2,3}$'),
  keyword_patterns text[] not null default '{}',
  shares_reads boolean not null default false,
  primary key (profile_id, workspace_id),
  constraint notification_preferences_of_a_member foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade
);
create index notification_preferences_member on public.notification_preferences (workspace_id, profile_id);
comment on table public.notification_preferences is
  'Of what a person wants to be notified in a workspace, when not, and whether others learn what they have read. A person without a row has the defaults.';
comment on column public.notification_preferences.level is 'Of which messages, in channels without a level.';
comment on column public.notification_preferences.keywords is
  'Words and phrases that notify like a mention. A trigger normalizes them.';
comment on column public.notification_preferences.quiet_days is
  'Days of the week (1: Monday) on which a quiet period begins at quiet_from. It ends at quiet_to, on the next day unless '
  'that is later. Local times of time_zone.';
comment on column public.notification_preferences.may_interrupt is
  'People whose messages notify also during a quiet period and while the person does not want to be disturbed.';
comment on column public.notification_preferences.mail is
  'Whether mentions and direct messages that nothing else has notified of are sent by mail.';
comment on column public.notification_preferences.mail_language is
  'The language of these mails; null: that of the installation, the setting `mail_language`.';
comment on column public.notification_preferences.shares_reads is
  'Whether others learn what the person has read, where the workspace shows it. The person learns it of those who share it.';
comment on column public.notification_preferences.keyword_patterns is
  'The phrases to find in texts, as phrase_to_find returns them. Computed from `keywords`, and read by '
  'notification_recipients.';
alter table public.notification_preferences enable row level security;
create policy "people manage their own notification preferences" on public.notification_preferences
  for all to authenticated
  using (profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()))
  with check (profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()));
comment on policy "people manage their own notification preferences" on public.notification_preferences is
  'Nobody else sees the keywords of a person, or when they are not notified.';
revoke all on public.notification_preferences from public, anon, authenticated, service_role;
grant select, insert (workspace_id, level, keywords, quiet_days, quiet_from, quiet_to, time_zone, may_interrupt, mail,
  mail_language, shares_reads), update (workspace_id, level, keywords, quiet_days, quiet_from, quiet_to, time_zone,
  may_interrupt, mail, mail_language, shares_reads) on public.notification_preferences to authenticated;
grant select, insert, update, delete on public.notification_preferences to service_role;

create function app.check_notification_preferences() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The constraints refuse more keywords and longer ones.
  if cardinality(new.keywords) <= 20 and octet_length(array_to_string(new.keywords, ' ', '')) <= 1000 then
    select coalesce(array_agg(k.keyword order by k.keyword), '{}'), coalesce(array_agg(k.pattern order by k.keyword), '{}')
    into new.keywords, new.keyword_patterns
    from (
      select min(c.keyword) as keyword, c.pattern
      from (
        select btrim(regexp_replace(lower(u), '[[:space:]]+', ' ', 'g')) as keyword, app.phrase_to_find(u) as pattern
        from unnest(new.keywords) u) c
      where c.pattern is not null
      group by c.pattern) k;
  end if;
  new.quiet_days := array(select distinct d from unnest(new.quiet_days) d order by 1);
  if not app.is_time_zone(new.time_zone) then
    raise exception using errcode = '23514', schema = 'public', table = 'notification_preferences',
      constraint = 'notification_preferences_time_zone_known',
      message = 'new row for relation "notification_preferences" violates check constraint '
        '"notification_preferences_time_zone_known"';
  end if;
  return new;
end
$$;
comment on function app.check_notification_preferences is
  'Normalizes keywords and days, and refuses an unknown time zone with the error of a check constraint: it would make '
  'the notification of everybody fail. Of keywords that have the same words, one is stored.';
create trigger notification_preferences_are_checked before insert or update on public.notification_preferences
  for each row execute function app.check_notification_preferences();

create function app.notify_notification_preferences() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.notification_preferences := case when tg_op = 'DELETE' then old else new end;
begin
  perform app.notify_user(changed.profile_id, 'notification_preferences',
    jsonb_build_object('workspace_id', changed.workspace_id));
  return null;
end
$$;
comment on function app.notify_notification_preferences is
  'Sends the devices of a person that their preferences of a workspace have changed. Pages that use them fetch the row '
  'again: without a number, the order of two events would not show which of them is the later.';
create trigger notification_preferences_are_broadcast after insert or update or delete
  on public.notification_preferences for each row execute function app.notify_notification_preferences();
