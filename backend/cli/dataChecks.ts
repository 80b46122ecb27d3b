import { join } from 'node:path'
import { connectToUrl } from '../postgres/connections/connectToUrl.ts'
import { selectExpectedBytes, verifyBytes } from '../storage/bytes/verifyBytes.ts'
import type { ExpectedBytes } from '../storage/bytes/verifyBytes.ts'

/**
 * The number of people with a heartbeat in the last two and a half minutes, as in `app.compute_presence`, and whether a
 * workspace exists, so that the setup link has been used; null with the schema of another project, or if the database can't
 * be queried.
 */
export async function readUsage(
  dbUrl: string,
): Promise<{ peopleOnline: number; hasWorkspace: boolean } | null> {
  try {
    const client = await connectToUrl(dbUrl, 'linnet status')
    try {
      const { rows } = await client.query<{ peopleOnline: number; hasWorkspace: boolean }>(
        `select count(distinct profile_id)::int as "peopleOnline",
           exists (select from public.workspaces) as "hasWorkspace"
         from public.heartbeats where seen_at > now() - interval '150 seconds'`,
      )
      return rows[0]!
    } finally {
      await client.end()
    }
  } catch {
    return null
  }
}

/** Reads all objects and lists those whose bytes differ from what was uploaded; null if the database can't be queried. */
export async function verifyObjects(
  dbUrl: string,
  dataDir: string,
): Promise<{ read: number; damaged: string[] } | null> {
  try {
    const client = await connectToUrl(dbUrl, 'linnet status')
    try {
      const { read, damaged } = await verifyBytes(
        join(dataDir, 'storage'),
        async () => (await client.query<ExpectedBytes>(selectExpectedBytes)).rows,
      )
      return { read, damaged: damaged.map(({ bucket, name }) => `${bucket}/${name}`) }
    } finally {
      await client.end()
    }
  } catch {
    return null
  }
}

/** The number of objects read, and a line for each that is damaged. */
export function renderDamagedObjects(result: Awaited<ReturnType<typeof verifyObjects>>): string[] {
  if (result === null) return ['Bytes        could not be read']
  return [
    `Bytes        ${result.read} objects read, ${result.damaged.length} damaged`,
    ...result.damaged.map((name) => `             ${name}`),
  ]
}
