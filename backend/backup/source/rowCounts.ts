import type { Client } from 'pg'

/** The tables whose rows a restored copy is compared by, where they exist. */
const tables = [
  'auth.users',
  'storage.buckets',
  'storage.objects',
  'public.workspaces',
  'public.profiles',
  'public.channels',
  'public.messages',
  'public.files',
]

/** Counts the rows of the main tables, by table. */
export async function countRows(client: Pick<Client, 'query'>): Promise<Record<string, number>> {
  const { rows: existing } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
    [tables],
  )
  const counts: Record<string, number> = {}
  for (const { name } of existing) {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${name}`)
    counts[name] = Number(rows[0]!.count)
  }
  return counts
}
