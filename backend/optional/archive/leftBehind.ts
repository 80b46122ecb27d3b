/** Something of a workspace that an archive does not have. */
interface LeftBehind {
  what: string
  /** What people do about it. */
  becomes: string
  /** A query for the number in the workspace `$1`. */
  count: string
  /** Whether an archive with credentials has it. */
  isCredential?: true
}

const ofMember = (column: string): string =>
  `exists (select from public.workspace_members w where w.workspace_id = $1 and w.profile_id = ${column})`

/** What an archive leaves behind, for its manifest and the receipt of its import. `docs/archive.md` has the same list. */
export const leftBehind: readonly LeftBehind[] = [
  {
    what: 'accounts with a password, second factor, passkey or recovery codes',
    becomes: 'People sign in by mail, and set them up again.',
    count: `select count(*) from public.profiles p join auth.users u on u.id = p.user_id
      where p.kind = 'person' and ${ofMember('p.id')} and (coalesce(u.encrypted_password, '') <> '' or exists (
        select from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified'))`,
    isCredential: true,
  },
  {
    what: 'tokens of bots, secrets of webhooks and commands',
    becomes: 'Create them again on the page of each bot. Outgoing webhooks are disabled: create them again.',
    count: `select (select count(*) from public.bots b where b.workspace_id = $1 and b.token_created_at is not null)
      + (select count(*) from public.incoming_webhooks h join public.bots b on b.profile_id = h.bot_id where b.workspace_id = $1)
      + (select count(*) from public.outgoing_webhooks h join public.bots b on b.profile_id = h.bot_id where b.workspace_id = $1)
      + (select count(distinct k.bot_id) from public.bot_commands k where k.workspace_id = $1 and k.url is not null) as count`,
    isCredential: true,
  },
  {
    what: 'links of open invitations',
    becomes: 'Links are revoked: create new ones. Send invitations by mail again.',
    count: `select count(*) from public.invitations i
      where i.workspace_id = $1 and i.revoked_at is null and i.uses < i.max_uses and i.expires_at > now()`,
    isCredential: true,
  },
  {
    what: 'requests to join',
    becomes: 'People request again.',
    count: `select count(*) from public.join_requests r where r.workspace_id = $1 and r.state = 'waiting'`,
  },
  {
    what: 'devices with push notifications',
    becomes: 'People allow notifications again at the new address.',
    count: `select count(*) from public.push_subscriptions s where ${ofMember('s.profile_id')}`,
  },
  {
    what: 'blocks between people',
    becomes: 'People block again.',
    count: `select count(*) from public.blocks b where ${ofMember('b.profile_id')} and ${ofMember('b.blocked_id')}`,
  },
  {
    what: 'applications that people have authorized',
    becomes: 'Register the applications on the new server, and allow them again.',
    count: `select count(*) from public.application_grants g where ${ofMember('g.profile_id')}`,
  },
  {
    what: 'link previews',
    becomes: 'Earlier messages show their links without previews.',
    count: `select count(*) from public.message_previews v join public.messages m on m.id = v.message_id
      join public.channels c on c.id = m.channel_id where c.workspace_id = $1`,
  },
]
