-- Mails that wait to be sent by SMTP. Hosted auth has no such table, so it is in none of the schemas that hosted
-- Supabase has. A row is written in the transaction that creates the token in the mail, and deleted as soon as the
-- mail is sent or has failed, since such a token signs its reader in. Runs as supabase_admin, and again whenever this
-- text changes.

create table if not exists linnet_platform.mails (
  id uuid primary key default gen_random_uuid(),
  -- By the names of config.toml: 'magic_link', 'password_changed' …
  kind text not null,
  recipient text not null,
  subject text not null,
  html text not null,
  plain text not null,
  created_at timestamptz not null default now(),
  -- When what it carries is worth nothing any more.
  expires_at timestamptz not null,
  attempts integer not null default 0,
  -- When it may be tried; while it is claimed, when the claim ends.
  due_at timestamptz not null default now(),
  -- The server that sends it now; it may have been killed since.
  claim uuid,
  -- Set before the end of the data is sent to a mail server: from then on the mail may have been accepted.
  handed_at timestamptz
);
create index if not exists mails_due_at on linnet_platform.mails (due_at);
comment on table linnet_platform.mails is 'Mails that wait to leave by SMTP, with what signs their readers in.';

-- Row security restricts a mistaken grant: only the auth service passes it.
alter table linnet_platform.mails enable row level security;
drop policy if exists mailer on linnet_platform.mails;
create policy mailer on linnet_platform.mails to supabase_auth_admin using (true) with check (true);
revoke all on linnet_platform.mails from public;
grant usage on schema linnet_platform to supabase_auth_admin;
grant select, insert, update, delete on linnet_platform.mails to supabase_auth_admin;
