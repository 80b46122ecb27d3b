import { join } from 'node:path'
import { connectToUrl } from '../postgres/connections/connectToUrl.ts'
import { missingPartitions } from '../realtime/broadcast/missingPartitions.ts'
import { compareBytes } from '../storage/bytes/compareBytes.ts'
import type { Difference } from '../storage/bytes/compareBytes.ts'
import { selectClaims, verifyBytes } from '../storage/bytes/verifyBytes.ts'
import type { Claim } from '../storage/bytes/verifyBytes.ts'

/** Where the rows of stored objects and their files differ; null where the database does not answer. */
export async function readDifference(dbUrl: string, dataDir: string): Promise<Difference | null> {
  try {
    const client = await connectToUrl(dbUrl, 'linnet status')
    try {
      return await compareBytes(join(dataDir, 'storage'), async () => {
        const { rows } = await client.query<{ version: string | null }>('select version from storage.objects')
        return rows.map((row) => row.version)
      })
    } finally {
      await client.end()
    }
  } catch {
    return null
  }
}

/** Days (UTC) whose broadcasts the database cannot store; null where it does not answer. */
export async function readMissingPartitions(dbUrl: string): Promise<string[] | null> {
  try {
    const client = await connectToUrl(dbUrl, 'linnet status')
    return await missingPartitions(client).finally(() => client.end())
  } catch {
    return null
  }
}

/** A line for people, or none where every day has its partition. */
export function renderMissingPartitions(days: string[] | null): string[] {
  if (days === null || days.length === 0) return []
  return [
    `Broadcasts   realtime.messages has no partition for ${days.join(' and ')} (UTC): broadcasts are dropped`,
  ]
}

/** Objects whose bytes are not those that were uploaded, after reading all of them; null as above. */
export async function readDamage(
  dbUrl: string,
  dataDir: string,
): Promise<{ read: number; damaged: string[] } | null> {
  try {
    const client = await connectToUrl(dbUrl, 'linnet status')
    try {
      const { read, damaged } = await verifyBytes(
        join(dataDir, 'storage'),
        async () => (await client.query<Claim>(selectClaims)).rows,
      )
      return { read, damaged: damaged.map(({ bucket, name }) => `${bucket}/${name}`) }
    } finally {
      await client.end()
    }
  } catch {
    return null
  }
}

/** Lines for people: how many were read, and each that is damaged. */
export function renderDamage(damage: Awaited<ReturnType<typeof readDamage>>): string[] {
  if (damage === null) return ['Bytes        could not be read']
  return [
    `Bytes        ${damage.read} objects read, ${damage.damaged.length} damaged`,
    ...damage.damaged.map((name) => `             ${name}`),
  ]
}

/** A line for people, or none where rows and files agree. */
export function renderDifference(difference: Difference | null): string[] {
  if (difference === null || difference.withoutBytes + difference.withoutRow === 0) return []
  return [
    `Files        ${difference.withoutBytes} objects have no bytes, ${difference.withoutRow} files belong to no object`,
  ]
}
