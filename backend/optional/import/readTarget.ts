import type { Client } from 'pg'
import { ExportError } from './ExportError.ts'
import type { Target, TargetChannel } from './planImport.ts'

const maxRows = 500_000

/** Reads the workspace that imports. */
export async function readTarget(
  database: Pick<Client, 'query'>,
  workspaceId: string,
  site: string,
): Promise<Target> {
  // An address that its owner has not confirmed is no proof of who they are.
  const members = await database.query<{ email: string; id: string }>(
    `select lower(u.email) as email, p.id from public.workspace_members w
     join public.profiles p on p.id = w.profile_id join auth.users u on u.id = p.user_id
     where w.workspace_id = $1 and u.email_confirmed_at is not null and u.email <> '' and u.deleted_at is null
     limit ${maxRows}`,
    [workspaceId],
  )
  const channels = await database.query<TargetChannel>(
    `select c.id, c.kind, c.name, c.direct_key, coalesce(k.meta_rev, 0)::float8 as meta_rev,
       coalesce(k.last_seq, 0)::float8 as last_seq, c.deleted_at is not null as is_deleted
     from public.channels c left join public.channel_counters k on k.channel_id = c.id
     where c.workspace_id = $1
       and not exists (select from public.imports i where i.id = c.import_id and i.undone_at is not null)
     limit ${maxRows}`,
    [workspaceId],
  )
  const emoji = await database.query<{ id: string; names: string[] }>(
    `select e.id, array[e.name] || e.aliases as names from public.custom_emoji e where e.workspace_id = $1`,
    [workspaceId],
  )
  const profiles = await database.query<{ id: string; is_owner: boolean }>(
    `select m.profile_id as id, m.role = 'owner' and m.state = 'active' as is_owner
     from public.workspace_members m where m.workspace_id = $1 order by m.created_at, m.profile_id`,
    [workspaceId],
  )
  const owner = profiles.rows.find(({ is_owner: isOwner }) => isOwner)?.id
  if (owner === undefined) throw new ExportError('The workspace has no owner.')
  return {
    workspaceId,
    site: site.replace(/\/$/, ''),
    members: new Map(members.rows.map(({ email, id }) => [email, id])),
    channels: channels.rows,
    emoji: new Map(emoji.rows.map(({ id, names }) => [id, names])),
    ownerId: owner,
    profileIds: new Set(profiles.rows.map(({ id }) => id)),
  }
}
